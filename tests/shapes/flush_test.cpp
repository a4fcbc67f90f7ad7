// Empty sends that fail: what an output holds back behind DONE is acknowledged already, so nobody else will tell that it is lost.
#include "tests/shapes/closers.hpp"
#include "tests/shapes/rig.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;
using core::route_state;
using core::status;

namespace {

constexpr std::uint32_t messages = 24;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

template <class Check>
void on_each(Check check) {
    for (const answers how : all_answers)
        for (const sink_shape& to : all_sinks(how)) {
            rig r{source_named("prefix", how), to, messages, 5};
            check(r);
        }
}

// All messages are delivered and settled, whatever became of the empty send.
void check_delivered(rig& r) {
    r.check_end();
    CHECK(r.from.count(item::place::settled) == messages);
    CHECK(compare(r.from, r.to).missing == 0);
}

struct dead_rig : rig {
    explicit dead_rig(bool refuses) : rig(source_named("prefix", answers::by_mail), sink_named("ordered", answers::by_mail), messages, 5) {
        endpoints.add("closer", closing_endpoint(plan));
        definition.dead_letters.endpoint = core::endpoint_definition{"closer", "{}", path, {}, {}};
        if (refuses)
            sink_script.fail(verb::send, 2, {.result = static_cast<std::int32_t>(core::send_result::refused), .first = 0, .count = 1});
    }
    static constexpr const char* path = "dead_letters.endpoint";
    close_plan plan;
};

}  // namespace

TEST_CASE("an output is asked to finish what it holds when something was sent, and not when nothing was") {
    on_each([](rig& r) {
        run(r);
        INFO(r.describe());
        check_delivered(r);
        CHECK(r.end().state == route_state::completed);
        CHECK(r.log().starts_of(verb::flush) >= 1);
    });
    rig idle{source_named("prefix", answers::by_mail), sink_named("ordered", answers::by_mail), 0, 5};
    run(idle);
    CHECK(idle.end().state == route_state::completed);
    CHECK(idle.log().starts_of(verb::flush) == 0);

    rig never{source_named("prefix", answers::by_mail), sink_named("ordered", answers::by_mail), messages, 5};
    never.sink_script.always(verb::connect, {.status = status::retry});
    never.on_event = [](rig& self, std::size_t) {
        if (self.log().starts_of(verb::connect) == 3) self.stop();
    };
    run(never);
    never.check_end();
    CHECK(never.end().state == route_state::stopped);
    CHECK(never.log().starts_of(verb::flush) == 0);
}

TEST_CASE("what cannot be finished for good fails the route with its text, though everything is settled") {
    for (const status answer : {status::rejected, status::bad_config})
        on_each([answer](rig& r) {
            r.sink_script.always(verb::flush, {.status = answer});
            run(r);
            INFO(r.describe());
            check_delivered(r);
            CHECK(r.end().state == route_state::failed);
            CHECK(r.end().cause == (answer == status::rejected ? "output: could not finish what it holds: the script said so"
                                                               : "output: the script said so"));
        });
}

TEST_CASE("what cannot be finished now is tried again until it is") {
    for (const status answer : {status::retry, status::disconnected, status::cancelled})
        on_each([answer](rig& r) {
            // The first that come may stand beside sends; the last one is another.
            for (std::uint32_t n = 1; n <= 3; ++n) r.sink_script.fail(verb::flush, n, {.status = answer});
            run(r);
            INFO(r.describe());
            check_delivered(r);
            CHECK(r.end().state == route_state::completed);
            CHECK(r.end().cause.empty());
            CHECK(r.log().starts_of(verb::flush) >= 4);
        });
}

TEST_CASE("what cannot be finished until the deadline fails the route") {
    for (const bool never : {false, true})
        for (const answers how : all_answers) {
            rig r{source_named("prefix", how), sink_named("ordered", how), messages, 5};
            r.definition.shutdown_timeout = std::chrono::milliseconds{200};
            for (std::uint32_t n = 1; n <= 100; ++n) r.sink_script.fail(verb::flush, n, {.status = status::retry});
            if (never) r.sink_script.fail(verb::flush, 1, {.never = true});
            run(r);
            INFO(r.describe());
            r.check_end(never);
            CHECK(r.end().state == route_state::failed);
            CHECK(r.end().cause == (never ? "a plugin call did not come back within the shutdown timeout"
                                          : "output: could not finish what it holds: the script said so"));
        }
}

TEST_CASE("a route that has failed still lets its output finish") {
    on_each([](rig& r) {
        r.sink_script.fail(verb::send, 2, {.result = static_cast<std::int32_t>(core::send_result::refused), .first = 0, .count = 1});
        r.definition.on_error = core::error_policy::stop;
        run(r);
        INFO(r.describe());
        r.check_end();
        CHECK(r.end().state == route_state::failed);
        REQUIRE(r.log().starts_of(verb::flush) >= 1);
        // The last thing that it is asked before its end.
        verb last = verb::connect;
        for (const event& e : r.log().events())
            if (!e.is_answer && (e.what == verb::send || e.what == verb::flush)) last = e.what;
        CHECK(last == verb::flush);
    });
}

TEST_CASE("an endpoint for dead letters finishes what it holds before it is closed") {
    dead_rig works{true}, unused{false}, later{true}, fails{true};
    later.plan.flushes[dead_rig::path] = {status::retry, status::retry};
    fails.plan.flushes[dead_rig::path] = {status::rejected};
    for (dead_rig* r : {&works, &unused, &later, &fails}) {
        run(*r);
        INFO(r->describe());
        r->check_end();
        CHECK(r->end().totals.dead_lettered == (r == &unused ? 0 : 1));
        CHECK(r->plan.flushes_of(dead_rig::path) == (r == &unused ? 0 : r == &later ? 3 : 1));
        CHECK(r->end().state == (r == &fails ? route_state::failed : route_state::completed));
    }
    CHECK(fails.end().cause == "dead_letters.endpoint: could not finish what it holds: the plan said so");
}

TEST_CASE("an output hears of the end of its input when that has come by itself and everything is settled") {
    enum class ending { by_itself, stopped, failed };
    for (const answers how : all_answers)
        for (const ending what : {ending::by_itself, ending::stopped, ending::failed}) {
            rig r{source_named("prefix", how), sink_named("ordered", how), messages, 5};
            std::vector<std::string> heard;
            std::size_t settled = 0;
            std::uint32_t sends = 0;
            r.on_event = [&](rig& self, std::size_t) {
                if (!self.output || self.output->on_control) return;
                self.output->on_control = [&](core::control_call& c) {
                    heard.push_back(c.id + c.request);
                    settled = self.from.count(item::place::settled);
                    sends = static_cast<std::uint32_t>(self.log().starts_of(verb::flush));
                    return status::unsupported;
                };
            };
            if (what == ending::stopped) r.stop_at = 12;
            if (what == ending::failed) {
                r.sink_script.fail(verb::send, 2,
                                   {.result = static_cast<std::int32_t>(core::send_result::refused), .first = 0, .count = 1});
                r.definition.on_error = core::error_policy::stop;
            }
            run(r);
            INFO(r.describe());
            r.check_end();
            if (what != ending::by_itself) {
                CHECK(heard.empty());
                continue;
            }
            CHECK(r.end().state == route_state::completed);
            CHECK(heard == std::vector<std::string>{"input.ended{}"});
            CHECK(settled == messages);
            CHECK(sends >= 1);
        }
}

TEST_CASE("an output that does not take the end of its input is told, and the route has completed all the same") {
    struct answer {
        status what;
        std::string text, told;
    };
    const std::vector<answer> answers_of_outputs{{status::ok, "not read", ""},
                                                 {status::unsupported, "not read", ""},
                                                 {status::retry, "", "retry"},
                                                 {status::bad_config, "the marker is a directory", "the marker is a directory"},
                                                 {status::disconnected, "", "disconnected"}};
    for (const bool at_once : {true, false})
        for (const answer& given : answers_of_outputs) {
            rig r{source_named("prefix", answers::by_mail), sink_named("ordered", answers::by_mail), messages, 5};
            int asked = 0;
            r.on_event = [&](rig& self, std::size_t) {
                if (!self.output || self.output->on_control) return;
                self.output->on_control = [&](core::control_call& c) {
                    ++asked;
                    if (!given.text.empty()) c.texts.set(core::whole_call, given.text);
                    if (at_once) return given.what;
                    struct letter : core::mail {
                        core::call* what = nullptr;
                        status came{};
                    };
                    auto* later = new letter;
                    later->what = &c;
                    later->came = given.what;
                    later->deliver = [](core::mail& m) noexcept {
                        const std::unique_ptr<letter> one{static_cast<letter*>(&m)};
                        one->what->done(*one->what, one->came);
                    };
                    self.output->post_to_route(*later);
                    return status::pending;
                };
            };
            run(r);
            INFO(r.describe());
            r.check_end();
            CHECK(r.end().state == route_state::completed);
            CHECK(asked == 1);
            const auto lines = r.told().lines("did not take the end of its input");
            if (given.told.empty()) CHECK(lines.empty());
            if (!given.told.empty())
                CHECK(lines == std::vector<quiet_logger::line>{
                                   {core::log_level::warning, "rig", "output", "did not take the end of its input: " + given.told}});
        }
}
