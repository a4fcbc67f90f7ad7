// Closes that fail, or never come back: of everything that a route is made of, in every class, whatever ends the route.
#include "core/middlewares/builtin.hpp"
#include "tests/shapes/closers.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <utility>

using namespace mqb;
using namespace mqb::shapes;
using core::status;
using when = close_plan::when;
using line = quiet_logger::line;

namespace {

constexpr std::uint32_t messages = 24;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};
constexpr status all_failures[] = {status::retry,        status::rejected, status::bad_config,
                                   status::disconnected, status::end,      status::cancelled};

// A rig of which every part can be told how its close goes.
struct closing_rig : rig {
    closing_rig(const source_shape& source, const sink_shape& sink, std::uint64_t number) : rig(source, sink, messages, number) {
        core::add_builtin(middlewares);
        middlewares.add("closer", closing_middleware(plan));
        endpoints.add("closer", closing_endpoint(plan));
        definition.input.middlewares = {{"closer", "{}", "input.middlewares[0]", {}}, {"closer", "{}", "input.middlewares[1]", {}}};
        definition.output.middlewares = {{"closer", "{}", "output.middlewares[0]", {}}, {"closer", "{}", "output.middlewares[1]", {}}};
        core::middleware_definition dlq{"dlq", "{}", "output.middlewares[2]", {}};
        dlq.nested.push_back({"/endpoint", {"closer", "{}", "output.middlewares[2].dlq.endpoint", {}, {}}});
        definition.output.middlewares.push_back(dlq);
        definition.dead_letters.endpoint = core::endpoint_definition{"closer", "{}", "dead_letters.endpoint", {}, {}};
    }
    void set_close(const std::string& path, status answer, when comes) {
        const fault wrong{.status = answer, .never = comes == when::never, .text = "the plan said so"};
        if (path == "input") return source_script.always(verb::close, wrong);
        if (path == "output") return sink_script.always(verb::close, wrong);
        plan.ends[path] = {answer, comes};
    }
    close_plan plan;
};

// The parts, in the order in which they are closed, each with the endpoint that a warning names.
struct part {
    const char* path;
    const char* endpoint;
};
constexpr part parts[] = {{"input.middlewares[0]", "input"},
                          {"input.middlewares[1]", "input"},
                          {"input", "input"},
                          {"output.middlewares[2].dlq.endpoint", "output"},
                          {"output.middlewares[1]", "output"},
                          {"output.middlewares[0]", "output"},
                          {"output", "output"},
                          {"dead_letters.endpoint", "dead_letters.endpoint"}};
// What the plan sees of that.
const std::vector<std::string> planned{"input.middlewares[0]",  "input.middlewares[1]",  "output.middlewares[2].dlq.endpoint",
                                       "output.middlewares[1]", "output.middlewares[0]", "dead_letters.endpoint"};

line warning(const std::string& endpoint) { return {core::log_level::warning, "rig", endpoint, "close failed: the plan said so"}; }

void fail_all(closing_rig& r, status answer, when comes) {
    for (const part& p : parts) r.set_close(p.path, answer, comes);
}

std::vector<line> warnings_of_all() {
    std::vector<line> out;
    for (const part& p : parts) out.push_back(warning(p.endpoint));
    return out;
}

std::vector<source_shape> sure_sources(answers how) {
    auto all = all_sources(how);
    std::erase_if(all, [](const auto& s) { return s.expires > 0; });
    return all;
}

void completes(closing_rig& r) {
    const auto end = r.end();
    r.check_end();
    CHECK(end.state == core::route_state::completed);
    CHECK(end.cause.empty());
    CHECK(end.totals.received == messages);
    CHECK(end.totals.delivered + end.totals.replied == messages);
    CHECK(r.from.count(item::place::settled) == messages);
    CHECK(compare(r.from, r.to).repeated == 0);
}

template <class Rigs, class Check>
void run_each(Rigs& rigs, Check check) {
    boost::asio::thread_pool pool{2};
    for (auto& r : rigs) r->start(pool.get_executor());
    for (auto& r : rigs) r->wait();
    for (auto& r : rigs) {
        INFO(r->describe());
        check(*r);
    }
    pool.join();
}

}  // namespace

TEST_CASE("a close that fails changes nothing and is told: every part of a route, every class, at once and later") {
    for (answers how : all_answers)
        for (const auto& from : sure_sources(how))
            for (when comes : {when::at_once, when::by_mail}) {
                std::vector<std::unique_ptr<closing_rig>> rigs;
                std::vector<const part*> failing;
                for (const part& p : parts)
                    for (status s : all_failures) {
                        failing.push_back(&p);
                        rigs.push_back(std::make_unique<closing_rig>(from, sink_named("responding", how), rigs.size()));
                        rigs.back()->set_close(p.path, s, comes);
                    }
                std::size_t n = 0;
                run_each(rigs, [&](closing_rig& r) {
                    const part& p = *failing[n++];
                    CAPTURE(p.path);
                    completes(r);
                    CHECK(r.plan.log() == planned);
                    CHECK(r.told().lines("close failed") == std::vector{warning(p.endpoint)});
                });
            }
}

TEST_CASE("a close without a text is told by its class; one that has nothing to do is no failure") {
    closing_rig r{source_named("prefix", answers::by_mail), sink_named("pipelined", answers::by_mail), 3};
    r.source_script.fail(verb::close, 1, {.status = status::disconnected, .text = ""});
    r.sink_script.fail(verb::close, 1, {.status = status::unsupported, .text = ""});
    run(r);
    completes(r);
    CHECK(r.told().lines("close failed") == std::vector<line>{{core::log_level::warning, "rig", "input", "close failed: disconnected"}});
}

TEST_CASE("a route that is stopped at any event, connected or not, loses nothing when every close fails") {
    boost::asio::thread_pool pool{2};
    for (answers how : all_answers) {
        std::vector<std::unique_ptr<closing_rig>> rigs;
        for (const auto& from : all_sources(how)) {
            closing_rig whole{from, sink_named("idempotent", how), 7};
            run(whole);
            const std::size_t events = whole.log().events().size();
            for (bool is_lost : {false, true})
                for (std::size_t n = 1; n <= events; n += 3) {
                    auto& r = *rigs.emplace_back(std::make_unique<closing_rig>(from, sink_named("idempotent", how), 100 + n));
                    fail_all(r, all_failures[n % std::size(all_failures)], n % 2 ? when::at_once : when::by_mail);
                    // What is lost is waited for that long.
                    if (is_lost) r.definition.shutdown_timeout = std::chrono::milliseconds{2000};
                    r.on_event = [n, is_lost, has_stopped = false](rig& self, std::size_t now) mutable {
                        if (now < n || std::exchange(has_stopped, true)) return;
                        if (is_lost) {  // and cannot be made again
                            self.source_script.always(verb::connect, {.status = status::retry});
                            self.sink_script.always(verb::connect, {.status = status::retry});
                            if (self.input) self.input->drop_connection();
                            if (self.output) self.output->drop_connection();
                        }
                        self.stop();
                    };
                }
        }
        run_each(rigs, [&](closing_rig& r) {
            const auto end = r.end();
            r.check_end();
            CHECK((end.state == core::route_state::stopped || end.state == core::route_state::completed));
            CHECK(r.plan.log() == planned);
            CHECK(r.told().lines("close failed") == warnings_of_all());
            r.check_that_a_drain_completes_it(pool.get_executor());
        });
    }
    pool.join();
}

TEST_CASE("a route that fails says why, and not that its closes fail too") {
    for (answers how : all_answers)
        for (const auto& from : sure_sources(how)) {
            closing_rig r{from, sink_named("pipelined", how), 3};
            fail_all(r, status::rejected, when::by_mail);
            r.source_script.fail(verb::receive, 2, {.status = status::bad_config});
            run(r);
            const auto end = r.end();
            r.check_end();
            CHECK(end.state == core::route_state::failed);
            CHECK(end.cause == "input: the script said so");
            CHECK(r.told().lines("close failed") == warnings_of_all());
        }
}

TEST_CASE("each worker closes its middlewares, and each failure is told") {
    for (answers how : all_answers)
        for (when comes : {when::at_once, when::by_mail}) {
            closing_rig r{source_named("prefix", how), sink_named("pipelined", how), 3};
            r.definition.concurrency = 3;
            r.set_close("output.middlewares[1]", status::retry, comes);
            run(r);
            completes(r);
            CHECK(r.plan.log().size() == 2 + 3 * 3 + 1);
            CHECK(r.told().lines("close failed") == std::vector{warning("output"), warning("output"), warning("output")});
        }
}

TEST_CASE("a close that never comes back fails the route within the shutdown timeout, after everything was settled") {
    for (std::uint32_t concurrency : {1u, 2u})
        for (const part& p : parts) {
            CAPTURE(p.path);
            // Lives on with the route that was left behind.
            auto& r = *new closing_rig{source_named("prefix", answers::by_mail), sink_named("pipelined", answers::by_mail), 3};
            static std::vector<closing_rig*> left_behind;
            left_behind.push_back(&r);
            r.definition.concurrency = concurrency;
            r.definition.shutdown_timeout = std::chrono::milliseconds{100};
            r.set_close(p.path, status::ok, when::never);
            run(r);
            r.check_end(true);
            CHECK(r.end().state == core::route_state::failed);
            CHECK(r.end().cause == std::string{p.endpoint} + ": free did not return within the shutdown timeout");
            CHECK(r.end().seconds < 5);
            CHECK(r.end().totals.delivered == messages);
            CHECK(r.end().totals.in_flight == 0);
            CHECK(r.from.count(item::place::settled) == messages);
        }
}

TEST_CASE("what is half made is closed before it is made again, and a close of it that fails is told") {
    for (answers how : all_answers)
        for (std::uint32_t concurrency : {1u, 2u})
            for (const char* missing : {"input.middlewares[0]", "output.middlewares[1]"}) {
                closing_rig r{source_named("prefix", how), sink_named("pipelined", how), 3};
                const std::string made = missing[0] == 'i' ? "input.middlewares[1]" : "output.middlewares[0]";
                r.definition.concurrency = concurrency;
                r.plan.failing_makes[missing] = 2;
                r.set_close(made, status::rejected, concurrency == 1 ? when::by_mail : when::at_once);
                run(r);
                CAPTURE(missing);
                INFO(r.describe());
                CHECK(r.end().state == core::route_state::completed);
                CHECK(r.end().totals.delivered == messages);
                CHECK(r.log().violations().empty());
                const std::size_t in_the_end = made[0] == 'o' ? concurrency : 1;
                CHECK(r.told().lines("close failed").size() == 2 + in_the_end);
                const auto log = r.plan.log();
                CHECK(std::ranges::count(log, made) == static_cast<std::ptrdiff_t>(2 + in_the_end));
            }
}

TEST_CASE("a half-made chain that never comes back from its close does not keep the route from stopping") {
    for (std::uint32_t concurrency : {1u, 2u})
        for (const char* missing : {"input.middlewares[0]", "output.middlewares[1]"}) {
            CAPTURE(missing);
            auto& r = *new closing_rig{source_named("prefix", answers::by_mail), sink_named("pipelined", answers::by_mail), 3};
            static std::vector<closing_rig*> left_behind;
            left_behind.push_back(&r);
            r.definition.concurrency = concurrency;
            r.definition.shutdown_timeout = std::chrono::milliseconds{100};
            r.plan.failing_makes[missing] = 1000;
            r.set_close(missing[0] == 'i' ? "input.middlewares[1]" : "output.middlewares[0]", status::ok, when::never);
            boost::asio::thread_pool pool{2};
            r.start(pool.get_executor());
            while (r.plan.log().empty()) std::this_thread::yield();
            CHECK(r.route().snapshot().state == core::route_state::starting);
            r.stop();
            r.wait();
            pool.join();
            r.check_end(true);
            CHECK(r.end().state == core::route_state::failed);
            CHECK(r.end().cause.ends_with("put: free did not return within the shutdown timeout"));
            CHECK(r.end().seconds < 5);
            CHECK(r.end().totals.received == 0);
        }
}
