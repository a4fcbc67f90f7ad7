// Cases of what a plugin does only when something goes wrong, which its control provokes: a lost connection, a refusal.
#include "../workplace.hpp"
#include "redelivering.hpp"

namespace mqb::conformance::cases {
namespace {

// A control of the instance breaks the connection, or a command does.
template <class Instance>
void break_connection(stage& s, Instance& at) {
    if (s.about.provoke.count("disconnect") || s.q().disconnect.empty()) return s.provoke(at, "disconnect");
    if (run_at_start(s.where.fill(s.q().disconnect)) != 0) skip("the command of `disconnect` failed");
}
// False: the client has reconnected by itself, as may be after a command.
bool was_told(stage& s, mqb_status status, const char* what) {
    if (status == MQB_DISCONNECTED) return true;
    const std::string answer = std::string("after the break ") + what + " answered " + name_of_status(status) + ", not DISCONNECTED";
    require(!s.about.provoke.count("disconnect"), rules::reconnect, answer);
    warn(answer);
    return false;
}
template <class Instance>
void connect_again(stage& s, Instance& at) {
    for (int i = 0;; ++i) {
        operation& op = at.start_connect();
        const mqb_status status = op.answer(s.q().patience * 2);
        if (status == MQB_OK) return;
        require(status != MQB_BAD_CONFIG && i < 50, rules::reconnect, "connect on the same handle after DISCONNECTED answered " + op.why());
        std::this_thread::sleep_for(100ms);
    }
}
std::vector<wanted> everything(const batch& b) {
    std::vector<wanted> out;
    for (std::uint32_t i = 0; i < b.size(); ++i) out.push_back({i});
    return out;
}

void reconnect_consumer(stage& s) {
    consumer& c = s.source_with(2);
    auto got = s.can_feed() ? c.collect(2, s.q().patience) : std::vector<batch>();
    operation* waiting = &c.start_receive();
    break_connection(s, c);
    mqb_status status = MQB_OK;
    for (int i = 0; i < 10; ++i) {  // what had arrived before may come first
        if (!waiting->wait(s.q().patience)) c.cancel(waiting->id());
        status = waiting->answer(s.q().patience);
        if (auto b = c.take(*waiting)) got.push_back(*b);
        if (status != MQB_OK) break;
        waiting = &c.start_receive();
    }
    if (!was_told(s, status, "receive")) return;
    connect_again(s, c);
    // Batches from before stay valid; what the protocol has lost with the connection is GONE and comes again.
    std::multiset<std::string> lost;
    for (batch& b : got) {
        if (c.slots().settle) {
            const auto out = c.settle(b, everything(b));
            for (std::size_t i = 0; i < out.size(); ++i)
                if (out[i].result != MQB_SETTLE_OK) lost.insert(b.messages[i].what.payload.value_or(""));
        }
        c.free_batch(b);
    }
    if (!s.can_feed()) return;
    s.fed.clear();
    s.feed(1);
    for (const std::string& p : s.fed) lost.insert(p);
    auto again = c.collect(c.acknowledges() && s.q().redelivers ? lost.size() : 1, s.q().patience);
    if (c.acknowledges() && s.q().redelivers) {
        const std::string wrong = difference(lost, as_set(again));
        require(wrong.empty(), rules::reconnect, "after connect on the same handle " + wrong);
    }
    require(!again.empty(), rules::reconnect, "nothing comes after connect on the same handle");
    for (batch& b : again) c.settle_all(b);
}
void reconnect_publisher(stage& s) {
    publisher& p = s.open_publisher();
    break_connection(s, p);
    sending x = p.start_send({s.next_letter()});
    if (!x.op->wait(s.q().patience)) p.cancel(x.op->id());
    const auto out = p.finish(x, s.q().patience);
    if (!was_told(s, x.op->status(), "send")) return;
    require(out[0].result != MQB_REFUSED, rules::reconnect, "a message is REFUSED because the connection broke");
    connect_again(s, p);
    p.deliver({s.next_letter()});
}

const char* name_of_outcome(std::int32_t result) {
    static const char* const names[] = {"UNSENT", "DONE", "AGAIN", "REFUSED", "UNCERTAIN", "GIVE_BACK"};
    return result >= MQB_UNSENT && result <= MQB_GIVE_BACK ? names[result] : "an unknown outcome";
}

// Several sends of messages of two lanes, one of which is refused; as many in flight as the promises allow.
struct sent {
    std::vector<letter> letters;
    std::vector<mqb_outcome> outcomes;
    std::uint64_t began_at, answered_at;
};
std::vector<sent> send_with_refusal(stage& s, publisher& p) {
    constexpr int sends = 4;
    constexpr std::uint32_t each = 4;
    s.provoke(p, "refusal");
    const bool many = p.promises_to(MQB_CONCURRENT) || p.promises_to(MQB_ORDERED_RETRY);
    std::vector<sent> all;
    std::vector<sending> flying;
    const auto finish_all = [&] {
        for (sending& x : flying) {
            sent& of = all[all.size() - flying.size() + static_cast<std::size_t>(&x - flying.data())];
            of.outcomes = p.finish(x, s.q().patience * 2);
            of.began_at = x.op->began_at();
            of.answered_at = x.op->answered_at();
        }
        flying.clear();
    };
    for (int i = 0; i < sends; ++i) {
        all.push_back({letters_of_two_lanes(s, each), {}, 0, 0});
        flying.push_back(p.start_send(all.back().letters));
        if (!many) finish_all();
    }
    finish_all();
    return all;
}
}  // namespace

void reconnect(stage& s) {
    if (!s.about.provoke.count("disconnect") && s.q().disconnect.empty()) s.how_to("disconnect");
    if (s.has_publisher()) reconnect_publisher(s);
    if (s.has_consumer()) reconnect_consumer(s);
}

void ordered_retry(stage& s) {
    publisher& p = s.make_publisher();
    if (!p.promises_to(MQB_ORDERED_RETRY)) skip("ORDERED_RETRY is not promised");
    s.how_to("refusal");
    consumer* c = s.round_trips() && s.q().consumer_first ? &s.open_consumer() : nullptr;
    p.connect();
    const auto all = send_with_refusal(s, p);
    struct failed {
        std::size_t send;
        std::uint64_t answered_at;
        std::string text;
    };
    std::map<std::uint64_t, failed> broken;  // by lane
    std::vector<letter> again;
    std::map<std::uint64_t, std::vector<std::string>> want;
    for (std::size_t k = 0; k < all.size(); ++k)
        for (std::size_t i = 0; i < all[k].letters.size(); ++i) {
            const letter& l = all[k].letters[i];
            const std::int32_t result = all[k].outcomes[i].result;
            const std::string text = "message " + std::to_string(i) + " of send " + std::to_string(k) + " is " + name_of_outcome(result);
            auto at = broken.find(l.lane);
            if (at != broken.end() && (at->second.send == k || all[k].began_at < at->second.answered_at))
                require(result == MQB_UNSENT, rules::ordered_retry, text + ", behind one of its lane: " + at->second.text);
            else if (result != MQB_DONE && result != MQB_REFUSED)
                broken.insert_or_assign(l.lane, failed{k, all[k].answered_at, text});
            if (result != MQB_DONE && result != MQB_REFUSED) again.push_back(l);
            if (result != MQB_REFUSED) want[l.lane].push_back(*l.payload);
        }
    if (broken.empty()) skip("the refusal was provoked, and no message came back to be sent again");
    p.deliver(again);
    p.flush();
    if (!s.round_trips()) return;
    if (!c) c = &s.open_consumer();
    std::map<std::string, std::uint64_t> lane_of;
    for (const sent& x : all)
        for (const letter& l : x.letters) lane_of[*l.payload] = l.lane;
    auto got = c->collect(lane_of.size(), s.q().patience);
    std::map<std::uint64_t, std::vector<std::string>> came;
    std::set<std::string> seen;  // one that was UNCERTAIN may come twice
    for (const std::string& payload : payloads_of(got))
        if (seen.insert(payload).second) came[lane_of[payload]].push_back(payload);
    for (batch& b : got) c->settle_all(b);
    for (const auto& [lane, payloads] : want)
        require(came[lane] == payloads, rules::ordered_retry,
                "sent again, the messages of lane " + std::to_string(lane) + " did not arrive in their order, each once");
}

void transactional(stage& s) {
    publisher& p = s.make_publisher();
    if (!p.promises_to(MQB_TRANSACTIONAL)) skip("TRANSACTIONAL is not promised");
    s.how_to("refusal");
    consumer* c = s.round_trips() && s.q().consumer_first ? &s.open_consumer() : nullptr;
    p.connect();
    std::multiset<std::string> whole;
    std::set<std::string> none;
    for (const sent& x : send_with_refusal(s, p)) {
        const auto done = std::ranges::count(x.outcomes, std::int32_t(MQB_DONE), &mqb_outcome::result);
        require(done == 0 || done == std::ssize(x.letters), rules::transactional,
                std::to_string(done) + " of " + std::to_string(x.letters.size()) + " messages of a send are DONE");
        for (std::size_t i = 0; i < x.letters.size(); ++i) {
            if (done) whole.insert(*x.letters[i].payload);
            if (!done && x.outcomes[i].result != MQB_UNCERTAIN) none.insert(*x.letters[i].payload);
        }
    }
    if (none.empty()) skip("the refusal was provoked, and every message was DONE");
    p.flush();
    if (!s.round_trips()) return;
    if (!c) c = &s.open_consumer();
    auto got = c->collect(whole.size(), s.q().patience);
    for (const batch& more : c->collect(1, s.q().quiet)) got.push_back(more);
    for (batch& b : got) c->settle_all(b);
    for (const std::string& payload : payloads_of(got))
        require(!none.count(payload), rules::transactional, "\"" + payload.substr(0, 60) + "\" arrived, of a send that is not done");
    const std::string wrong = difference(whole, as_set(got));
    require(wrong.empty(), rules::transactional, wrong);
}

}  // namespace mqb::conformance::cases
