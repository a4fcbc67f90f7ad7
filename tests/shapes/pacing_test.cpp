// Limits and delays in both chains: nothing is lost, repeated without need or out of order because it had to wait.
#include "core/middlewares/delay.hpp"
#include "core/middlewares/limiter.hpp"
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 60;
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};
const core::middleware_definition limit{"limiter", R"({"messages_per_second": 20000.5})", "limit", {}};
const core::middleware_definition slow{"limiter", R"({"messages_per_second": 0.001})", "slow", {}};
const core::middleware_definition delay{"delay", R"({"delay_ms": 1})", "delay", {}};

std::unique_ptr<rig> make(const source_shape& from, const sink_shape& to, std::uint64_t seed,
                          std::vector<core::middleware_definition> input, std::vector<core::middleware_definition> output) {
    auto r = std::make_unique<rig>(from, to, messages, seed);
    add_decorators(r->middlewares);
    r->middlewares.add("limiter", std::make_shared<core::limiter_factory>());
    r->middlewares.add("delay", std::make_shared<core::delay_factory>());
    r->definition.input.middlewares = std::move(input);
    r->definition.output.middlewares = std::move(output);
    return r;
}

}  // namespace

TEST_CASE("limits and delays on both sides: every message arrives once and is settled, in order where the output keeps it") {
    for (answers how : all_answers)
        for (const auto& to : all_sinks(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (auto from : all_sources(how)) {
                from.expires = 0;
                rigs.push_back(make(from, to, 3, {limit, delay}, {delay, limit}));
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                r->check_end();
                INFO(r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.delivered + end.totals.replied == messages);
                if (to.has(core::promises::ordered)) CHECK(compare(r->from, r->to).out_of_order == 0);
                CHECK(compare(r->from, r->to).missing == 0);
            }
        }
}

TEST_CASE("what is sent again keeps its place in an output that keeps it, with sends that wait for their time behind it") {
    for (answers how : all_answers)
        for (const auto& output : {std::vector{limit}, {delay, limit}, {limit, delay}}) {
            std::vector<std::unique_ptr<rig>> rigs;
            std::uint64_t seed = 500;
            for (auto from : all_sources(how)) {
                from.expires = 0;
                for (std::uint32_t n = 1; n <= 6; ++n) {
                    auto& r = *rigs.emplace_back(make(from, sink_named("ordered-retry", how), ++seed, {}, output));
                    r.sink_script.fail(verb::send, n,
                                       {.result = static_cast<std::int32_t>(core::send_result::again), .first = n % 3, .count = 1});
                }
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                r->check_end();
                INFO(r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(compare(r->from, r->to).out_of_order == 0);
                CHECK(r->from.count(item::place::settled) == messages);
            }
        }
}

TEST_CASE("a route that is stopped at any moment of a wait ends at once, loses nothing and leaves nothing behind") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 90'000;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (int k = 0; k < 30; ++k) {
                // The slow one waits for hours: a stop must not.
                const bool is_slow = k % 3 == 0;
                auto& r = *rigs.emplace_back(make(from, sink_named(k % 2 ? "ordered-retry" : "idempotent", how), ++seed,
                                                  {k % 6 == 0 ? slow : limit}, {delay, is_slow && k % 6 != 0 ? slow : limit}));
                r.definition.drain = k % 2 == 0;
                r.definition.shutdown_timeout = std::chrono::milliseconds{10'000};
                r.stop_at = is_slow ? 0 : 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 60;
                if (!is_slow) continue;
                // By then something waits, or is about to.
                r.on_event = [](rig& self, std::size_t) {
                    if (self.log().starts_of(verb::receive) > 0) self.stop();
                };
            }
            run_all(rigs);
            for (auto& r : rigs) {
                INFO(r->describe());
                CHECK(r->end().seconds < 8);
                r->check_end();
                r->definition.input.middlewares = {limit};
                r->definition.output.middlewares = {delay, limit};
                r->check_that_a_drain_completes_it(pool.get_executor());
            }
        }
    MESSAGE("seeds 90001 to " << seed);
    pool.join();
}

TEST_CASE("workers share a limit") {
    constexpr double rate = 2000;
    for (const std::uint32_t workers : {1u, 4u}) {
        auto r = make(source_named("lease", answers::by_mail), sink_named("pipelined", answers::by_mail), 9, {},
                      {{"limiter", R"({"messages_per_second": 2000})", "limit", {}}});
        r->definition.concurrency = workers;
        run(*r);
        const auto end = r->end();
        r->check_end();
        CHECK(end.state == core::route_state::completed);
        CHECK(end.seconds >= messages / rate);  // each with a limit of its own would take a quarter of it
    }
}
