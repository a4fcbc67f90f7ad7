// The failure policy: what becomes of messages that can never be delivered.
#include "core/ledger_policy_test.hpp"

#include <doctest/doctest.h>

using namespace mqb::core;

namespace {

using bench = policy_bench;
using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a rejected message is buried first and acknowledged then, whatever the source's unit") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
        bench b{unit};
        void* batch = b.receive({1, 1, 1});
        b.settle(batch, {0, 2});
        CHECK(b.settle(batch, {1}, disposition::reject, "no such column") == "o");
        CHECK(b.store.texts == texts{"orders refused input no such column 1 1"});
        b.book->free_batch(batch);
        CHECK(b.leaf->freed.empty());
        CHECK(b.book->unrecorded() >= 1);
        CHECK_FALSE(b.book->is_at_rest());
        b.store.answer(0, status::ok);
        CHECK(b.counts() == totals{2, 0, 0, 0});
        CHECK(b.counters.totals().dead_lettered == 1);
        CHECK(b.leaf->freed == std::vector{1});
        CHECK(b.book->is_at_rest());
        CHECK(b.listener.said.empty());
    }
}

TEST_CASE("what the sending side knows about a failure is in the dead letter, summed over all presentations") {
    bench b{settle_unit::message};
    void* batch = b.receive({1});
    failure_note first;
    first.endpoint = "output";
    first.error = "busy";
    first.attempts = 3;
    first.may_have_arrived = true;
    b.book->note(b.upper.messages[0], first);
    b.settle(batch, {0}, disposition::nack);
    b.until_retry();
    REQUIRE(b.book->receive(b.upper) == status::ok);
    failure_note second;
    second.endpoint = "output";
    second.error = "too long";
    second.attempts = 2;
    b.book->note(b.upper.messages[0], second);
    b.settle(b.upper.batch, {0}, disposition::reject);
    CHECK(b.store.texts == texts{"orders refused output too long 5 uncertain 1"});
}

TEST_CASE("max_deliveries: presentations are counted, those that were not tried are not, and then the message is dead") {
    bench b{settle_unit::prefix};
    b.policy.max_deliveries = 3;
    b.book->set_policy(b.policy);
    void* batch = b.receive({4});
    for (int tries = 1; tries <= 2; ++tries) {
        b.settle(batch, {0}, disposition::nack, "busy");
        b.book->free_batch(batch);
        b.until_retry();
        REQUIRE(b.book->receive(b.upper) == status::ok);
        batch = b.upper.batch;
        if (tries == 1) {
            b.book->note(b.upper.messages[0], {});  // no attempts: it was not tried
            b.settle(batch, {0}, disposition::nack);
            b.book->free_batch(batch);
            b.until_retry();
            REQUIRE(b.book->receive(b.upper) == status::ok);
            batch = b.upper.batch;
        }
    }
    CHECK(b.store.calls.empty());
    b.settle(batch, {0}, disposition::nack, "busy still");
    CHECK(b.store.texts == texts{"orders max_deliveries input busy still 3 4"});
    b.store.answer(0, status::ok);
    b.book->free_batch(batch);
    CHECK(b.counters.totals().dead_lettered == 1);
    CHECK(b.counts() == totals{0, 0, 0, 0});
}

TEST_CASE(
    "dead letters that cannot be written: the source gets the message back if it takes it, else it is presented again; the route is told") {
    bench takes{settle_unit::message, bit(disposition::ack) | bit(disposition::nack)};
    takes.store.at_once = status::retry;
    void* batch = takes.receive({1});
    takes.settle(batch, {0}, disposition::reject, "bad");
    CHECK(takes.leaf->settles.at(0).text == "0n");
    CHECK(takes.counters.totals().nacked == 1);
    CHECK(takes.listener.said == texts{"stop: the dead letters cannot be written: no space"});

    bench keeps{settle_unit::prefix};
    keeps.store.at_once = status::retry;
    batch = keeps.receive({1});
    keeps.settle(batch, {0}, disposition::reject, "bad");
    keeps.book->free_batch(batch);
    CHECK(keeps.leaf->settles.empty());
    CHECK(keeps.counts() == totals{0, 0, 0, 1});
    CHECK(keeps.listener.said.size() == 1);
    keeps.until_retry();
    REQUIRE(keeps.book->receive(keeps.upper) == status::ok);
    keeps.store.at_once = status::ok;
    keeps.settle(keeps.upper.batch, {0}, disposition::reject, "bad");
    keeps.book->free_batch(keeps.upper.batch);
    CHECK(keeps.counters.totals().dead_lettered == 1);
    CHECK(keeps.counts() == totals{0, 0, 0, 0});
}

TEST_CASE("on_error: stop leaves the message where it is; reject gives it to a source that takes it") {
    bench stops{settle_unit::prefix};
    stops.change(error_policy::stop);
    void* batch = stops.receive({1, 1});
    stops.settle(batch, {0}, disposition::reject, "bad");
    CHECK(stops.listener.said == texts{"undeliverable: input: refused a message: bad"});
    CHECK(stops.store.calls.empty());
    stops.settle(batch, {1});
    stops.book->free_batch(batch);
    stops.book->stop_presenting();
    stops.book->return_waiting();
    CHECK(stops.counts() == totals{0, 0, 2, 0});
    CHECK(stops.leaf->freed == std::vector{1});

    bench rejects{settle_unit::message, bit(disposition::ack) | bit(disposition::reject)};
    rejects.change(error_policy::reject);
    batch = rejects.receive({1});
    rejects.settle(batch, {0}, disposition::reject, "bad");
    CHECK(rejects.leaf->settles.at(0).text == "0j");
    CHECK(rejects.counters.totals().rejected == 1);

    bench nowhere{settle_unit::message};
    nowhere.policy.store = nullptr;
    nowhere.book->set_policy(nowhere.policy);
    batch = nowhere.receive({1});
    nowhere.settle(batch, {0}, disposition::reject, "bad");
    CHECK(nowhere.listener.said == texts{"undeliverable: input: refused a message: bad"});
}

TEST_CASE("many dead letters of one settle are buried in parts, and those that have no room come again") {
    bench b{settle_unit::message};
    b.book->set_policy(b.policy);
    void* batch = b.receive(std::vector<std::uint64_t>(300, 1));
    std::vector<std::uint32_t> all(300);
    for (std::uint32_t i = 0; i < 300; ++i) all[i] = i;
    b.settle(batch, all, disposition::reject, "bad");
    REQUIRE(b.store.calls.size() == 3);
    CHECK(b.store.calls[0]->letters.size() == 128);
    CHECK(b.store.calls[1]->letters.size() == 128);
    CHECK(b.store.calls[2]->letters.size() == 44);
    b.store.answer(0, status::ok);
    b.store.answer(1, status::retry, "no room");
    b.store.answer(2, status::ok);
    b.box.deliver_all();
    CHECK(b.listener.said == texts{"stop: the dead letters cannot be written: no room"});
    CHECK(b.counters.totals().dead_lettered == 172);
    CHECK(b.counts() == totals{0, 0, 0, 128});
}

TEST_CASE("so many dead letters in a row stop the route; one delivered message starts the count anew") {
    bench b{settle_unit::message};
    b.policy.stop_after = 3;
    b.book->set_policy(b.policy);
    b.store.at_once = status::ok;
    void* batch = b.receive({1, 1, 1, 1, 1, 1});
    b.settle(batch, {0, 1}, disposition::reject, "bad");
    b.settle(batch, {2});
    b.settle(batch, {3, 4}, disposition::reject, "bad");
    CHECK(b.listener.said.empty());
    b.settle(batch, {5}, disposition::reject, "bad");
    CHECK(b.listener.said == texts{"stop: 3 messages in a row were dead-lettered"});
    CHECK(b.store.calls.size() == 3);
    b.book->resume();
    batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 1}, disposition::reject, "bad");
    CHECK(b.listener.said.size() == 1);
}

TEST_CASE("unit prefix: a message that is buried while its lane ends is returned, and comes again") {
    bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1});
    b.settle(batch, {0}, disposition::reject, "bad");
    const std::uint64_t lane = 1;
    b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
    CHECK(b.leaf->done_tokens.empty());
    b.leaf->sink->on_lanes_ended(7);
    b.store.answer(0, status::ok);
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{0, 0, 2, 0});
    CHECK(b.counters.totals().dead_lettered == 0);
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.book->is_at_rest());
}

TEST_CASE("a burial can be cancelled; its messages are not lost") {
    bench b{settle_unit::prefix};
    void* batch = b.receive({1});
    b.settle(batch, {0}, disposition::reject, "bad");
    b.book->stop_presenting();
    b.book->cancel_burials();
    CHECK(b.store.cancelled.size() == 1);
    b.store.answer(0, status::cancelled);
    b.book->free_batch(batch);
    b.book->return_waiting();
    CHECK(b.listener.said.empty());
    CHECK(b.counts() == totals{0, 0, 1, 0});
}

TEST_CASE("a record that the source could not make a message of is buried, and only its neighbours are given on") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
        bench b{unit};
        const text_edit error{"mqb.error", "row 7 has 3 cells where 4 are wanted"};
        const counted_block block = edited({}, {&error, 1});
        b.book->receive(b.upper);
        auto& messages = b.arrays.emplace_back(3);
        for (message& m : messages) m.lane = 1;
        messages[1].metadata = block.get();
        receive_call& c = *b.leaf->receiving;
        c.messages = message_list{std::span<const message>{messages}};
        c.batch = &b.numbers.emplace_back(1);
        c.done(c, status::ok);
        REQUIRE(b.upper.messages.count == 2);
        CHECK(b.store.texts == texts{"orders refused input row 7 has 3 cells where 4 are wanted 1 1"});
        b.store.answer(0, status::ok);
        CHECK(b.settle(b.upper.batch, {0, 1}) == "oo");
        b.book->free_batch(b.upper.batch);
        CHECK(b.counts() == totals{2, 0, 0, 0});
        CHECK(b.counters.totals().dead_lettered == 1);
        CHECK(b.leaf->freed == std::vector{1});
        CHECK(b.book->is_empty());
    }
}

TEST_CASE("a batch of nothing but broken records is nothing now; the next receive asks the source again") {
    bench b{settle_unit::prefix};
    b.store.at_once = status::ok;
    const text_edit error{"mqb.error", "cut"};
    const counted_block block = edited({}, {&error, 1});
    b.book->receive(b.upper);
    auto& messages = b.arrays.emplace_back(2);
    for (message& m : messages) m.metadata = block.get();
    receive_call& c = *b.leaf->receiving;
    c.messages = message_list{std::span<const message>{messages}};
    c.batch = &b.numbers.emplace_back(1);
    c.done(c, status::ok);
    CHECK(b.upper.answers.back() == status::ok);
    CHECK(b.upper.batch == nullptr);
    CHECK(b.counters.totals().dead_lettered == 2);
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.book->receive(b.upper) == status::pending);
    CHECK(b.leaf->asked.size() == 2);
}

TEST_CASE("on_error: stop says that a record cannot be read") {
    bench b{settle_unit::prefix};
    b.change(error_policy::stop);
    const text_edit error{"mqb.error", "cut"};
    const counted_block block = edited({}, {&error, 1});
    b.book->receive(b.upper);
    auto& messages = b.arrays.emplace_back(1);
    messages[0].metadata = block.get();
    receive_call& c = *b.leaf->receiving;
    c.messages = message_list{std::span<const message>{messages}};
    c.batch = &b.numbers.emplace_back(1);
    c.done(c, status::ok);
    CHECK(b.listener.said == texts{"undeliverable: input: a record cannot be read: cut"});
    b.book->stop_presenting();
    b.book->return_waiting();
    CHECK(b.counts() == totals{0, 0, 1, 0});
}
