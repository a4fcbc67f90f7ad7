// Presentation from memory: what comes back from above is given again, in order, after growing pauses.
#include "core/ledger_leaf_test.hpp"

#include <doctest/doctest.h>

using namespace mqb::core;

namespace {

constexpr std::uint64_t ms = 1'000'000;

std::vector<std::uint64_t> lanes_of(const message_list& messages) {
    std::vector<std::uint64_t> out;
    for (std::uint32_t i = 0; i < messages.count; ++i) out.push_back(messages[i].lane);
    return out;
}

std::vector<std::uint32_t> deliveries_of(const message_list& messages) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < messages.count; ++i) out.push_back(messages[i].delivery_count);
    return out;
}

}  // namespace

TEST_CASE("what is nacked is presented again after a pause that doubles, with a higher delivery count; the source hears nothing of it") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
        ledger_bench b{unit, bit(disposition::ack)};
        void* batch = b.receive({7, 7, 7});
        CHECK(b.settle(batch, {0}) == "o");
        CHECK(b.settle(batch, {1}, disposition::nack) == "o");
        CHECK(b.settle(batch, {2}) == "o");
        b.book->free_batch(batch);
        CHECK(b.leaf->freed.empty());
        std::uint64_t began = b.clock.now_steady();
        for (std::uint64_t pause : {50u, 100u, 200u, 400u}) {
            CHECK_FALSE(b.book->has_due());
            b.until_retry();
            CHECK(b.clock.now_steady() - began == pause * ms);
            REQUIRE(b.book->has_due());
            CHECK(b.book->receive(b.upper) == status::ok);
            REQUIRE(b.upper.messages.count == 1);
            CHECK(b.upper.messages[0].delivery_count == 2 + (pause >= 100) + (pause >= 200) + (pause >= 400));
            CHECK_FALSE(b.book->has_due());
            batch = b.upper.batch;
            began = b.clock.now_steady();
            if (pause == 400) break;
            CHECK(b.settle(batch, {0}, disposition::nack) == "o");
            b.book->free_batch(batch);
        }
        CHECK(b.settle(batch, {0}) == "o");
        CHECK(b.settle(batch, {0}) == "o");  // once more: ignored
        CHECK(b.book->ignored() == 1);
        b.book->free_batch(batch);
        for (std::size_t n = 0; n < b.leaf->settles.size(); ++n) b.leaf->answer(n, "o");
        CHECK(b.counts() == totals{3, 0, 0, 0});
        CHECK(b.leaf->freed == std::vector{1});
        CHECK(b.book->is_empty());
    }
}

TEST_CASE("a pause has an upper bound, and a longer delay that was asked for counts") {
    ledger_bench b{settle_unit::message, bit(disposition::ack)};
    failure_policy policy;
    policy.first_pause = std::chrono::milliseconds{10};
    policy.longest_pause = std::chrono::milliseconds{30};
    b.book->set_policy(policy);
    void* batch = b.receive({1});
    for (std::uint64_t pause : {10u, 20u, 30u, 30u}) {
        const std::uint64_t began = b.clock.now_steady();
        b.settle(batch, {0}, disposition::nack);
        b.book->free_batch(batch);
        b.until_retry();
        CHECK(b.clock.now_steady() - began == pause * ms);
        REQUIRE(b.book->receive(b.upper) == status::ok);
        batch = b.upper.batch;
    }
    std::vector<settle_entry> entries(1);
    entries[0].what = disposition::nack;
    entries[0].delay_ns = 700 * ms;
    std::vector<outcome> outcomes(1);
    settle_call c;
    c.batch = batch;
    c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
    c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
    const std::uint64_t began = b.clock.now_steady();
    CHECK(b.book->settle(c) == status::ok);
    b.until_retry();
    CHECK(b.clock.now_steady() - began == 700 * ms);
}

TEST_CASE("what failed in several batches comes again in the order of receipt, within the limits of the receive") {
    ledger_bench b{settle_unit::prefix, bit(disposition::ack)};
    void* first = b.receive({1, 2, 3});
    void* second = b.receive({4, 5});
    b.settle(second, {1, 0}, disposition::nack);
    b.settle(first, {2, 0}, disposition::nack);
    b.settle(first, {1});
    b.book->free_batch(first);
    b.book->free_batch(second);
    b.until_retry();
    b.upper.max_messages = 3;
    REQUIRE(b.book->receive(b.upper) == status::ok);
    // Those that have waited longest are taken, and given in order.
    CHECK(lanes_of(b.upper.messages) == std::vector<std::uint64_t>{3, 4, 5});
    CHECK(deliveries_of(b.upper.messages) == std::vector<std::uint32_t>{2, 2, 2});
    void* again = b.upper.batch;
    REQUIRE(b.book->has_due());
    REQUIRE(b.book->receive(b.upper) == status::ok);
    CHECK(lanes_of(b.upper.messages) == std::vector<std::uint64_t>{1});
    b.leaf->at_once = true;
    b.settle(b.upper.batch, {0});
    b.book->free_batch(b.upper.batch);
    b.settle(again, {0, 1, 2});
    b.book->free_batch(again);
    for (std::size_t n = 0; n < b.leaf->settles.size(); ++n)
        if (b.leaf->settles[n].call->outcomes[0].settled() != settle_result::ok) b.leaf->answer(n, "o");
    CHECK(b.counts() == totals{5, 0, 0, 0});
    CHECK(b.leaf->freed.size() == 2);
}

TEST_CASE("a receive that waits makes way for messages that are due, and a batch that comes first is not lost") {
    ledger_bench b{settle_unit::message, bit(disposition::ack)};
    void* batch = b.receive({1});
    b.settle(batch, {0}, disposition::nack);
    CHECK(b.book->receive(b.upper) == status::pending);
    b.until_retry();
    CHECK(b.leaf->cancelled.size() == 1);
    SUBCASE("the leaf is cancelled") {
        b.leaf->receiving->done(*b.leaf->receiving, status::cancelled);
        REQUIRE(b.upper.answers.size() == 2);
        CHECK(b.upper.answers[1] == status::ok);
        CHECK(b.upper.messages[0].delivery_count == 2);
    }
    SUBCASE("the leaf had a batch") {
        void* other = b.give({9});
        REQUIRE(b.upper.answers.size() == 2);
        CHECK(lanes_of(b.upper.messages) == std::vector<std::uint64_t>{9});
        CHECK(b.book->receive(b.upper) == status::ok);
        CHECK(lanes_of(b.upper.messages) == std::vector<std::uint64_t>{1});
        CHECK(other != b.upper.batch);
    }
    SUBCASE("the lane has ended meanwhile: the leaf is asked again") {
        const std::uint64_t lane = 1;
        b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
        CHECK(b.leaf->done_tokens == std::vector<std::uint64_t>{7});
        b.leaf->receiving->done(*b.leaf->receiving, status::cancelled);
        CHECK(b.upper.answers.size() == 1);
        CHECK(b.leaf->asked.size() == 3);
        b.book->free_batch(batch);
        CHECK(b.counts() == totals{0, 0, 1, 0});
        b.give({2});
        CHECK(b.upper.answers.size() == 2);
    }
    SUBCASE("the caller cancels too: it is cancelled") {
        b.book->cancel(b.upper);
        b.leaf->receiving->done(*b.leaf->receiving, status::cancelled);
        REQUIRE(b.upper.answers.size() == 2);
        CHECK(b.upper.answers[1] == status::cancelled);
        CHECK(b.book->has_due());
    }
}

TEST_CASE("messages that are due are presented though the source gives no more out before something is settled") {
    ledger_bench b{settle_unit::message, bit(disposition::ack), 1};
    void* batch = b.receive({1});
    b.settle(batch, {0}, disposition::nack);
    CHECK(b.book->receive(b.upper) == status::pending);  // parked: there is no room
    b.until_retry();
    b.box.deliver_all();
    REQUIRE(b.upper.answers.size() == 2);
    CHECK(b.upper.answers[1] == status::ok);
    CHECK(b.upper.messages.count == 1);
    CHECK(b.leaf->asked.size() == 1);
}

TEST_CASE("an end for good is told when nothing can come again") {
    ledger_bench b{settle_unit::message, bit(disposition::ack)};
    b.leaf->at_once = true;
    void* batch = b.receive({1});
    b.settle(batch, {0}, disposition::nack);
    b.book->free_batch(batch);
    CHECK(b.book->receive(b.upper) == status::pending);
    b.leaf->receiving->done(*b.leaf->receiving, status::end);
    CHECK(b.upper.answers.size() == 1);
    CHECK(b.book->leaf_is_at_end());
    b.until_retry();
    b.box.deliver_all();
    REQUIRE(b.upper.answers.size() == 2);
    CHECK(b.upper.answers[1] == status::ok);
    REQUIRE(b.upper.messages.count == 1);
    void* again = b.upper.batch;
    CHECK(b.book->receive(b.upper) == status::pending);
    b.settle(again, {0});
    b.book->free_batch(again);
    b.box.deliver_all();
    REQUIRE(b.upper.answers.size() == 3);
    CHECK(b.upper.answers[2] == status::end);
    CHECK(b.book->receive(b.upper) == status::end);
    CHECK(b.leaf->asked.size() == 2);  // never again after its end
}

TEST_CASE("unit prefix: freeing what was presented again without a settlement kills its lane; at a shutdown so does what waits") {
    ledger_bench b{settle_unit::prefix, bit(disposition::ack)};
    void* batch = b.receive({1, 1, 2, 1});
    b.settle(batch, {0, 2, 3});
    b.settle(batch, {1}, disposition::nack);
    SUBCASE("freed") {
        b.until_retry();
        REQUIRE(b.book->receive(b.upper) == status::ok);
        b.book->free_batch(b.upper.batch);
    }
    SUBCASE("shutdown") {
        b.book->stop_presenting();
        b.until_retry();
        CHECK_FALSE(b.book->has_due());
        b.book->return_waiting();
    }
    b.book->free_batch(batch);
    for (std::size_t n = 0; n < b.leaf->settles.size(); ++n) b.leaf->answer(n, "o");
    CHECK(b.counts() == totals{2, 0, 2, 0});
    CHECK(b.leaf->freed == std::vector{1});
    b.box.deliver_all();
    CHECK(b.book->is_at_rest());
}

TEST_CASE("unit batch: what is given back of a batch that was nacked in part is given back as a whole") {
    ledger_bench b{settle_unit::batch, bit(disposition::ack)};
    void* batch = b.receive({1, 1});
    b.settle(batch, {0});
    b.settle(batch, {1}, disposition::nack);
    b.book->free_batch(batch);
    b.until_retry();
    REQUIRE(b.book->receive(b.upper) == status::ok);
    b.book->free_batch(b.upper.batch);
    CHECK(b.leaf->settles.empty());
    CHECK(b.counts() == totals{0, 0, 2, 0});
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("what a handler gives back goes to a source that takes it, and is presented from memory where it does not") {
    ledger_bench takes{settle_unit::message, bit(disposition::ack) | bit(disposition::nack)};
    void* batch = takes.receive({1});
    takes.settle(batch, {0}, disposition::nack, given_back);
    REQUIRE(takes.leaf->settles.size() == 1);
    CHECK(takes.leaf->settles[0].text == "0n");
    takes.leaf->answer(0, "o");
    CHECK(takes.counters.totals().nacked == 1);
    ledger_bench other{settle_unit::prefix, bit(disposition::ack)};
    batch = other.receive({1});
    other.settle(batch, {0}, disposition::nack, given_back);
    CHECK(other.leaf->settles.empty());
    other.until_retry();
    CHECK(other.book->has_due());
}

TEST_CASE("unit prefix: the ACK of a replied message waits for its reply") {
    ledger_bench b{settle_unit::prefix, bit(disposition::ack) | bit(disposition::reply) | bit(disposition::reply_more)};
    void* batch = b.receive({1, 1});
    b.settle(batch, {0}, disposition::reply);
    b.settle(batch, {1});
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "0m");
    b.leaf->answer(0, "r");
    CHECK(b.leaf->settles.size() == 1);
    b.until_retry();
    REQUIRE(b.leaf->settles.size() == 2);
    b.leaf->answer(1, "o");
    REQUIRE(b.leaf->settles.size() == 3);
    CHECK(b.leaf->settles[2].text == "0 1");
    b.leaf->answer(2, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{1, 1, 0, 0});
}

TEST_CASE("a batch of which the chain above still has a message is kept, though its lane has ended and all of it is returned") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
        ledger_bench b{unit, bit(disposition::ack)};
        void* batch = b.receive({1, 1, 1});
        b.settle(batch, {0, 1, 2}, disposition::nack);
        b.book->free_batch(batch);
        b.until_retry();
        REQUIRE(b.book->receive(b.upper) == status::ok);
        void* again = b.upper.batch;
        const std::uint64_t lane = 1;
        b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
        b.leaf->sink->on_lanes_ended(7);
        CHECK(b.counts() == totals{0, 0, 3, 0});
        CHECK(b.leaf->freed.empty());
        void* other = b.receive({2});
        CHECK(b.settle(again, {2}) == "g");
        b.book->free_batch(again);
        CHECK(b.leaf->freed == std::vector{1});
        b.settle(other, {0});
        b.leaf->answer(0, "o");
        b.book->free_batch(other);
        CHECK(b.counts() == totals{1, 0, 3, 0});
        CHECK(b.book->is_empty());
    }
}
