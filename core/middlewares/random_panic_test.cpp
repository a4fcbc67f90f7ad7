#include "core/middlewares/random_panic.hpp"

#include "core/middlewares/faulty_consumer.hpp"
#include "core/middlewares/faulty_publisher.hpp"
#include "core/middlewares/hand_source_test.hpp"
#include "core/middlewares/scripted_publisher_test.hpp"

#include <functional>

using namespace mqb::core;

namespace {

using words = std::vector<std::string>;
using answers = std::vector<status>;

struct lines final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::debug; }
    void write(log_level, std::string_view, std::string_view path, std::string_view text) noexcept override {
        all.push_back(std::string{path} + ' ' + std::string{text});
    }
    words all;
};

// What the route would do: fail, and cancel what is in flight.
struct failing final : event_sink {
    void on_misbehaviour(std::string_view text) override {
        all.emplace_back(text);
        if (then) then();
    }
    words all;
    std::function<void()> then;
};

std::shared_ptr<fault_plan> plan_of(fault_mode mode, std::uint64_t trigger = 0) {
    return std::make_shared<fault_plan>(fault_setting{mode, trigger, true});
}

struct output_side {
    explicit output_side(std::shared_ptr<fault_plan> plan) : faulty(inner, std::move(plan), box, "output.middlewares[0]") {
        faulty.listen(&heard);
        inner.script = {"d", "d", "d", "d", "d"};
    }
    mailbox box;
    manual_timers clock{box};
    failing heard;
    scripted_publisher inner{clock};
    faulty_publisher faulty;
};

struct input_side {
    explicit input_side(std::shared_ptr<fault_plan> plan)
        : faulty(inner, std::move(plan), box, clock, "input.middlewares[0]", {log, "random_panic", "r", "input.middlewares[0]"}) {
        faulty.listen(&heard);
    }
    status receive() {
        upper.answers.clear();
        upper.texts.clear();
        return faulty.receive(upper);
    }
    mailbox box;
    manual_timers clock{box};
    lines log;
    failing heard;
    hand_source inner;
    named_receive upper;
    faulty_consumer faulty;
};

}  // namespace

TEST_CASE("on an output each mode has the class of its fault, and nothing is sent") {
    struct row {
        fault_mode mode;
        status answer;
        const char* results;
    };
    for (const row& r : {row{fault_mode::timeout, status::ok, "aa"},
                         {fault_mode::nack, status::ok, "aa"},
                         {fault_mode::json_format_error, status::ok, "rr"},
                         {fault_mode::disconnect, status::disconnected, "uu"}}) {
        INFO(to_text(r.mode));
        output_side s{plan_of(r.mode)};
        for (const char* number : {"1", "2"}) {
            named_send ab{"ab"};
            CHECK(s.faulty.send(ab) == r.answer);
            CHECK(ab.results() == r.results);
            CHECK(ab.texts.best(1) == "random_panic: " + std::string{to_text(r.mode)} + " at send " + number);
        }
        CHECK(s.inner.log.empty());
        CHECK(s.heard.all.empty());
    }
}

TEST_CASE("a trigger names the one send that goes wrong; empty sends are passed on and not counted") {
    output_side s{plan_of(fault_mode::nack, 3)};
    std::string results;
    for (int i = 0; i < 6; ++i) {
        named_send flush{""}, a{"a"};
        s.inner.script.push_front("");
        CHECK(s.faulty.send(flush) == status::ok);
        CHECK(s.faulty.send(a) == status::ok);
        results += a.results();
    }
    CHECK(results == "ddaddd");
}

TEST_CASE("workers count together") {
    const auto plan = plan_of(fault_mode::nack, 2);
    output_side one{plan}, other{plan};
    named_send a{"a"}, b{"b"}, c{"c"};
    one.faulty.send(a);
    other.faulty.send(b);
    one.faulty.send(c);
    CHECK(a.results() + b.results() + c.results() == "dad");
}

TEST_CASE("a panic fails the route, and the call comes back unsent, never inside its start") {
    output_side s{plan_of(fault_mode::panic, 2)};
    named_send a{"a"}, b{"b"}, c{"c"};
    CHECK(s.faulty.send(a) == status::ok);
    CHECK(s.faulty.send(b) == status::pending);
    CHECK(s.heard.all.empty());
    s.heard.then = [&] {
        CHECK(b.answers.empty());
        s.faulty.cancel(b);  // as a route does that has failed
    };
    s.box.deliver_all();
    CHECK(s.heard.all == words{"output.middlewares[0]: random_panic: panic at send 2"});
    CHECK(b.answers == answers{status::cancelled});
    CHECK(b.results() == "u");
    CHECK(s.inner.cancelled.empty());
    CHECK(s.faulty.send(c) == status::ok);
}

TEST_CASE("several panics at once fail it once, and all of them come back") {
    output_side s{plan_of(fault_mode::panic)};
    named_send a{"a"}, b{"b"};
    CHECK(s.faulty.send(a) == status::pending);
    CHECK(s.faulty.send(b) == status::pending);
    s.box.deliver_all();
    CHECK(s.heard.all.size() == 1);
    CHECK(a.answers == answers{status::cancelled});
    CHECK(b.answers == answers{status::cancelled});
}

TEST_CASE("on an input a fault is a lost connection, and nothing is read") {
    for (const fault_mode mode : {fault_mode::disconnect, fault_mode::timeout, fault_mode::nack}) {
        input_side s{plan_of(mode, 2)};
        s.inner.script = {"ab", "c"};
        CHECK(s.receive() == status::ok);
        CHECK(s.upper.letters() == "ab");
        CHECK(s.receive() == status::disconnected);
        CHECK(s.upper.batch == nullptr);
        CHECK(s.upper.texts.of(whole_call) == "random_panic: " + std::string{to_text(mode)} + " at receive 2");
        CHECK(s.inner.receives == 1);
        CHECK(s.receive() == status::ok);
        CHECK(s.upper.letters() == "c");
    }
}

TEST_CASE("a panic on an input fails the route and ends the receive") {
    input_side s{plan_of(fault_mode::panic)};
    CHECK(s.receive() == status::pending);
    s.heard.then = [&] { s.faulty.cancel(s.upper); };
    s.box.deliver_all();
    CHECK(s.heard.all == words{"input.middlewares[0]: random_panic: panic at receive 1"});
    CHECK(s.upper.answers == answers{status::cancelled});
    CHECK(s.inner.receives == 0);
    CHECK(s.inner.cancelled.empty());
}

TEST_CASE("a made-up message is no message of the source: it is settled and freed here") {
    input_side s{plan_of(fault_mode::json_format_error)};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.letters() == "{invalid json}");
    CHECK(s.upper.messages.count == 1);
    void* const first = s.upper.batch;
    const auto id = s.upper.messages.copy(0).id;
    CHECK(s.receive() == status::ok);
    void* const second = s.upper.batch;
    CHECK(first != second);
    CHECK(s.upper.messages.copy(0).id != id);
    CHECK(settle(s.faulty, first, {0}) == "o");
    CHECK(s.log.all.empty());
    CHECK(settle(s.faulty, second, {0}, disposition::reject) == "o");
    CHECK(s.log.all == words{"input.middlewares[0] random_panic: the made-up message was not delivered"});
    s.faulty.free_batch(first);
    s.faulty.free_batch(second);
    CHECK(s.inner.settled.empty());
    CHECK(s.inner.freed.empty());
}

TEST_CASE("beside a made-up message the source's own are settled at the source") {
    input_side s{plan_of(fault_mode::json_format_error, 1)};
    s.inner.script = {"ab"};
    CHECK(s.receive() == status::ok);
    CHECK(s.receive() == status::ok);
    CHECK(settle(s.faulty, s.upper.batch, {0, 1}) == "oo");
    s.faulty.free_batch(s.upper.batch);
    CHECK(s.inner.settled == words{"a b"});
    CHECK(s.inner.freed == words{"ab"});
}

TEST_CASE("what is enabled asks for permission, and only then") {
    const random_panic_factory factory;
    promises inner;
    inner.flags = promises::all_flags;
    CHECK(factory.injects_faults("{}"));
    CHECK(factory.injects_faults("null"));
    CHECK(factory.injects_faults(R"({"mode": "nack", "enabled": true})"));
    CHECK_FALSE(factory.injects_faults(R"({"mode": "nack", "enabled": false})"));
    CHECK_FALSE(factory.promise(R"({"mode": "earthquake"})", publisher_side, inner).has_value());
    CHECK(factory.promise("{}", consumer_side, inner)->flags == promises::all_flags);
}
