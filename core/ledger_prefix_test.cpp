// The ledger with the unit prefix: lanes, their order, their end.
#include "core/ledger_leaf_test.hpp"

#include <doctest/doctest.h>

using namespace mqb::core;

TEST_CASE("unit prefix: accepted out of order, given in order, one settle at a time") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1, 1, 1});
    CHECK(b.settle(batch, {2}) == "o");
    CHECK(b.leaf->settles.empty());
    CHECK(b.settle(batch, {0}) == "o");
    CHECK(b.settle(batch, {1}) == "o");
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "0");
    b.leaf->answer(0, "o");
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "1 2");
    b.leaf->answer(1, "o");
    CHECK(b.counts() == totals{3, 0, 0, 1});
    b.settle(batch, {3});
    b.book->free_batch(batch);
    b.leaf->answer(2, "o");
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("unit prefix: lanes of one batch go on by themselves, and a lane goes on from batch to batch") {
    ledger_bench b{settle_unit::prefix};
    void* first = b.receive({1, 2, 1});
    void* second = b.receive({2, 1});
    b.settle(second, {0, 1});
    CHECK(b.leaf->settles.empty());
    b.settle(first, {1});
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "1");
    b.leaf->answer(0, "o");
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "0");
    CHECK(b.leaf->settles[1].batch != b.leaf->settles[0].batch);
    b.settle(first, {0, 2});
    REQUIRE(b.leaf->settles.size() == 3);
    CHECK(b.leaf->settles[2].text == "0 2");
    b.leaf->answer(2, "o");
    REQUIRE(b.leaf->settles.size() == 4);
    CHECK(b.leaf->settles[3].text == "1");
    b.leaf->answer(1, "o");
    b.leaf->answer(3, "o");
    CHECK(b.counts() == totals{5, 0, 0, 0});
    b.book->free_batch(second);
    b.book->free_batch(first);
    CHECK(b.leaf->freed == std::vector{2, 1});
}

TEST_CASE("unit prefix: retry stops a lane until it is recorded, gone ends it") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1, 1, 2, 2, 2});
    b.settle(batch, {0, 1, 2, 3, 4, 5});
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "0 1 2 3 4 5");
    b.leaf->answer(0, "orrogg");
    CHECK(b.counts() == totals{2, 0, 2, 2});
    b.until_retry();
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "1 2");
    b.leaf->answer(1, "oo");
    CHECK(b.counts() == totals{4, 0, 2, 0});
    b.book->free_batch(batch);
    CHECK(b.leaf->freed == std::vector{1});
    // The lane is not ours any more.
    void* late = b.receive({2});
    b.leaf->at_once = true;
    b.settle(late, {0});
    b.book->free_batch(late);
    CHECK(b.book->is_empty());
}

TEST_CASE("unit prefix: freeing unsettled kills the lane: accepted before the cut is still given, what comes after it is returned") {
    ledger_bench b{settle_unit::prefix};
    void* first = b.receive({1, 1});
    void* second = b.receive({1, 1, 1});
    void* third = b.receive({1, 2});
    b.settle(first, {0});      // given
    b.settle(first, {1});      // accepted, waits
    b.settle(second, {0, 2});  // one before the cut, one behind it
    b.settle(third, {0, 1});   // lane 2 has nothing to do with it
    b.book->free_batch(second);
    CHECK(b.settle(third, {0}) == "g");
    b.leaf->answer(0, "o");
    b.book->free_batch(first);
    b.book->free_batch(third);
    CHECK(b.leaf->freed.empty());  // it would turn the settles before it into "gone"
    for (std::size_t n = 1; n < b.leaf->settles.size(); ++n) b.leaf->answer(n, "o");
    CHECK(b.counts() == totals{4, 0, 3, 0});
    CHECK(b.leaf->freed == std::vector{1, 2, 3});
    CHECK(b.book->is_empty());
}

TEST_CASE("unit prefix: what was accepted before the cut is given again after a retry") {
    ledger_bench b{settle_unit::prefix};
    void* first = b.receive({1});
    void* second = b.receive({1});
    b.settle(first, {0});
    b.book->free_batch(first);
    b.book->free_batch(second);
    b.leaf->answer(0, "r");
    CHECK(b.leaf->freed.empty());
    b.until_retry();
    b.leaf->answer(1, "o");
    CHECK(b.counts() == totals{1, 0, 1, 0});
    CHECK(b.leaf->freed == std::vector{1, 2});
}

TEST_CASE("unit prefix: messages that still come in a dead lane are answered gone, and leave nothing behind") {
    ledger_bench b{settle_unit::prefix};
    void* cut = b.receive({1, 2});
    void* held = b.receive({1});  // keeps the lane alive
    b.settle(cut, {1});
    b.leaf->answer(0, "o");
    b.book->free_batch(cut);
    for (int i = 0; i < 3; ++i) {
        void* late = b.receive({1, 2});
        CHECK(b.settle(late, {0}) == "g");
        b.settle(late, {1});
        b.leaf->answer(b.leaf->settles.size() - 1, "o");
        b.book->free_batch(late);
        b.book->free_batch(b.receive({1, 3}));
    }
    b.book->free_batch(held);
    CHECK(b.book->is_empty());
    CHECK(b.counts() == totals{4, 0, 11, 0});
}

TEST_CASE("unit prefix: lanes_done comes once, when nothing of the ending lanes is open") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 2, 3});
    const std::vector<std::uint64_t> lanes{1, 2};
    b.leaf->sink->on_lanes_ending(lanes, 0, 7);
    b.settle(batch, {0, 1});
    b.leaf->answer(0, "oo");
    CHECK(b.leaf->done_tokens == std::vector<std::uint64_t>{7});
    b.leaf->sink->on_lanes_ended(7);
    // The batch lives on with its third lane.
    b.settle(batch, {2});
    b.leaf->answer(1, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{3, 0, 0, 0});
    CHECK(b.leaf->done_tokens.size() == 1);
    const std::uint64_t idle = 99;
    b.leaf->sink->on_lanes_ending({&idle, 1}, 0, 8);
    CHECK(b.leaf->done_tokens == std::vector<std::uint64_t>{7, 8});
}

TEST_CASE("unit prefix: lanes end while the settle of two of them is in flight and the next ones are answered at once") {
    ledger_bench b{settle_unit::prefix};
    void* first = b.receive({1, 2});
    void* second = b.receive({1});
    b.settle(first, {0, 1});
    b.settle(second, {0});
    b.book->free_batch(first);
    b.book->free_batch(second);
    const std::vector<std::uint64_t> lanes{1, 2};
    b.leaf->sink->on_lanes_ending(lanes, 0, 7);
    b.leaf->at_once = true;
    b.leaf->answer(0, "oo");
    CHECK(b.leaf->done_tokens == std::vector<std::uint64_t>{7});
    CHECK(b.counts() == totals{3, 0, 0, 0});
    CHECK(b.leaf->freed.size() == 2);
    CHECK(b.book->is_empty());
}

TEST_CASE("unit prefix: when the deadline comes first, what is in a call keeps its answer and the rest is returned") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1, 1, 2});
    const std::uint64_t lane = 1;
    b.settle(batch, {0});
    b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
    b.settle(batch, {1});
    b.leaf->sink->on_lanes_ended(7);
    CHECK(b.counts() == totals{0, 0, 2, 2});
    CHECK(b.settle(batch, {2, 3}) == "go");
    b.leaf->answer(0, "o");
    b.leaf->answer(1, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{2, 0, 2, 0});
    CHECK(b.leaf->done_tokens.empty());
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("unit prefix: a settle that crosses the end of its lane and is not recorded counts as returned") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1});
    const std::uint64_t lane = 1;
    b.settle(batch, {0, 1});
    b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
    b.leaf->sink->on_lanes_ended(7);
    b.leaf->answer(0, "or");
    CHECK(b.counts() == totals{1, 0, 1, 0});
    b.book->free_batch(batch);
    CHECK(b.book->is_at_rest());
}

TEST_CASE("unit prefix: a NACK of an ending lane counts as returned, with all that comes after it") {
    ledger_bench b{settle_unit::prefix, bit(disposition::ack)};
    void* batch = b.receive({1, 1, 2});
    const std::uint64_t lane = 1;
    b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
    CHECK(b.settle(batch, {0}, disposition::nack) == "o");
    CHECK(b.leaf->done_tokens == std::vector<std::uint64_t>{7});
    CHECK(b.settle(batch, {1}) == "g");
    b.settle(batch, {2});
    b.leaf->answer(0, "o");
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{1, 0, 2, 0});
}

TEST_CASE("unit prefix: a reply is given at once as one that settles nothing, and its ACK in its turn") {
    ledger_bench b{settle_unit::prefix};
    void* batch = b.receive({1, 1});
    const std::string text = "answer";
    b.reply.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    b.settle(batch, {1}, disposition::reply);
    REQUIRE(b.leaf->settles.size() == 1);
    CHECK(b.leaf->settles[0].text == "1m");
    b.settle(batch, {0});
    REQUIRE(b.leaf->settles.size() == 2);
    CHECK(b.leaf->settles[1].text == "0");
    b.leaf->answer(1, "o");
    b.book->free_batch(batch);
    CHECK(b.leaf->freed.empty());
    b.leaf->answer(0, "o");
    REQUIRE(b.leaf->settles.size() == 3);
    CHECK(b.leaf->settles[2].text == "1");
    b.leaf->answer(2, "o");
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.counts() == totals{1, 1, 0, 0});
    CHECK(b.leaf->replies == std::vector<std::string>{"answer"});
}

TEST_CASE("after a retry every batch that waits is given, also when the first ones are released meanwhile") {
    ledger_bench b{settle_unit::prefix};
    void* failing = b.receive({9});
    b.settle(failing, {0});
    b.leaf->answer(0, "r");
    for (std::uint64_t lane = 1; lane <= 5; ++lane) {
        void* batch = b.receive({lane});
        b.settle(batch, {0});
        b.book->free_batch(batch);
    }
    b.book->free_batch(failing);
    CHECK(b.leaf->settles.size() == 1);
    b.leaf->at_once = true;
    b.until_retry();
    CHECK(b.leaf->settles.size() == 7);
    CHECK(b.counts() == totals{6, 0, 0, 0});
    CHECK(b.leaf->freed.size() == 6);
}
