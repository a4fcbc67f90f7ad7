// Middlewares that answer a call while the inner side still has its arrays, or settle a message that a settle in flight settles.
#include "fakes.hpp"
#include "host/loading/lent_consumer.hpp"
#include "host/loading/lent_publisher.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

// Sends and settles that the test ends.
struct slow_publisher final : core::publisher {
    std::vector<core::send_call*> pending;
    int cancels = 0;

    status connect(core::call&) override { return status::ok; }
    status send(core::send_call& c) override {
        pending.push_back(&c);
        return status::pending;
    }
    void cancel(core::call&) override { ++cancels; }
    status close(core::call&) override { return status::ok; }
    void listen(core::event_sink*) override {}
    void end(std::size_t which, core::send_result result) {
        core::send_call& c = *pending.at(which);
        for (std::uint32_t i = 0; i < c.messages.count; ++i) c.outcomes[i].set(result);
        c.done(c, status::ok);
    }
};

struct slow_consumer final : core::consumer {
    std::vector<core::settle_call*> pending;
    int cancels = 0;
    some_messages given{{"a", "b"}};

    status connect(core::call&) override { return status::ok; }
    status receive(core::receive_call& c) override {
        c.messages = loading::to_core<const core::message>(given.list());
        c.batch = &given;
        return status::ok;
    }
    status settle(core::settle_call& c) override {
        pending.push_back(&c);
        return status::pending;
    }
    void free_batch(void*) override {}
    void lanes_done(std::uint64_t) override {}
    status control(core::control_call&) override { return status::unsupported; }
    void cancel(core::call&) override { ++cancels; }
    status close(core::call&) override { return status::ok; }
    void listen(core::event_sink*) override {}
    void end(std::size_t which) {
        core::settle_call& c = *pending.at(which);
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(core::settle_result::ok);
        c.done(c, status::ok);
    }
};

mqb_call head_of_call(std::size_t size, std::uint64_t operation) {
    return {static_cast<std::uint32_t>(size), 0, operation, [](mqb_call*, mqb_status) {}, [](mqb_call*, std::uint32_t, mqb_text) {}};
}

struct publisher_fixture {
    publisher_fixture() {
        auto lent = std::make_unique<loading::lent_publisher>(instance->door(), leaf, true);
        below = static_cast<mqb_publisher*>(lent->handle());
        instance->lend("", std::move(lent));
        outer = std::make_unique<loading::plugin_publisher>(instance, &fake.base, fake_publisher::table, &leaf);
        outer->listen(&side.events);
        c.messages = loading::to_core<const core::message>(given.list());
        c.outcomes = std::span<core::outcome>{outcomes};
    }
    route_side side;
    slow_publisher leaf;
    std::shared_ptr<loading::plugin_instance> instance = make_instance(side);
    mqb_publisher* below = nullptr;
    fake_publisher fake;
    mqb_send down{};
    std::unique_ptr<loading::plugin_publisher> outer;
    some_messages given{{"a", "b"}};
    core::outcome outcomes[2]{};
    recorded<core::send_call> c;
};

const std::vector<std::string> ended_early{"misbehaviour fake.send ended before a call of its inner side that has the same arrays"};

}  // namespace

TEST_CASE_FIXTURE(publisher_fixture, "a send that is answered in its start, before the inner send has ended, is held back and told") {
    fake.send = [this](mqb_send* s) {
        down = *s;
        down.call = head_of_call(sizeof down, 1);
        CHECK(below->table->send(below, &down) == MQB_PENDING);
        return MQB_OK;
    };
    CHECK(outer->send(c) == status::pending);
    while (side.box.deliver_all()) {}
    CHECK(side.events.all == ended_early);
    CHECK(c.completions == 0);
    CHECK(leaf.cancels == 1);
    leaf.end(0, core::send_result::done);
    while (side.box.deliver_all()) {}
    CHECK(c.completions == 1);
    CHECK(c.ended == status::ok);
    CHECK(outcomes[0].sent() == core::send_result::done);
    CHECK(outcomes[1].sent() == core::send_result::done);
    CHECK(close(side, *outer) == status::ok);
    CHECK(side.events.all == ended_early);
}

TEST_CASE_FIXTURE(publisher_fixture, "the same where it answers later, and lends only a part of its messages, each to another send") {
    static mqb_call* up;
    mqb_send parts[2];
    fake.send = [&](mqb_send* s) {
        up = &s->call;
        for (std::uint32_t i = 0; i < 2; ++i) {
            parts[i] = *s;
            parts[i].call = head_of_call(sizeof(mqb_send), i + 1);
            parts[i].messages = mqb_list_of(mqb_at(&s->messages, i), 1, sizeof(mqb_message));
            parts[i].outcomes = mqb_list_of(mqb_at(&s->outcomes, i), 1, sizeof(mqb_outcome));
            CHECK(below->table->send(below, &parts[i]) == MQB_PENDING);
        }
        return MQB_PENDING;
    };
    CHECK(outer->send(c) == status::pending);
    leaf.end(1, core::send_result::done);
    up->done(up, MQB_OK);
    while (side.box.deliver_all()) {}
    CHECK(side.events.all == ended_early);
    CHECK(c.completions == 0);
    CHECK(leaf.cancels == 1);
    leaf.end(0, core::send_result::refused);
    while (side.box.deliver_all()) {}
    CHECK(c.completions == 1);
    CHECK(outcomes[0].sent() == core::send_result::refused);
    CHECK(outcomes[1].sent() == core::send_result::done);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(publisher_fixture, "an inner send of messages of its own may outlive the send in which it was started") {
    some_messages own{{"c"}};
    mqb_outcome own_outcome{};
    fake.send = [&](mqb_send* s) {
        down = *s;
        down.call = head_of_call(sizeof down, 1);
        down.messages = own.list();
        down.outcomes = mqb_list_of(&own_outcome, 1, sizeof own_outcome);
        CHECK(below->table->send(below, &down) == MQB_PENDING);
        for (std::uint32_t i = 0; i < 2; ++i) mqb_outcome_at(&s->outcomes, i)->result = MQB_DONE;
        return MQB_OK;
    };
    CHECK(outer->send(c) == status::ok);
    CHECK(leaf.cancels == 0);
    leaf.end(0, core::send_result::done);
    CHECK(own_outcome.result == MQB_DONE);
    CHECK(close(side, *outer) == status::ok);
    CHECK(side.events.all.empty());
}

namespace {

struct settle_fixture {
    explicit settle_fixture(core::settle_unit unit = core::settle_unit::message) {
        auto lent = std::make_unique<loading::lent_consumer>(instance->door(), leaf, unit);
        below = static_cast<mqb_consumer*>(lent->handle());
        instance->lend("", std::move(lent));
        outer = std::make_unique<loading::plugin_consumer>(instance, &fake.base, fake_consumer::table, &leaf);
        outer->listen(&side.events);
    }
    // Receives a batch, then settles entry by entry below, all from inside one start. The answers of the settles.
    std::vector<mqb_status> settle_each(const std::vector<mqb_entry>& entries) {
        std::vector<mqb_status> answers;
        all = entries;
        results.assign(all.size(), mqb_outcome{});
        downs.assign(all.size(), mqb_settle{});
        fake.receive = [&](mqb_receive* r) {
            mqb_receive mine = *r;
            mine.call = head_of_call(sizeof mine, 100);
            CHECK(below->table->receive(below, &mine) == MQB_OK);
            for (std::size_t i = 0; i < all.size(); ++i) {
                downs[i].call = head_of_call(sizeof(mqb_settle), i + 1);
                downs[i].batch = mine.batch;
                downs[i].entries = mqb_list_of(&all[i], 1, sizeof(mqb_entry));
                downs[i].outcomes = mqb_list_of(&results[i], 1, sizeof(mqb_outcome));
                answers.push_back(below->table->settle(below, &downs[i]));
            }
            return MQB_END;
        };
        recorded<core::receive_call> r;
        CHECK(outer->receive(r) == status::end);
        while (side.box.deliver_all()) {}
        return answers;
    }
    void end_all_below() {
        for (std::size_t i = 0; i < leaf.pending.size(); ++i) leaf.end(i);
        CHECK(close(side, *outer) == status::ok);
    }
    route_side side;
    slow_consumer leaf;
    std::shared_ptr<loading::plugin_instance> instance = make_instance(side);
    mqb_consumer* below = nullptr;
    fake_consumer fake;
    std::unique_ptr<loading::plugin_consumer> outer;
    std::vector<mqb_entry> all;
    std::vector<mqb_outcome> results;
    std::vector<mqb_settle> downs;
};

some_messages reply{{"reply"}};

mqb_entry entry(std::uint32_t index, std::int32_t disposition = MQB_ACK) {
    mqb_entry e{};
    e.index = index;
    e.disposition = disposition;
    if (disposition == MQB_REPLY_MORE) e.reply = &reply.messages[0];
    return e;
}

using answers = std::vector<mqb_status>;
const std::vector<std::string> settled_twice{"misbehaviour fake settles what an earlier settle, which has not ended, settles too"};

}  // namespace

TEST_CASE_FIXTURE(settle_fixture, "a settle that is answered before the inner settle has ended is held back and told") {
    mqb_settle down{};
    fake.settle = [&](mqb_settle* s) {
        down = *s;
        down.call = head_of_call(sizeof down, 1);
        CHECK(below->table->settle(below, &down) == MQB_PENDING);
        return MQB_OK;
    };
    core::settle_entry one{};
    core::outcome outcome{};
    recorded<core::settle_call> c;
    c.entries = std::span<const core::settle_entry>{&one, 1};
    c.outcomes = std::span<core::outcome>{&outcome, 1};
    CHECK(outer->settle(c) == status::pending);
    while (side.box.deliver_all()) {}
    CHECK(side.events.all ==
          std::vector<std::string>{"misbehaviour fake.settle ended before a call of its inner side that has the same arrays"});
    CHECK(c.completions == 0);
    CHECK(leaf.cancels == 1);
    leaf.end(0);
    while (side.box.deliver_all()) {}
    CHECK(c.completions == 1);
    CHECK(outcome.settled() == core::settle_result::ok);
    CHECK(close(side, *outer) == status::ok);
}

TEST_CASE_FIXTURE(settle_fixture, "a message that a settle in flight settles is not settled again; others are") {
    CHECK(settle_each({entry(0), entry(1), entry(0)}) == answers{MQB_PENDING, MQB_PENDING, MQB_REJECTED});
    CHECK(side.events.all == settled_twice);
    CHECK(leaf.pending.size() == 2);
    end_all_below();
}

TEST_CASE("towards a consumer that settles in prefixes a lane has one settle at a time, beside any number of REPLY_MORE") {
    settle_fixture f{core::settle_unit::prefix};
    CHECK(f.settle_each({entry(0), entry(0, MQB_REPLY_MORE), entry(0, MQB_REJECT), entry(1)}) ==
          answers{MQB_PENDING, MQB_PENDING, MQB_REJECTED, MQB_PENDING});
    CHECK(f.side.events.all == settled_twice);
    f.end_all_below();

    settle_fixture same{core::settle_unit::prefix};
    same.leaf.given.messages[1].lane = same.leaf.given.messages[0].lane;
    CHECK(same.settle_each({entry(0), entry(1)}) == answers{MQB_PENDING, MQB_REJECTED});
    CHECK(same.side.events.all == settled_twice);
    same.end_all_below();
}

TEST_CASE("towards a consumer that settles batches there is one settle at a time") {
    settle_fixture f{core::settle_unit::batch};
    CHECK(f.settle_each({entry(0), entry(1)}) == answers{MQB_PENDING, MQB_REJECTED});
    CHECK(f.side.events.all == settled_twice);
    f.end_all_below();
}
