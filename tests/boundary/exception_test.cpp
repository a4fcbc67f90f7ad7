// Exceptions out of every function of a plugin: none crosses, the text arrives, only this route is concerned.
#include "fakes.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

// What every function of a handle does: throw the one or the other.
struct thrower {
    bool is_error;
    [[noreturn]] void operator()() const {
        if (is_error) throw std::runtime_error("boom");
        throw 42;
    }
    std::string text(const char* function) const {
        return std::string{"fake."} + function + (is_error ? " threw: boom" : " threw: unknown error");
    }
};

std::vector<std::string> told(const std::string& text) { return {"misbehaviour " + text}; }

}  // namespace

TEST_CASE("whatever a consumer throws becomes a failing status, a text and a misbehaviour") {
    for (const thrower boom : {thrower{true}, thrower{false}}) {
        route_side side;
        fake_consumer fake;
        loading::plugin_consumer consumer{make_instance(side), &fake.base, fake_consumer::table};
        consumer.listen(&side.events);
        auto heard = [&] {
            side.box.deliver_all();
            return std::exchange(side.events.all, {});
        };

        fake.connect = [&](mqb_call*) -> mqb_status { boom(); };
        recorded<core::call> connect;
        CHECK(consumer.connect(connect) == status::bad_config);
        CHECK(connect.texts.best(core::whole_call) == boom.text("connect"));
        CHECK(heard() == told(boom.text("connect")));

        fake.receive = [&](mqb_receive*) -> mqb_status { boom(); };
        recorded<core::receive_call> receive;
        CHECK(consumer.receive(receive) == status::disconnected);
        CHECK(receive.texts.best(core::whole_call) == boom.text("receive"));
        CHECK(heard() == told(boom.text("receive")));

        fake.settle = [&](mqb_settle*) -> mqb_status { boom(); };
        core::settle_entry entry;
        core::outcome outcome;
        recorded<core::settle_call> settle;
        settle.entries = std::span<const core::settle_entry>{&entry, 1};
        settle.outcomes = std::span<core::outcome>{&outcome, 1};
        CHECK(consumer.settle(settle) == status::disconnected);
        CHECK(outcome.settled() == core::settle_result::retry);
        CHECK(heard() == told(boom.text("settle")));

        fake.control = [&](mqb_control*) -> mqb_status { boom(); };
        recorded<core::control_call> control;
        CHECK(consumer.control(control) == status::disconnected);
        CHECK(heard() == told(boom.text("control")));

        fake.free_batch = [&](void*) { boom(); };
        consumer.free_batch(nullptr);
        CHECK(heard() == told(boom.text("free_batch")));

        fake.lanes_done = [&](std::uint64_t) { boom(); };
        consumer.lanes_done(1);
        CHECK(heard() == told(boom.text("lanes_done")));

        mqb_receive* pending = nullptr;
        fake.receive = [&](mqb_receive* r) { return pending = r, MQB_PENDING; };
        fake.cancel = [&](std::uint64_t) { boom(); };
        CHECK(consumer.receive(receive) == status::pending);
        consumer.cancel(receive);
        CHECK(heard() == told(boom.text("cancel")));
        pending->call.done(&pending->call, MQB_CANCELLED);
        CHECK(heard().empty());
        CHECK(receive.ended == status::cancelled);
        CHECK(receive.texts.empty());

        fake.free = [&] { boom(); };
        CHECK(close(side, consumer) == status::ok);
        CHECK(heard() == told(boom.text("free")));
    }
}

TEST_CASE("a send that throws leaves what it said nothing about uncertain") {
    for (const thrower boom : {thrower{true}, thrower{false}}) {
        route_side side;
        fake_publisher fake;
        loading::plugin_publisher publisher{make_instance(side), &fake.base, fake_publisher::table};
        publisher.listen(&side.events);
        fake.send = [&](mqb_send* s) -> mqb_status {
            mqb_outcome_at(&s->outcomes, 0)->result = MQB_DONE;
            boom();
        };
        some_messages given{{"a", "b"}};
        core::outcome outcomes[2];
        recorded<core::send_call> c;
        c.messages = loading::to_core<const core::message>(given.list());
        c.outcomes = std::span<core::outcome>{outcomes};
        CHECK(publisher.send(c) == status::disconnected);
        CHECK(outcomes[0].sent() == core::send_result::done);
        CHECK(outcomes[1].sent() == core::send_result::uncertain);
        CHECK(c.texts.best(1) == boom.text("send"));

        fake.send = fake_publisher{}.send;
        outcomes[0] = outcomes[1] = {};
        CHECK(publisher.send(c) == status::ok);
        CHECK(outcomes[1].sent() == core::send_result::done);
        CHECK(close(side, publisher) == status::ok);
        CHECK(side.events.all == told(boom.text("send")));
    }
}

TEST_CASE("a pending call of a start that threw afterwards cannot complete any more") {
    route_side side;
    fake_consumer fake;
    loading::plugin_consumer consumer{make_instance(side), &fake.base, fake_consumer::table};
    consumer.listen(&side.events);
    mqb_receive* kept = nullptr;
    fake.receive = [&](mqb_receive* r) -> mqb_status {
        kept = r;
        throw std::runtime_error("boom");
    };
    recorded<core::receive_call> c;
    CHECK(consumer.receive(c) == status::disconnected);
    kept->call.done(&kept->call, MQB_OK);
    side.box.deliver_all();
    CHECK(c.completions == 0);
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.receive threw: boom",
                                                      "misbehaviour fake.receive called `done` of a call that it had answered"});
    CHECK(close(side, consumer) == status::ok);
}
