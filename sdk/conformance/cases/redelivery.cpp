// Cases of what comes again.
#include "redelivering.hpp"

namespace mqb::conformance::cases {

void free_unsettled(stage& s) {
    const std::uint32_t n = std::min<std::uint32_t>(5, s.q().feed);
    consumer& c = acknowledging(s, n);
    must_redeliver(s, c);
    auto got = got_from(s, c, n);
    const auto want = as_set(got);
    for (batch& b : got) c.free_batch(b);
    consumer& next = s.reopen(c);
    auto again = next.collect(want.size(), s.q().patience);
    for (const batch& more : next.collect(1, s.q().quiet)) again.push_back(more);
    const std::string wrong = difference(want, as_set(again));
    require(wrong.empty(), rules::free_batch,
            wrong + " (" + std::to_string(count_of(again)) + " of " + std::to_string(want.size()) + " came again)");
    for (batch& b : again) next.settle_all(b);
    for (batch& b : again) next.free_batch(b);
    consumer& last = s.reopen(next);
    require(last.collect(1, s.q().quiet).empty(), rules::settle, "a message came again after it had been settled");
}

void free_lanes(stage& s) {
    const std::uint32_t n = std::min<std::uint32_t>(8, s.q().feed);
    if (!s.can_feed()) skip("the kit cannot put anything to the source");
    consumer& c = acknowledging(s, 0);
    must_redeliver(s, c);
    feed_two_lanes(s, n);
    auto got = c.collect(n, s.q().patience);
    std::set<std::uint64_t> lanes;
    const batch* wide = nullptr;
    for (const batch& b : got) {
        std::set<std::uint64_t> here;
        for (const received& m : b.messages) here.insert(m.what.lane);
        lanes.insert(here.begin(), here.end());
        if (here.size() > 1) wide = &b;
    }
    if (!wide) skip("no batch with two lanes came (" + std::to_string(lanes.size()) + " lanes in all)");
    const auto want = as_set(got);
    for (batch& b : got) c.free_batch(b);
    consumer& next = s.reopen(c);
    auto again = next.collect(want.size(), s.q().patience);
    for (const batch& more : next.collect(1, s.q().quiet)) again.push_back(more);
    const std::string wrong = difference(want, as_set(again));
    require(wrong.empty(), rules::free_batch_lanes, wrong);
    for (batch& b : again) next.settle_all(b);
}

void stable_identity(stage& s) {
    consumer& c = acknowledging(s, 3);
    if (!c.promises_to(MQB_STABLE_IDENTITY)) skip("STABLE_IDENTITY is not promised");
    must_redeliver(s, c);
    std::map<std::string, std::string> ids;
    auto got = got_from(s, c, 3);
    for (batch& b : got) {
        for (const received& m : b.messages) {
            require(m.what.id != std::string(16, '\0'), rules::promised, "STABLE_IDENTITY is promised, and a message has no id");
            ids[m.what.payload.value_or("")] = m.what.id;
        }
        c.free_batch(b);
    }
    consumer& next = s.reopen(c);
    auto again = next.collect(ids.size(), s.q().patience);
    require(!again.empty(), rules::free_batch, "nothing came again");
    for (batch& b : again) {
        for (const received& m : b.messages)
            require(m.what.id == ids[m.what.payload.value_or("")], rules::promised, "a message that came again has another id");
        next.settle_all(b);
    }
}

void max_unsettled(stage& s) {
    consumer& c = acknowledging(s, s.q().feed);
    const std::uint32_t messages = c.promises().max_unsettled_messages, batches = c.promises().max_unsettled_batches;
    if (!messages && !batches) skip("max_unsettled is not limited");
    // A host asks for no more than is left: up to there everything works, and after a settle it goes on.
    std::vector<batch> out;
    std::size_t got = 0;
    for (int i = 0; i < 1000 && got < s.fed.size(); ++i) {
        const std::size_t left = messages ? messages - count_of(out) : 1000;
        if (left == 0 || (batches && out.size() >= batches)) {
            for (batch& b : out) c.settle_all(b), c.free_batch(b);
            out.clear();
            continue;
        }
        auto b = c.receive(s.q().patience, static_cast<std::uint32_t>(std::min<std::size_t>(left, 4)));
        if (!b) break;
        got += b->size();
        out.push_back(*b);
    }
    require(got >= s.fed.size(), rules::promised,
            "only " + std::to_string(got) + " of " + std::to_string(s.fed.size()) + " messages came within max_unsettled");
    for (batch& b : out) c.settle_all(b);
}

}  // namespace mqb::conformance::cases
