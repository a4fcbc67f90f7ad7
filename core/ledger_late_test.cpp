// Burials that answer late: after a lane has gone, after a part of the batch has, during a shutdown.
#include "core/ledger_policy_test.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace mqb::core;

TEST_CASE("unit prefix: what was returned while a burial is out is not given again") {
    policy_bench b{settle_unit::prefix};
    b.leaf->at_once = false;
    void* batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 1});
    b.settle(batch, {2}, disposition::reject, "bad");
    b.leaf->answer(0, "og");
    CHECK(b.leaf->settles.size() == 1);
    CHECK(b.counts() == totals{1, 0, 1, 1});
    b.book->free_batch(batch);
    b.store.answer(0, status::ok);
    CHECK(b.leaf->settles.size() == 1);
    CHECK(b.counts() == totals{1, 0, 2, 0});
    CHECK(b.leaf->freed == std::vector{1});
    CHECK(b.book->is_empty());
}

TEST_CASE("unit prefix: lanes that end while a settle waits to be given again and a burial is out") {
    policy_bench b{settle_unit::prefix};
    b.leaf->at_once = false;
    void* batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 1});
    b.settle(batch, {2}, disposition::reject, "bad");
    b.leaf->answer(0, "r");
    const std::uint64_t lane = 1;
    b.leaf->sink->on_lanes_ending({&lane, 1}, 0, 7);
    b.leaf->sink->on_lanes_ended(7);
    CHECK(b.counts() == totals{0, 0, 2, 1});
    b.until_retry();
    CHECK(b.leaf->settles.size() == 1);
    b.store.answer(0, status::ok);
    b.book->free_batch(batch);
    CHECK(b.counts() == totals{0, 0, 3, 0});
    CHECK(b.book->is_empty());
}

TEST_CASE("giving up with a burial out leaves nothing behind, and nothing passes what was returned") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch})
        for (status last : {status::ok, status::retry, status::cancelled}) {
            policy_bench b{unit};
            b.leaf->at_once = false;
            void* batch = b.receive({1, 1, 1});
            b.settle(batch, {0, 1});
            b.settle(batch, {2}, disposition::reject, "bad");
            b.book->free_batch(batch);
            if (unit != settle_unit::batch) b.leaf->answer(0, "r");
            b.book->stop_presenting();
            b.book->give_up();
            b.box.deliver_all();
            const std::size_t given = b.leaf->settles.size();
            b.store.answer(0, last);
            if (b.leaf->settles.size() > given) {
                CHECK(unit == settle_unit::message);
                b.leaf->answer(given, "r");
            }
            CAPTURE(to_text(last));
            CHECK(b.counts() == totals{0, 0, 3, 0});
            CHECK(b.book->unrecorded() == 0);
            CHECK(b.leaf->freed == std::vector{1});
        }
}

TEST_CASE("a burial that fails once nothing is presented any more gives its message back") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch})
        for (status last : {status::retry, status::cancelled}) {
            policy_bench b{unit};
            void* batch = b.receive({1, 1, 1});
            b.settle(batch, {0, 1});
            b.settle(batch, {2}, disposition::reject, "bad");
            b.book->free_batch(batch);
            b.book->stop_presenting();
            b.book->return_waiting();
            b.store.answer(0, last);
            const std::uint64_t kept = unit == settle_unit::batch ? 0 : 2;
            CHECK(b.counts() == totals{kept, 0, 3 - kept, 0});
            CHECK(b.book->is_empty());
            CHECK(b.book->is_at_rest());
        }
}

TEST_CASE("unit batch: a message that is buried while its batch goes back goes back with it") {
    policy_bench b{settle_unit::batch};
    void* batch = b.receive({1, 1});
    b.settle(batch, {0}, disposition::nack, "busy");
    b.settle(batch, {1}, disposition::reject, "bad");
    b.book->free_batch(batch);
    b.book->stop_presenting();
    b.book->return_waiting();
    CHECK(b.counts() == totals{0, 0, 1, 1});
    b.store.answer(0, status::ok);
    CHECK(b.counts() == totals{0, 0, 2, 0});
    CHECK(b.book->unrecorded() == 0);
    CHECK(b.book->is_empty());
    CHECK(b.leaf->settles.empty());
}

TEST_CASE("a broken record whose burial failed is buried again, and is never given on") {
    policy_bench b{settle_unit::prefix};
    b.store.at_once = status::retry;
    const text_edit error{"mqb.error", "row 7 has 3 cells where 4 are wanted"};
    const counted_block block = edited({}, {&error, 1});
    b.book->receive(b.upper);
    auto& messages = b.arrays.emplace_back(2);
    messages[1].metadata = block.get();
    receive_call& c = *b.leaf->receiving;
    c.messages = message_list{std::span<const message>{messages}};
    c.batch = &b.numbers.emplace_back(1);
    c.done(c, status::ok);
    REQUIRE(b.upper.messages.count == 1);
    b.settle(b.upper.batch, {0});
    b.book->free_batch(b.upper.batch);
    CHECK(b.listener.said == std::vector<std::string>{"stop: the dead letters cannot be written: no space"});
    b.store.at_once = status::ok;
    CHECK(b.book->receive(b.upper) == status::pending);
    b.until_retry();
    REQUIRE(b.leaf->cancelled.size() == 1);  // it makes way for what is due
    b.leaf->receiving->done(*b.leaf->receiving, status::cancelled);
    CHECK(b.store.calls.size() == 2);
    CHECK(b.upper.answers.size() == 1);
    CHECK(b.counts() == totals{1, 0, 0, 0});
    CHECK(b.counters.totals().dead_lettered == 1);
    CHECK(b.leaf->freed == std::vector{1});
}

TEST_CASE("messages without an id get one each, and what failed at one is not told of another") {
    policy_bench b{settle_unit::message};
    b.policy.max_deliveries = 2;
    b.book->set_policy(b.policy);
    void* batch = b.receive({1, 1, 1});
    std::set<std::array<std::uint8_t, 16>> ids;
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(has_id(b.upper.messages[i]));
        CHECK((b.upper.messages[i].id[6] >> 4) == 7);
        ids.insert(b.upper.messages[i].id);
    }
    CHECK(ids.size() == 3);
    failure_note tried;
    tried.endpoint = "output";
    tried.error = "too long";
    tried.attempts = 1;
    for (int round = 1; round <= 2; ++round) {
        failure_note unsent;
        unsent.endpoint = "output";
        b.book->note(b.upper.messages[0], tried);
        b.book->note(b.upper.messages[1], unsent);
        b.settle(b.upper.batch, {0, 1}, disposition::nack);
        if (round == 1) {
            b.settle(batch, {2});
            b.book->free_batch(batch);
            b.until_retry();
            REQUIRE(b.book->receive(b.upper) == status::ok);
            REQUIRE(b.upper.messages.count == 2);
            CHECK(ids.contains(b.upper.messages[0].id));
        }
    }
    CHECK(b.store.texts == std::vector<std::string>{"orders max_deliveries output too long 2 1"});
}

TEST_CASE("ids of a source stay as they are beside those that are made") {
    policy_bench b{settle_unit::message};
    b.book->receive(b.upper);
    auto& messages = b.arrays.emplace_back(2);
    messages[0].id[15] = 9;
    messages[1].lane = 5;
    receive_call& c = *b.leaf->receiving;
    c.messages = message_list{std::span<const message>{messages}};
    c.batch = &b.numbers.emplace_back(1);
    c.done(c, status::ok);
    CHECK(b.upper.messages[0].id == messages[0].id);
    CHECK(has_id(b.upper.messages[1]));
    CHECK(b.upper.messages[1].lane == 5);
}

TEST_CASE("a settle that is refused is told of once in a row of refusals") {
    struct hearer final : event_sink {
        void on_state(bool, std::string_view) override {}
        void on_lanes_ending(std::span<const std::uint64_t>, std::uint64_t, std::uint64_t) override {}
        void on_lanes_ended(std::uint64_t) override {}
        void on_count(std::string_view, std::int64_t) override {}
        void on_warning(std::string_view text) override { said.emplace_back(text); }
        void on_bad_config(std::string_view) override {}
        void on_misbehaviour(std::string_view) override {}
        std::vector<std::string> said;
    } hearer;
    policy_bench b{settle_unit::prefix};
    b.book->listen(&hearer);
    b.leaf->at_once = false;
    b.settle(b.receive({1}), {0});
    for (std::size_t n = 0; n < 3; ++n) {
        b.leaf->settles.at(n).call->texts.set(whole_call, "no right to commit");
        b.leaf->answer(n, "r");
        b.until_retry();
    }
    CHECK(hearer.said == std::vector<std::string>{"a settle was refused and is given again: no right to commit"});
}

TEST_CASE("nothing is read while it is not known whether so many dead letters pause the route") {
    policy_bench b{settle_unit::message};
    b.policy.stop_after = 2;
    b.book->set_policy(b.policy);
    void* batch = b.receive({1, 1, 1});
    b.settle(batch, {0, 1}, disposition::reject, "bad");
    CHECK(b.book->receive(b.upper) == status::pending);
    CHECK(b.leaf->asked.size() == 1);
    b.store.answer(0, status::ok);
    b.box.deliver_all();
    CHECK(b.leaf->asked.size() == 1);
    CHECK(b.listener.said == std::vector<std::string>{"stop: 2 messages in a row were dead-lettered"});
    b.book->resume();
    b.box.deliver_all();
    CHECK(b.leaf->asked.size() == 2);
}

TEST_CASE("in a row are dead letters between which nothing was delivered, however late they are stored") {
    policy_bench b{settle_unit::message};
    b.policy.stop_after = 2;
    b.book->set_policy(b.policy);
    void* batch = b.receive({1, 1, 1, 1, 1, 1});
    for (const std::uint32_t dead : {0u, 2u}) {
        b.settle(batch, {dead}, disposition::reject, "bad");
        b.settle(batch, {dead + 1});
    }
    b.store.answer(0, status::ok);
    b.store.answer(1, status::ok);
    b.box.deliver_all();
    CHECK(b.listener.said.empty());
    b.settle(batch, {4}, disposition::reject, "bad");
    b.settle(batch, {5}, disposition::reject, "bad");
    b.store.answer(2, status::ok);
    b.box.deliver_all();
    CHECK(b.listener.said == std::vector<std::string>{"stop: 2 messages in a row were dead-lettered"});
}

TEST_CASE("a message from memory that is settled with what its source does not offer goes back when it is freed") {
    policy_bench b{settle_unit::message};
    void* batch = b.receive({1});
    b.settle(batch, {0}, disposition::nack, "busy");
    b.book->free_batch(batch);
    b.until_retry();
    REQUIRE(b.book->receive(b.upper) == status::ok);
    CHECK(b.settle(b.upper.batch, {0}, disposition::reply) == "o");
    b.book->free_batch(b.upper.batch);
    CHECK(b.counts() == totals{0, 0, 1, 0});
    CHECK(b.book->is_empty());
}
