// Buffers on both sides: what goes together arrives, is settled and fails as if it went alone.
#include "core/middlewares/builtin.hpp"
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
const core::middleware_definition buffer{"buffer", R"({"max_messages": 10, "max_delay_ms": 1})", "buffer", {}};
const core::middleware_definition at_once{"buffer", R"({"max_messages": 4, "max_delay_ms": 0})", "buffer", {}};
const core::middleware_definition filter{"filtering", "{}", "filtering", {}};
const core::middleware_definition later{"settling-later", "{}", "later", {}};

std::unique_ptr<rig> make(source_shape from, const sink_shape& to, std::uint64_t seed, std::vector<core::middleware_definition> input,
                          std::vector<core::middleware_definition> output) {
    from.emptied_at_stop = !input.empty();
    auto r = std::make_unique<rig>(from, to, messages, seed);
    core::add_builtin(r->middlewares);
    add_decorators(r->middlewares);
    r->definition.first_again = std::chrono::milliseconds{1};
    r->definition.input.middlewares = std::move(input);
    r->definition.output.middlewares = std::move(output);
    return r;
}

}  // namespace

TEST_CASE("buffers on both sides: every message arrives and is settled, in order where the output keeps it") {
    for (answers how : all_answers)
        for (const auto& to : all_sinks(how))
            for (const auto& input : {std::vector<core::middleware_definition>{}, {buffer}, {later, filter, buffer}}) {
                std::vector<std::unique_ptr<rig>> rigs;
                for (auto from : all_sources(how))
                    for (const auto& output : {buffer, at_once}) {
                        from.expires = 0;
                        auto& r = *rigs.emplace_back(make(from, to, 3, input, {output}));
                        r.definition.batch_size = input.empty() ? 1 : 6;
                    }
                run_all(rigs);
                for (auto& r : rigs) {
                    const auto end = r->end();
                    r->check_end();
                    INFO(r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(r->from.count(item::place::settled) == messages);
                    CHECK(end.totals.filtered == (input.size() == 3 ? 21 : 0));
                    if (to.has(core::promises::ordered)) CHECK(compare(r->from, r->to).out_of_order == 0);
                }
            }
}

TEST_CASE("failures and lost connections below a buffer: nothing is lost, and the order is kept where it was") {
    for (answers how : all_answers)
        for (const char* name : {"ordered-retry", "pipelined", "ordered"}) {
            std::vector<std::unique_ptr<rig>> rigs;
            std::uint64_t seed = 800;
            for (auto from : all_sources(how))
                for (std::uint32_t n = 1; n <= 5; ++n) {
                    from.expires = 0;
                    auto& r = *rigs.emplace_back(make(from, sink_named(name, how), ++seed, {}, {n % 2 ? buffer : at_once}));
                    r.definition.batch_size = 2;
                    r.sink_script.fail(verb::send, n,
                                       {.result = static_cast<std::int32_t>(core::send_result::again), .first = n % 3, .count = 1});
                    if (n % 2) r.sink_script.fail(verb::send, n + 2, {.status = core::status::disconnected});
                }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                r->check_end();
                INFO(r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(r->from.count(item::place::settled) == messages);
                if (std::string{name} == "ordered-retry") CHECK(compare(r->from, r->to).out_of_order == 0);
            }
        }
}

TEST_CASE("batches in work at once go through one buffer together") {
    for (answers how : all_answers) {
        auto r = make(source_named("lease", how), sink_named("pipelined", how), 5, {},
                      {{"buffer", R"({"max_messages": 4, "max_delay_ms": 10000})", "buffer", {}}});
        r->definition.concurrency = 4;
        r->definition.has_one_stack = true;
        r->definition.batch_size = 1;
        run(*r);
        const auto end = r->end();
        const std::size_t sends = r->log().starts_of(verb::send);
        r->check_end();
        INFO(r->describe());
        CHECK(end.state == core::route_state::completed);
        CHECK(end.seconds < 10);  // four are always there, or the end of the input lets them go
        CHECK(sends < messages);
    }
}

TEST_CASE("a route with buffers that is stopped at any moment loses nothing") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 150'000;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (int k = 0; k < 30; ++k) {
                auto& r = *rigs.emplace_back(make(from, sink_named(k % 2 ? "ordered-retry" : "idempotent", how), ++seed, {later, buffer},
                                                  {k % 4 < 2 ? buffer : at_once}));
                r.definition.drain = k % 2 == 0;
                r.stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 60;
            }
            run_all(rigs);
            for (auto& r : rigs) {
                r->check_end();
                r->check_that_a_drain_completes_it(pool.get_executor());
            }
        }
    MESSAGE("seeds 150001 to " << seed);
    pool.join();
}

TEST_CASE("a buffer on an input that is not next to its source, or next to another one, is refused") {
    for (const bool is_file : {false, true}) {
        auto r = make(source_named("lease", answers::by_mail), sink_named("pipelined", answers::by_mail), 3, {}, {});
        if (is_file) {
            r->definition.input.middlewares = {buffer};
        } else {
            r = make(source_named("lease", answers::by_mail), sink_named("pipelined", answers::by_mail), 3, {buffer, filter}, {});
        }
        run(*r);
        CHECK(r->end().state == core::route_state::failed);
        CHECK(r->end().cause == (is_file
                                     ? "buffer: cannot stand at this input: only next to a source that keeps its messages in this process"
                                     : "buffer: \"buffer\" has to stand next to the source"));
    }
}
