// Calls that go wrong on purpose, on either side: a route goes on where it can, and fails whole where it cannot.
#include "core/middlewares/builtin.hpp"
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/graves.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 60;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

core::middleware_definition going_wrong(const std::string& mode, int trigger, const char* path) {
    return {"random_panic", R"({"mode": ")" + mode + R"(", "trigger_on_message": )" + std::to_string(trigger) + "}", path, {}};
}

std::unique_ptr<rig> make(const source_shape& from, const sink_shape& to, std::uint64_t seed) {
    auto r = std::make_unique<rig>(from, to, messages, seed);
    core::add_builtin(r->middlewares);
    add_decorators(r->middlewares);
    r->definition.first_again = std::chrono::milliseconds{1};
    r->definition.allows_faults = true;
    return r;
}

}  // namespace

TEST_CASE("a fault that is for now, on either side, loses nothing, whatever stands around it") {
    for (answers how : all_answers)
        for (const char* mode : {"disconnect", "timeout", "nack"})
            for (const bool is_output : {false, true}) {
                std::vector<std::unique_ptr<rig>> rigs;
                for (auto from : all_sources(how))
                    for (const auto& to : all_sinks(how)) {
                        from.expires = 0;
                        auto& r = *rigs.emplace_back(make(from, to, 3));
                        const auto broken = going_wrong(mode, 3, "fault");
                        if (is_output)
                            r.definition.output.middlewares = {broken, {"retry", R"({"initial_interval_ms": 1})", "retry", {}}};
                        else
                            r.definition.input.middlewares = {{"filtering", "{}", "filtering", {}}, broken};
                    }
                run_all(rigs);
                for (auto& r : rigs) {
                    const auto end = r->end();
                    r->check_end();
                    INFO(r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(r->from.count(item::place::settled) == messages);
                    CHECK(end.totals.filtered == (is_output ? 0 : 21));
                    if (is_output && r->of_sink.has(core::promises::ordered_retry)) CHECK(compare(r->from, r->to).out_of_order == 0);
                }
            }
}

TEST_CASE("a panic fails the route with its reason and nothing else; what was not delivered comes again") {
    boost::asio::thread_pool pool{2};
    for (answers how : all_answers)
        for (const bool is_output : {false, true})
            for (const std::uint32_t workers : {1u, 3u}) {
                std::vector<std::unique_ptr<rig>> rigs;
                for (auto from : all_sources(how)) {
                    sink_shape to = sink_named("idempotent", how);
                    to.send_window = std::max(to.send_window, 2 * workers);
                    auto& r = *rigs.emplace_back(make(from, to, 3));
                    r.definition.concurrency = workers;
                    const core::middleware_definition retry{"retry", "{}", "retry", {}};
                    (is_output ? r.definition.output : r.definition.input).middlewares = {going_wrong("panic", 3, "the.place")};
                    if (is_output) r.definition.output.middlewares.push_back(retry);
                }
                run_all(rigs);
                for (auto& r : rigs) {
                    INFO(r->describe());
                    CHECK(r->end().state == core::route_state::failed);
                    CHECK(r->end().cause == std::string{"the.place: random_panic: panic at "} + (is_output ? "send 3" : "receive 3"));
                    r->check_end();
                    r->definition.input.middlewares = r->definition.output.middlewares = {};
                    r->check_that_a_drain_completes_it(pool.get_executor());
                }
            }
    pool.join();
}

TEST_CASE("a made-up message reaches the output, and the books of the source do not know it") {
    for (answers how : all_answers)
        for (auto from : all_sources(how)) {
            from.expires = 0;
            auto r = make(from, sink_named("pipelined", how), 3);
            r->definition.input.middlewares = {going_wrong("json_format_error", 2, "fault")};
            run(*r);
            const auto end = r->end();
            r->check_end();
            INFO(r->describe());
            CHECK(end.state == core::route_state::completed);
            CHECK(end.totals.received == messages);
            CHECK(end.totals.delivered + end.totals.replied == messages);
        }
}

TEST_CASE("a route that does not allow faults is not started") {
    auto r = make(source_named("lease", answers::by_mail), sink_named("pipelined", answers::by_mail), 3);
    r->definition.allows_faults = false;
    r->definition.output.middlewares = {going_wrong("nack", 1, "output.middlewares[0]")};
    run(*r);
    CHECK(r->end().state == core::route_state::failed);
    CHECK(r->end().cause == "output.middlewares[0]: \"random_panic\" injects faults, which the route does not allow");
    CHECK(r->end().totals.received == 0);
}
