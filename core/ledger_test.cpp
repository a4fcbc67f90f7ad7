// The ledger with the units message and batch, and what all units share.
#include "core/ledger_leaf_test.hpp"

#include <doctest/doctest.h>

using namespace mqb::core;

TEST_CASE("nothing more is read while one more message like the last would pass the bytes that are allowed") {
    ledger_bench b{settle_unit::message};
    CHECK(b.book->has_room_for_bytes());  // no limit
    CHECK(b.book->room_for(0) == 0);
    b.book->set_most_bytes(1000);
    CHECK(b.book->has_room_for_bytes());
    CHECK(b.book->room_for(0) == 1000);
    b.upper.max_bytes = 900;
    b.book->receive(b.upper);
    CHECK(b.leaf->receiving->max_bytes == 900);
    const std::string payload(400, 'x');
    auto& messages = b.arrays.emplace_back(2);
    for (message& m : messages) m.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
    receive_call& c = *b.leaf->receiving;
    c.messages = message_list{std::span<const message>{messages}};
    c.batch = &b.numbers.emplace_back(1);
    c.done(c, status::ok);
    void* const first = b.upper.batch;
    CHECK(b.book->bytes() >= 800);
    CHECK_FALSE(b.book->has_room_for_bytes());
    CHECK(b.book->room_for(10) == 1);
    b.book->set_most_bytes(b.book->bytes() + 50);
    CHECK_FALSE(b.book->has_room_for_bytes());
    CHECK(b.book->room_for(0) == 50);
    CHECK(b.book->room_for(10) == 10);
    b.book->set_most_bytes(UINT64_MAX);
    CHECK(b.book->has_room_for_bytes());
    b.book->set_most_bytes(1000);
    // Who asks again all the same waits until there is room.
    b.book->receive(b.upper);
    CHECK(b.leaf->asked.size() == 1);
    CHECK(b.settle(first, {0, 1}) == "oo");
    b.leaf->answer(0, "o");
    b.book->free_batch(first);
    while (b.box.deliver_all()) {}
    CHECK(b.leaf->asked.size() == 2);
    CHECK(b.leaf->receiving->max_bytes == 900);
}

TEST_CASE("unit message: indexes are given in any order, several calls at a time") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1, 1, 1, 1});
    CHECK(b.settle(batch, {2}) == "o");
    CHECK(b.settle(batch, {0, 3}) == "oo");
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[0].text == "2");
    CHECK(b.leaf->settles[1].text == "0 3");
    CHECK(b.counts() == totals{0, 0, 0, 4});
    b.leaf->answer(1, "o");
    b.leaf->answer(0, "o");
    CHECK(b.counts() == totals{3, 0, 0, 1});
    CHECK(b.settle(batch, {1}) == "o");
    b.book->free_batch(batch);
    CHECK(b.leaf->freed.empty());
    b.leaf->answer(2, "o");
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.counts() == totals{4, 0, 0, 0});
    CHECK(b.book->is_empty());
    CHECK(b.book->bytes() == 0);
}

TEST_CASE("unit message: what was not recorded is given again after a pause, what is gone is returned") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 1, 2});
    b.leaf->answer(0, "rog");
    CHECK(b.counts() == totals{1, 0, 1, 1});
    CHECK(b.leaf->settles.size() == 1);
    b.until_retry();
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "0");
    b.leaf->answer(1, "r");
    b.until_retry();
    b.leaf->answer(2, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{2, 0, 1, 0});
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("what was not recorded when the connection was lost is given again as soon as there is one") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1});
    b.settle(batch, {0});
    for (std::size_t n = 0; n < 5; ++n) {
        const std::uint64_t began = b.clock.now_steady();
        b.leaf->answer(n, "r");
        b.leaf->sink->on_state(false, "lost");
        b.leaf->sink->on_state(true, {});
        b.box.deliver_all();
        CHECK(b.clock.now_steady() == began);
        REQUIRE(b.leaf->settles.size() == n + 2);
    }
    b.leaf->answer(5, "r");
    const std::uint64_t began = b.clock.now_steady();
    b.until_retry();
    CHECK(b.clock.now_steady() - began == 10'000'000);
    b.leaf->answer(6, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{1, 0, 0, 0});
}

TEST_CASE("unit batch: nothing is given before everything is accepted, then all of it in one call, one call at a time") {
    ledger_bench b{settle_unit::batch};
    void* first = b.receive({1, 1});
    void* second = b.receive({1});
    CHECK(b.settle(first, {1}) == "o");
    CHECK(b.leaf->settles.empty());
    CHECK(b.settle(first, {0}, disposition::ack, "filtered") == "o");
    CHECK(b.settle(second, {0}) == "o");
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "0 1");
    b.leaf->answer(0, "r");
    b.until_retry();
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "0 1");
    b.leaf->answer(1, "o");
    REQUIRE(b.leaf->settles.size() == 3);
    b.leaf->answer(2, "g");
    CHECK(b.counts() == totals{1, 0, 1, 0});
    CHECK(b.counters.totals().filtered == 1);
    b.book->free_batch(first);
    b.book->free_batch(second);
    CHECK(b.leaf->freed == std::vector{1, 2});
}

TEST_CASE("unit batch: a batch that is freed with one message unsettled is returned whole") {
    ledger_bench b{settle_unit::batch};
    void* batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 2});
    b.book->free_batch(batch);
    CHECK(b.leaf->settles.empty());
    CHECK(b.counts() == totals{0, 0, 3, 0});
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("a settle of an entry that was settled, of a wrong index or of an unknown batch is ignored and counted") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1, 1});
    CHECK(b.settle(batch, {0}) == "o");
    CHECK(b.settle(batch, {0}) == "o");
    CHECK(b.settle(batch, {5}) == "g");
    int other = 0;
    CHECK(b.settle(&other, {0}) == "g");
    b.book->free_batch(&other);
    CHECK(b.book->ignored() == 4);
    CHECK(b.leaf->settles.size() == 1);
    b.book->free_batch(batch);
    b.book->free_batch(batch);
    CHECK(b.book->ignored() == 5);
    CHECK(b.settle(batch, {1}) == "g");
}

TEST_CASE("a disposition that the source did not declare never reaches it") {
    struct listener final : event_sink {
        void on_misbehaviour(std::string_view) override { ++times; }
        int times = 0;
    } above;
    for (disposition what : {disposition::reject, disposition::reply, disposition::reply_more, disposition::released})
        for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
            ledger_bench b{unit, bit(disposition::ack)};
            above.times = 0;
            b.book->listen(&above);
            void* batch = b.receive({1});
            b.settle(batch, {0}, what);
            CHECK(b.leaf->settles.empty());
            CHECK(above.times == 1);
            b.book->free_batch(batch);
            CHECK(b.counts() == totals{0, 0, 1, 0});
        }
}

TEST_CASE("each reason has its counter") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1, 1, 1, 1, 1, 1});
    b.leaf->at_once = true;
    b.settle(batch, {0}, disposition::ack, "filtered");
    b.settle(batch, {1}, disposition::ack, "duplicate");
    b.settle(batch, {2}, disposition::ack, "discarded");
    b.settle(batch, {3}, disposition::nack, given_back);
    b.settle(batch, {4}, disposition::reject);
    b.settle(batch, {5}, disposition::reply);
    const ledger_totals t = b.counters.totals();
    CHECK(t.filtered + t.duplicate + t.discarded + t.nacked + t.rejected + t.replied == 6);
    CHECK(t.filtered * t.duplicate * t.discarded * t.nacked * t.rejected * t.replied == 1);
    b.book->free_batch(batch);
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("a receive waits while as much is out as the source gives unsettled, and asks for no more than is left") {
    ledger_bench b{settle_unit::message, 1, 5};
    void* first = b.receive({1, 1, 1});
    void* second = b.receive({1, 1});
    CHECK(b.leaf->asked == std::vector<std::uint32_t>{5, 2});
    CHECK(b.book->receive(b.upper) == status::pending);
    CHECK(b.leaf->asked.size() == 2);
    b.settle(first, {0});
    b.leaf->answer(0, "o");
    b.box.deliver_all();
    CHECK(b.leaf->asked == std::vector<std::uint32_t>{5, 2, 1});
    b.book->cancel(b.upper);
    CHECK(b.leaf->cancelled.size() == 1);
    (void)second;
}

TEST_CASE("a receive that waits for room goes on when a batch is freed unsettled, and is cancelled when it is asked to") {
    ledger_bench b{settle_unit::batch, 1, 0, 1};
    void* batch = b.receive({1});
    CHECK(b.book->receive(b.upper) == status::pending);
    CHECK(b.leaf->asked.size() == 1);
    b.book->free_batch(batch);
    b.box.deliver_all();
    CHECK(b.leaf->asked.size() == 2);
    b.give({1});

    CHECK(b.book->receive(b.upper) == status::pending);
    b.upper.answers.clear();
    b.book->cancel(b.upper);
    CHECK(b.upper.answers.empty());
    b.box.deliver_all();
    CHECK(b.upper.answers == std::vector{status::cancelled});
    CHECK(b.leaf->cancelled.empty());
}

TEST_CASE("messages of a lane that ended are returned though they were accepted while a retry was waited for") {
    for (settle_unit unit : {settle_unit::message, settle_unit::batch}) {
        ledger_bench b{unit};
        void* first = b.receive({1});
        void* second = b.receive({1, 2});
        b.settle(first, {0});
        b.leaf->answer(0, "r");
        b.settle(second, {0, 1});
        const std::uint64_t lane = 2;
        b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
        b.leaf->sink->on_lanes_ended(7);
        b.leaf->at_once = true;
        b.until_retry();
        b.book->free_batch(first);
        b.book->free_batch(second);
        CHECK(b.counts() == (unit == settle_unit::message ? totals{2, 0, 1, 0} : totals{1, 0, 2, 0}));
        CHECK(b.book->unrecorded() == 0);
        CHECK(b.leaf->freed == std::vector{1, 2});
    }
}

TEST_CASE("after it was given up nothing is given again: what is refused counts as returned") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch}) {
        ledger_bench b{unit};
        void* batch = b.receive({1, 1});
        b.settle(batch, {0, 1});
        b.book->free_batch(batch);
        b.book->give_up();
        CHECK_FALSE(b.book->is_at_rest());
        b.leaf->answer(0, "r");
        CHECK(b.book->is_at_rest());
        CHECK(b.counts() == totals{0, 0, 2, 0});
        CHECK(b.leaf->freed == std::vector{1});
    }
}

TEST_CASE("a reply that was not recorded is given again, and its batch stays until then") {
    ledger_bench b{settle_unit::message};
    void* batch = b.receive({1});
    const std::string text = "answer";
    b.reply.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    b.settle(batch, {0}, disposition::reply_more);
    b.settle(batch, {0});
    b.leaf->answer(1, "o");
    b.leaf->answer(0, "r");
    b.book->free_batch(batch);
    CHECK(b.leaf->freed.empty());
    CHECK_FALSE(b.book->is_empty());
    b.until_retry();
    REQUIRE(b.leaf->settles.size() == 3);
    CHECK(b.leaf->settles[2].text == "0m");
    CHECK(b.leaf->replies == std::vector<std::string>{"answer", "answer"});
    b.leaf->answer(2, "o");
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.book->is_at_rest());
}
