// Cases of send.
#include "../catalog.hpp"

namespace mqb::conformance::cases {
namespace {
std::vector<letter> letters_of(stage& s, std::uint32_t n) {
    std::vector<letter> out;
    for (std::uint32_t i = 0; i < std::min(n, s.q().feed); ++i) out.push_back(s.next_letter());
    return out;
}
// A consumer that takes everything away, where sends wait for one.
class taker {
public:
    explicit taker(stage& s) {
        if (!s.q().sends_wait_for_consumer || !s.has_consumer()) return;
        consumer& c = s.open_consumer();
        thread_ = std::thread([this, &c, &s] {
            this_thread_is_the_kits();
            try {
                while (!stop_) {
                    auto b = c.receive(50ms);
                    if (!b) continue;
                    c.settle_all(*b);
                    c.free_batch(*b);
                }
            } catch (...) { (void)s; }
        });
    }
    ~taker() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};
}  // namespace

void send(stage& s) {
    const taker all(s);
    publisher& p = s.open_publisher();
    p.deliver(letters_of(s, 1));
    p.deliver(letters_of(s, 7));
    const auto out = [&] {
        sending x = p.start_send(letters_of(s, 5), lending::counted, false);  // nobody wants responses
        return p.finish(x, s.q().patience);
    }();
    for (std::size_t i = 0; i < out.size(); ++i)
        require(out[i].result == MQB_DONE || out[i].result == MQB_AGAIN, rules::send,
                "message " + std::to_string(i) + " got outcome " + std::to_string(out[i].result));
    p.flush();
}

void send_borrowed(stage& s) {
    const taker all(s);
    publisher& p = s.open_publisher();
    const auto letters = letters_of(s, 5);
    p.deliver(letters, lending::borrowed);  // the memory is unreadable from here on
    p.flush();
    if (s.round_trips() && !s.q().consumer_first && !s.q().sends_wait_for_consumer) {
        for (const letter& l : letters) s.fed.push_back(*l.payload);
        consumer& c = s.open_consumer();
        auto got = c.collect(letters.size(), s.q().patience);
        s.require_exactly_fed(got, rules::borrowed);
        for (batch& b : got) c.settle_all(b);
    }
    p.close();
}

void send_empty(stage& s) {
    const taker all(s);
    publisher& p = s.open_publisher();
    p.flush();
    sending x = p.start_send(letters_of(s, 3));
    if (x.op->finished()) p.finish(x, s.q().patience);
    if (x.op->finished() || p.promises_to(MQB_CONCURRENT)) p.flush();
    if (x.messages && !x.op->finished()) p.finish(x, s.q().patience);
    p.flush();
}

// The outcomes of cancelled sends are true: what is DONE is there, what is UNSENT is not.
void send_cancel(stage& s) {
    consumer* c = s.round_trips() && s.q().consumer_first ? &s.open_consumer() : nullptr;
    publisher& p = s.open_publisher();
    const std::size_t many = p.promises_to(MQB_CONCURRENT) || p.promises_to(MQB_ORDERED_RETRY) ? 3 : 1;
    int pending = 0;
    std::set<std::string> done, unsent;
    for (int i = 0; i < 20; ++i) {
        std::vector<std::pair<sending, std::vector<letter>>> flying;
        for (std::size_t k = 0; k < many; ++k) {
            auto letters = letters_of(s, 4);
            flying.emplace_back(p.start_send(letters), letters);
        }
        if (i % 2) std::this_thread::sleep_for(std::chrono::microseconds(250 * i));
        const auto begin = std::chrono::steady_clock::now();
        for (auto& [x, letters] : flying) {
            if (!x.op->was_pending()) continue;
            ++pending;
            p.cancel(x.op->id());
            p.cancel(x.op->id());
        }
        for (auto& [x, letters] : flying) {
            const auto out = p.finish(x, s.q().patience);
            for (std::size_t k = 0; k < out.size(); ++k) {
                if (out[k].result == MQB_DONE) done.insert(*letters[k].payload);
                if (out[k].result == MQB_UNSENT) unsent.insert(*letters[k].payload);
            }
        }
        const auto took = std::chrono::steady_clock::now() - begin;
        if (took > 1s) warn("a cancelled send needed " + std::to_string(took / 1ms) + " ms to end");
    }
    if (!pending) skip("no send was pending, so that nothing could be cancelled");
    if (!s.round_trips() || s.q().sends_wait_for_consumer) return;
    p.flush();
    if (!c) c = &s.open_consumer();
    auto got = c->collect(done.size(), s.q().patience);
    for (const batch& more : c->collect(1, s.q().quiet)) got.push_back(more);
    std::set<std::string> came;
    for (const std::string& payload : payloads_of(got)) {
        require(!unsent.count(payload), rules::send_cancelled, "\"" + payload.substr(0, 60) + "\" arrived, and its outcome was UNSENT");
        came.insert(payload);
    }
    for (const std::string& payload : done)
        require(came.count(payload), rules::send_cancelled, "\"" + payload.substr(0, 60) + "\" did not arrive, and its outcome was DONE");
    for (batch& b : got) c->settle_all(b);
}

void send_concurrent(stage& s) {
    const taker all(s);
    publisher& p = s.open_publisher();
    if (!p.promises_to(MQB_CONCURRENT) && !p.promises_to(MQB_ORDERED_RETRY)) skip("CONCURRENT is not promised");
    std::vector<sending> flying;
    for (int i = 0; i < 8; ++i) flying.push_back(p.start_send(letters_of(s, 3)));
    for (sending& x : flying) {
        const auto out = p.finish(x, s.q().patience * 2);
        for (const mqb_outcome& o : out)
            require(o.result == MQB_DONE || o.result == MQB_AGAIN || o.result == MQB_UNSENT, rules::send,
                    "a concurrent send gave outcome " + std::to_string(o.result) + ": " + x.op->why());
    }
    p.flush();
}

void send_then_free(stage& s) {
    for (int i = 0; i < 10; ++i) {
        publisher& p = s.open_publisher();
        std::vector<sending> flying;
        const int many = p.promises_to(MQB_CONCURRENT) ? 3 : 1;
        for (int k = 0; k < many; ++k) flying.push_back(p.start_send(letters_of(s, 3)));
        if (i % 2) std::this_thread::sleep_for(std::chrono::microseconds(i * 100));
        p.close();  // cancel, completions, free
        for (sending& x : flying) x.messages->take_back("send");
    }
    std::this_thread::sleep_for(s.q().quiet);
}

void owners_balanced(stage& s) {
    auto all = std::make_unique<taker>(s);
    const auto letters = letters_of(s, 10);
    if (s.round_trips() && s.q().consumer_first) s.open_consumer();
    publisher& p = s.open_publisher();
    p.deliver(letters);
    p.flush();
    if (s.round_trips() && !s.q().sends_wait_for_consumer) {
        consumer& c = s.open_consumer();
        auto got = c.collect(letters.size(), s.q().patience);
        for (batch& b : got) {
            c.settle_all(b);
            c.free_batch(b);
        }
    }
    all.reset();
    s.finish();
    // A client library may let go a moment later.
    for (int wait = 0; wait < 100 && kit_owner::all_held() > 0; ++wait) std::this_thread::sleep_for(10ms);
    require(kit_owner::all_held() == 0, rules::counted,
            std::to_string(kit_owner::all_held()) + " counts of payload owners were never released");
}

void responds(stage& s) {
    const taker all(s);
    publisher& p = s.open_publisher();
    if (!p.promises_to(MQB_RESPONDS)) skip("RESPONDS is not promised");
    letter l = s.next_letter();
    if (!s.q().reply_to.empty()) l.payload = s.q().reply_to;
    sending x = p.start_send({l});
    const auto out = p.finish(x, s.q().patience * 2);
    if (out[0].result != MQB_DONE) skip("the message was not sent: " + x.op->why());
    require(x.op->answers.size() <= 1, rules::answer,
            "a publisher gave " + std::to_string(x.op->answers.size()) + " responses for one message");
    if (!s.q().reply_to.empty())
        require(x.op->answers.size() == 1, rules::answer, "no response came for the payload of the quirk reply_to");
}

}  // namespace mqb::conformance::cases
