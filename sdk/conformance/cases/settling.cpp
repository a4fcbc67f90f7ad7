// Cases of settle.
#include "redelivering.hpp"

namespace mqb::conformance::cases {

void settle_dispositions(stage& s) {
    std::uint32_t declared = 0;
    {
        consumer& c = acknowledging(s, 1);
        declared = c.promises().dispositions;
        for (batch& b : got_from(s, c, 1)) {
            c.settle_all(b);
            c.free_batch(b);
        }
        if (!s.can_feed()) skip("only ACK was tried: the kit cannot put anything to the source");
        c.close();
    }
    require(declared != 0, rules::promised, "there is a settle and no declared disposition");
    if (declared >> (MQB_RELEASED + 1)) warn("dispositions that this kit does not know are declared");
    for (std::int32_t d : {MQB_ACK, MQB_REJECT, MQB_RELEASED, MQB_REPLY, MQB_NACK}) {
        if (!(declared & MQB_BIT(d))) continue;
        consumer& c = s.source_with(2);
        auto got = c.collect(1, s.q().patience);
        require(!got.empty(), rules::receive, "no message came for disposition " + std::to_string(d));
        for (batch& b : got) {
            if (d == MQB_REPLY && c.promises().settle_unit == MQB_UNIT_PREFIX)
                c.settle(b, {{0, MQB_REPLY_MORE}}), c.settle_all(b);
            else
                c.settle_all(b, d);
            c.free_batch(b);
        }
        c.close();
    }
}

void settle_parts(stage& s) {
    const std::uint32_t n = std::min<std::uint32_t>(6, s.q().feed);
    consumer& c = acknowledging(s, n);
    must_redeliver(s, c);
    if (c.promises().settle_unit == MQB_UNIT_BATCH) skip("a BATCH consumer settles no parts");
    auto got = got_from(s, c, n);
    std::multiset<std::string> rest;
    for (batch& b : got) {
        // MESSAGE: every second one, backwards. PREFIX: the first half.
        std::vector<wanted> some;
        const bool prefix = c.promises().settle_unit == MQB_UNIT_PREFIX;
        for (std::uint32_t i = 0; i < b.size(); ++i) {
            const bool settled = prefix ? i < b.size() / 2 : i % 2 == 0;
            if (settled)
                some.push_back({i});
            else
                rest.insert(b.messages[i].what.payload.value_or(""));
        }
        if (!prefix) std::reverse(some.begin(), some.end());
        if (!some.empty()) {
            const auto out = c.settle(b, some);
            for (std::size_t i = 0; i < out.size(); ++i)
                if (out[i].result != MQB_SETTLE_OK)
                    fail(rules::settle_outcome,
                         "settle left entry " + std::to_string(i) + " with outcome " + std::to_string(out[i].result));
        }
    }
    for (auto it = got.rbegin(); it != got.rend(); ++it) c.free_batch(*it);
    consumer& next = s.reopen(c);
    auto again = next.collect(rest.size(), s.q().patience);
    for (const batch& more : next.collect(1, s.q().quiet)) again.push_back(more);
    for (batch& b : again) next.settle_all(b);
    const std::string wrong = difference(rest, as_set(again));
    require(wrong.empty(), rules::free_batch, wrong);
}

void settle_beside_receive(stage& s) {
    consumer& c = acknowledging(s, 2);
    auto got = got_from(s, c, 2);
    operation& op = c.start_receive();
    for (batch& b : got) {
        c.settle_all(b);
        c.free_batch(b);
    }
    if (!op.finished()) c.cancel(op.id());
    op.answer(s.q().patience);
    c.take(op);
    if (!op.was_pending()) warn("the receive was not pending");
}

void nack_delay(stage& s) {
    consumer& c = acknowledging(s, 1);
    if (!c.declares(MQB_NACK)) skip("NACK is not declared");
    if (!s.can_feed()) skip("the kit cannot put anything to the source");
    auto got = got_from(s, c, 1);
    constexpr auto delay = 200ms;
    const auto begin = std::chrono::steady_clock::now();
    const auto out = c.settle(got[0], {{0, MQB_NACK, static_cast<std::uint64_t>(delay / 1ns)}});
    require(out[0].result == MQB_SETTLE_OK, rules::settle_outcome, "NACK got the outcome " + std::to_string(out[0].result));
    c.free_batch(got[0]);
    auto again = c.receive(s.q().patience);
    require(again.has_value(), rules::nack, "the message did not come again");
    const auto took = std::chrono::steady_clock::now() - begin;
    require(took >= delay - 5ms, rules::nack, "it came after " + std::to_string(took / 1ms) + " ms, with a delay of 200 ms");
    require(again->messages[0].what.payload == got[0].messages[0].what.payload, rules::settle, "another message came");
    if (again->messages[0].what.delivery_count == 1) warn("delivery_count is 1 for a message that came again");
    c.settle_all(*again);
    c.free_batch(*again);
    require(c.collect(1, s.q().quiet).empty(), rules::nack, "one NACK delivered the message more than once");
    // Without a delay, beside a message that is acknowledged.
    if (s.q().feed < 2) return;
    s.fed.clear();
    s.feed(2);
    auto two = c.collect(2, s.q().patience);
    require(count_of(two) == 2, rules::receive, std::to_string(count_of(two)) + " of 2 messages came");
    std::string back;
    for (batch& b : two) {
        for (std::uint32_t i = 0; i < b.size(); ++i) {
            const bool first = back.empty();
            if (first) back = b.messages[i].what.payload.value_or("");
            const auto one = c.settle(b, {{i, first ? MQB_NACK : MQB_ACK}});
            require(one[0].result == MQB_SETTLE_OK, rules::settle_outcome, "settle had the outcome " + std::to_string(one[0].result));
        }
        c.free_batch(b);
    }
    auto only = c.collect(1, s.q().patience);
    for (const batch& more : c.collect(1, s.q().quiet)) only.push_back(more);
    require(payloads_of(only) == std::vector<std::string>{back}, rules::nack,
            std::to_string(count_of(only)) + " messages came for one NACK beside one ACK");
    for (batch& b : only) c.settle_all(b);
}

void reply_more(stage& s) {
    consumer& c = acknowledging(s, 2);
    if (!c.declares(MQB_REPLY_MORE)) skip("REPLY_MORE is not declared");
    for (batch& b : got_from(s, c, 2)) {
        settling more = c.start_settle(b, {{0, MQB_REPLY_MORE}, {0, MQB_REPLY_MORE}});
        c.settle_all(b);
        more.op->answer(s.q().patience);
        for (const mqb_outcome& o : more.result())
            require(o.result != MQB_SETTLE_RETRY || more.op->status() != MQB_OK, rules::settle_outcome, "a REPLY_MORE has no outcome");
        c.free_batch(b);
    }
}

}  // namespace mqb::conformance::cases
