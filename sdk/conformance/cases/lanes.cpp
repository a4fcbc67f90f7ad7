// Cases of lanes that are taken away while messages of them are out.
#include "redelivering.hpp"

namespace mqb::conformance::cases {
namespace {

// A consumer of whose lanes some are ending, with messages of them unsettled.
struct revoked {
    consumer& c;
    std::vector<batch> got;
    seen_event ending;

    bool is_ending(std::uint64_t lane) const { return std::ranges::find(ending.lanes, lane) != ending.lanes.end(); }
    std::optional<seen_event> ended(std::chrono::milliseconds patience) const {
        return c.host().wait_for_event(MQB_LANES_ENDED, patience, ending.number);
    }
    // Messages of these lanes were given before LANES_ENDING only, and none ever after they are over.
    void require_quiet_lanes() const {
        for (const batch& b : got)
            for (const received& m : b.messages) {
                if (!is_ending(m.what.lane) || b.given_at < ending.moment) continue;
                const auto over = ended(0ms);
                if (over && over->moment < b.given_at)
                    fail(rules::lane, "lane " + std::to_string(m.what.lane) + " was used again after LANES_ENDED");
                fail(rules::lanes_ending, "receive gave a message of lane " + std::to_string(m.what.lane) + " after LANES_ENDING");
            }
    }
    // Settles what is not settled yet, and frees it.
    void settle_from(std::size_t first) {
        for (std::size_t i = first; i < got.size(); ++i) {
            c.settle_all(got[i]);
            c.free_batch(got[i]);
        }
    }
    // What comes from now on.
    void collect(stage& s, std::size_t n) {
        for (batch& b : c.collect(n, s.q().quiet * 3, 4)) got.push_back(std::move(b));
        require_quiet_lanes();
    }
};

revoked revoke(stage& s) {
    s.how_to("revocation");
    if (!s.can_feed()) skip("the kit cannot put anything to the source");
    consumer& c = acknowledging(s, 0);
    must_redeliver(s, c);
    const std::uint32_t most = c.promises().max_unsettled_messages, batches = c.promises().max_unsettled_batches;
    const std::uint32_t n = std::min<std::uint32_t>(most ? most : 8, 8);
    feed_two_lanes(s, n);
    revoked r{c, c.collect(n, s.q().patience, n), {}};
    require(count_of(r.got) == n, rules::receive, std::to_string(count_of(r.got)) + " of " + std::to_string(n) + " messages came");
    // A host always asks for more, and messages go on arriving.
    const bool room = (!most || most >= n + 4) && (!batches || r.got.size() < batches);
    operation* waiting = room ? &c.start_receive(4) : nullptr;
    s.provoke(c, "revocation");
    feed_two_lanes(s, 4);
    const auto ending = c.host().wait_for_event(MQB_LANES_ENDING, s.q().patience);
    require(ending.has_value(), rules::lanes_ending, "the revocation was provoked, and LANES_ENDING did not come");
    r.ending = *ending;
    if (waiting) {
        if (!waiting->wait(s.q().quiet)) c.cancel(waiting->id());
        waiting->answer(s.q().patience);
        if (auto b = c.take(*waiting)) r.got.push_back(std::move(*b));
    }
    r.require_quiet_lanes();
    return r;
}
std::chrono::milliseconds left_until(std::uint64_t deadline_ns) {
    const std::uint64_t now = steady_now();
    return std::chrono::milliseconds(deadline_ns > now ? (deadline_ns - now) / 1000000 + 1 : 0);
}

}  // namespace

void lanes_ending(stage& s) {
    revoked r = revoke(s);
    consumer& c = r.c;
    try {
        r.settle_from(0);  // served as before
    } catch (const failure&) {
        if (r.ended(0ms)) skip("the deadline passed while messages were settled: provoke it with a later one");
        throw;
    }
    c.lanes_done(0x77777777);  // ignored
    require(!r.ended(0ms) || steady_now() >= r.ending.deadline_ns, rules::lanes_done,
            "LANES_ENDED came with the wrong token of lanes_done");
    c.lanes_done(static_cast<std::uint64_t>(r.ending.number));
    require(r.ended(left_until(r.ending.deadline_ns) + s.q().patience).has_value(), rules::lanes_served,
            "all messages had their outcome and the deadline passed, and LANES_ENDED did not come");
    feed_two_lanes(s, 2);
    std::size_t settled = r.got.size();
    r.collect(s, s.fed.size() - count_of(r.got));
    r.settle_from(settled);
    int times = 0;
    for (const seen_event& e : c.host().events()) times += e.kind == MQB_LANES_ENDED && e.number == r.ending.number;
    require(times == 1, rules::lanes_served, "LANES_ENDED came " + std::to_string(times) + " times for one token");
    if (count_of(r.got) < s.fed.size()) {  // the next owner has the rest
        consumer& next = s.reopen(c);
        for (batch& b : next.collect(s.fed.size() - count_of(r.got), s.q().patience)) {
            next.settle_all(b);
            r.got.push_back(std::move(b));
        }
    }
    s.require_exactly_fed(r.got, rules::receive);
}

void lanes_deadline(stage& s) {
    revoked r = revoke(s);
    consumer& c = r.c;
    const auto over = r.ended(left_until(r.ending.deadline_ns) + s.q().patience);
    require(over.has_value(), rules::lanes_served, "the deadline passed, and LANES_ENDED did not come");
    require(over->at_ns >= r.ending.deadline_ns, rules::lanes_served,
            "LANES_ENDED came " + std::to_string((r.ending.deadline_ns - over->at_ns) / 1000000) + " ms before the deadline");
    std::multiset<std::string> left(s.fed.begin(), s.fed.end());
    for (batch& b : r.got) {
        std::vector<wanted> all;
        for (std::uint32_t i = 0; i < b.size(); ++i) all.push_back({i});
        const auto out = c.settle(b, all);
        for (std::uint32_t i = 0; i < b.size(); ++i) {
            const received& m = b.messages[i];
            if (r.is_ending(m.what.lane) && c.promises().settle_unit != MQB_UNIT_BATCH)
                require(out[i].result == MQB_SETTLE_GONE, rules::lanes_served,
                        "a settle of lane " + std::to_string(m.what.lane) + " after LANES_ENDED had the outcome " +
                            std::to_string(out[i].result));
            if (out[i].result == MQB_SETTLE_OK) left.erase(left.find(m.what.payload.value_or("")));
        }
    }
    c.lanes_done(static_cast<std::uint64_t>(r.ending.number));  // the deadline came first: ignored
    for (batch& b : r.got) c.free_batch(b);
    r.got.clear();
    r.collect(s, left.size());  // under new lanes
    r.settle_from(0);
    consumer& next = s.reopen(c);
    std::vector<batch> again = std::move(r.got);
    for (batch& b : next.collect(left.size() - std::min(left.size(), count_of(again)), s.q().patience)) again.push_back(b);
    for (batch& b : next.collect(1, s.q().quiet)) again.push_back(b);
    const std::string wrong = difference(left, as_set(again));
    require(wrong.empty(), rules::free_batch_lanes, wrong);
}

}  // namespace mqb::conformance::cases
