// Cases of the settle units PREFIX and BATCH, and of replies.
#include "redelivering.hpp"

namespace mqb::conformance::cases {

void settle_prefix(stage& s) {
    consumer& c = acknowledging(s, 6);
    if (c.promises().settle_unit != MQB_UNIT_PREFIX) skip("the settle unit is not PREFIX");
    must_redeliver(s, c);
    auto got = c.collect(6, s.q().patience, 3);
    if (got.size() < 2 || got[0].size() < 2) skip("two batches are needed, and " + std::to_string(got.size()) + " came");
    // A batch may take several calls; what is freed unsettled behind them kills its lane.
    const auto first = c.settle(got[0], {{0}});
    require(first[0].result == MQB_SETTLE_OK, rules::settle_outcome,
            "the first of a lane had the outcome " + std::to_string(first[0].result));
    std::multiset<std::string> left = as_set(got);
    left.erase(left.find(got[0].messages[0].what.payload.value_or("")));
    std::set<std::uint64_t> dead;
    for (std::size_t i = 1; i < got[0].size(); ++i) dead.insert(got[0].messages[i].what.lane);
    c.free_batch(got[0]);
    for (std::size_t k = 1; k < got.size(); ++k) {
        for (std::uint32_t i = 0; i < got[k].size(); ++i) {
            if (!dead.count(got[k].messages[i].what.lane)) continue;
            const auto out = c.settle(got[k], {{i}});
            require(out[0].result == MQB_SETTLE_GONE, rules::free_batch_prefix,
                    "a settle of a lane that is dead had the outcome " + std::to_string(out[0].result));
        }
        c.free_batch(got[k]);
    }
    auto again = c.collect(left.size(), s.q().quiet * 3);
    for (batch& b : again) {
        for (const received& m : b.messages)
            require(!dead.count(m.what.lane), rules::lane, "lane " + std::to_string(m.what.lane) + " was used again after it was dead");
        c.settle_all(b);
        c.free_batch(b);
    }
    consumer& next = s.reopen(c);
    for (batch& b : next.collect(left.size() - std::min(left.size(), count_of(again)), s.q().patience)) again.push_back(b);
    for (batch& b : next.collect(1, s.q().quiet)) again.push_back(b);
    const std::string wrong = difference(left, as_set(again));
    require(wrong.empty(), rules::free_batch, wrong);
}

void settle_batch(stage& s) {
    consumer& c = acknowledging(s, 4);
    if (c.promises().settle_unit != MQB_UNIT_BATCH) skip("the settle unit is not BATCH");
    must_redeliver(s, c);
    auto got = got_from(s, c, 4);
    for (batch& b : got) {  // one call, one outcome, which settle checks
        c.settle_all(b);
        c.free_batch(b);
    }
    s.fed.clear();
    s.feed(4);
    const std::multiset<std::string> want(s.fed.begin(), s.fed.end());
    got = got_from(s, c, 4);
    for (batch& b : got) c.free_batch(b);
    consumer& next = s.reopen(c);
    auto again = next.collect(want.size(), s.q().patience);
    for (batch& b : next.collect(1, s.q().quiet)) again.push_back(b);
    const std::string wrong = difference(want, as_set(again));
    require(wrong.empty(), rules::settle_batch, wrong);
    for (batch& b : again) next.settle_all(b);
}

// A reply is seen where the publisher side of the plugin asks, and passes on what the consumer side answers.
void reply(stage& s) {
    consumer& c = acknowledging(s, 0);
    if (!c.declares(MQB_REPLY)) skip("REPLY is not declared");
    if (!s.round_trips()) skip("the kit cannot put a request to the source");
    publisher& p = s.open_publisher();
    if (!p.promises_to(MQB_RESPONDS)) skip("RESPONDS is not promised: nobody sees the reply");
    const letter asked = s.next_letter();
    sending x = p.start_send({asked});
    auto b = c.receive(s.q().patience);
    require(b && b->size() == 1, rules::receive, "the request did not come");
    c.settle_all(*b, MQB_REPLY);
    c.free_batch(*b);
    const auto out = p.finish(x, s.q().patience);
    require(out[0].result == MQB_DONE, rules::reply, "the request was answered and is not DONE: " + x.op->why());
    require(x.op->answers.size() == 1, rules::reply, std::to_string(x.op->answers.size()) + " responses came for one reply");
    require(x.op->answers[0].text == reply_text, rules::reply,
            "the response is \"" + x.op->answers[0].text.substr(0, 60) + "\", not the reply");
}

}  // namespace mqb::conformance::cases
