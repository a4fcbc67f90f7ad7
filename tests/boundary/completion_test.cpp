// Completions against the rules: the host survives, names the plugin and the function, and goes on.
#include "fakes.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct fixture {
    fixture() { consumer->listen(&side.events); }
    route_side side;
    fake_consumer fake;
    std::shared_ptr<loading::plugin_instance> instance = make_instance(side);
    std::unique_ptr<loading::plugin_consumer> consumer =
        std::make_unique<loading::plugin_consumer>(instance, &fake.base, fake_consumer::table);
    mqb_receive* pending = nullptr;

    void answer_pending() {
        fake.receive = [this](mqb_receive* r) { return pending = r, MQB_PENDING; };
    }
    void end() {
        CHECK(close(side, *consumer) == status::ok);
        consumer.reset();
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a second completion is ignored and named") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    pending->call.done(&pending->call, MQB_END);
    pending->call.done(&pending->call, MQB_OK);
    side.box.deliver_all();
    pending->call.done(&pending->call, MQB_RETRY);
    side.box.deliver_all();
    CHECK(c.completions == 1);
    CHECK(c.ended == status::end);
    CHECK(side.events.all == std::vector<std::string>(2, "misbehaviour fake.receive completed twice"));
    CHECK(instance->door().misbehaviours() == 2);
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion after the start answered is ignored, also when other calls were made since") {
    std::vector<mqb_receive*> calls;
    fake.receive = [&](mqb_receive* r) { return calls.push_back(r), MQB_END; };
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::end);
    for (int i = 0; i < 15; ++i) CHECK(consumer->receive(c) == status::end);
    for (std::size_t i = 1; i < calls.size(); ++i) CHECK(calls[i] != calls[0]);
    calls[0]->call.done(&calls[0]->call, MQB_OK);
    side.box.deliver_all();
    CHECK(c.completions == 0);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive called `done` of a call that it had answered"});
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion inside the start that then answers PENDING completes the call, and is named") {
    fake.receive = [](mqb_receive* r) {
        r->call.done(&r->call, MQB_END);
        return MQB_PENDING;
    };
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    CHECK(c.completions == 0);
    side.box.deliver_all();
    CHECK(c.completions == 1);
    CHECK(c.ended == status::end);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive completed inside its own start"});
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion inside the start that then answers DONE is not a second answer") {
    fake.receive = [](mqb_receive* r) {
        r->call.done(&r->call, MQB_RETRY);
        return MQB_END;
    };
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::end);
    side.box.deliver_all();
    CHECK(c.completions == 0);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive completed inside its own start",
                                                      "misbehaviour fake.receive answered a call and called its `done` too"});
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion on another thread before the start has returned keeps the rules") {
    fake.receive = [](mqb_receive* r) {
        std::thread([r] { r->call.done(&r->call, MQB_END); }).join();
        return MQB_PENDING;
    };
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    side.box.deliver_all();
    CHECK(c.completions == 1);
    CHECK(c.ended == status::end);
    CHECK(side.events.all.empty());
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion inside a cancel completes the call later, and is named") {
    answer_pending();
    fake.cancel = [this](std::uint64_t) { pending->call.done(&pending->call, MQB_CANCELLED); };
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    consumer->cancel(c);
    CHECK(c.completions == 0);
    side.box.deliver_all();
    CHECK(c.ended == status::cancelled);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive completed inside a cancel"});
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion with PENDING ends the call as disconnected, and is named") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    pending->call.done(&pending->call, MQB_PENDING);
    while (side.box.deliver_all()) {}
    CHECK(c.ended == status::disconnected);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive completed with PENDING"});
    end();
}

TEST_CASE_FIXTURE(fixture, "a completion after free hits memory that still exists") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    pending->call.done(&pending->call, MQB_END);
    side.box.deliver_all();
    end();
    const std::uint64_t before = instance->door().misbehaviours();
    loading::gate& door = instance->door();
    instance.reset();
    pending->call.done(&pending->call, MQB_OK);
    pending->call.explain(&pending->call, MQB_WHOLE_CALL, text("late"));
    CHECK_FALSE(side.box.deliver_all());
    CHECK(door.misbehaviours() == before + 2);
}

TEST_CASE_FIXTURE(fixture, "an abandoned adapter leaves its pending calls to nobody") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    consumer.reset();
    instance.reset();
    pending->call.explain(&pending->call, MQB_WHOLE_CALL, text("late"));
    pending->call.done(&pending->call, MQB_OK);
    CHECK_FALSE(side.box.deliver_all());
    CHECK(c.completions == 0);
}

TEST_CASE_FIXTURE(fixture, "a text after the answer is not that of the next call") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    mqb_receive* first = pending;
    pending->call.done(&pending->call, MQB_END);
    side.box.deliver_all();
    first->call.explain(&first->call, MQB_WHOLE_CALL, text("late"));
    fake.receive = [](mqb_receive*) { return MQB_RETRY; };
    for (int i = 0; i < 40; ++i) {
        CHECK(consumer->receive(c) == status::retry);
        CHECK(c.texts.empty());
    }
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive explained a call that had ended"});
    end();
}

TEST_CASE_FIXTURE(fixture, "of a flood of misbehaviour the first sixteen are told and all are counted") {
    answer_pending();
    recorded<core::receive_call> c;
    CHECK(consumer->receive(c) == status::pending);
    pending->call.done(&pending->call, MQB_END);
    for (int i = 0; i < 1000; ++i) pending->call.done(&pending->call, MQB_END);
    side.box.deliver_all();
    CHECK(side.events.all.size() == 16);
    CHECK(instance->door().misbehaviours() == 1000);
    end();
}

TEST_CASE_FIXTURE(fixture, "completions of many threads at once each arrive once") {
    constexpr std::size_t n = 64;
    std::vector<mqb_settle*> settles;
    fake.settle = [&](mqb_settle* s) { return settles.push_back(s), MQB_PENDING; };
    std::array<recorded<core::settle_call>, n> calls;
    for (auto& c : calls) CHECK(consumer->settle(c) == status::pending);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < n; i += 4) settles[i]->call.done(&settles[i]->call, MQB_OK);
        });
    CHECK(side.deliver_until([&] { return std::ranges::all_of(calls, [](const auto& c) { return c.completions == 1; }); }));
    for (std::thread& t : threads) t.join();
    side.box.deliver_all();
    for (const auto& c : calls) CHECK(c.completions == 1);
    CHECK(side.events.all.empty());
    end();
}
