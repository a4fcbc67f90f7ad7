// Middlewares in both chains: filtering, settling later, holding back.
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 60;

std::vector<core::middleware_definition> chain(const char* path, std::vector<const char*> names) {
    std::vector<core::middleware_definition> out;
    for (const char* name : names) out.push_back({name, "{}", path, {}});
    return out;
}

std::unique_ptr<rig> make(const source_shape& from, const sink_shape& to, std::uint64_t seed, std::vector<const char*> input,
                          std::vector<const char*> output) {
    auto r = std::make_unique<rig>(from, to, messages, seed);
    add_decorators(r->middlewares);
    r->definition.input.middlewares = chain("input.middlewares", std::move(input));
    r->definition.output.middlewares = chain("output.middlewares", std::move(output));
    return r;
}

void check_filtered(rig& r) {
    for (const item& i : r.from.items) {
        const bool is_third = i.number % 3 == 0;
        if (i.at == item::place::settled) CHECK(i.reason == (is_third ? "filtered" : ""));
        if (is_third) CHECK_FALSE(r.to.has({i.partition, i.number}));
    }
}

constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};

}  // namespace

TEST_CASE("a middleware that filters on an input: its messages are settled as filtered and never sent, whatever settles above it") {
    for (answers how : all_answers)
        for (const auto& input : {std::vector{"filtering"}, {"settling-later", "filtering"}, {"filtering", "settling-later"}}) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (auto from : all_sources(how)) {
                from.expires = 0;
                rigs.push_back(make(from, sink_named("ordered", how), 3, input, {}));
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                r->check_end();
                INFO(r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.filtered == 21);
                CHECK(end.totals.delivered == 39);
                CHECK(compare(r->from, r->to).out_of_order == 0);
                check_filtered(*r);
            }
        }
}

TEST_CASE("a middleware that holds messages back on an output: its timer, and an empty send at the end, let them go") {
    for (answers how : all_answers)
        for (const char* to : {"pipelined", "ordered", "responding"}) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (const auto& from : all_sources(how))
                rigs.push_back(make(from, sink_named(to, how), 5, {"settling-later"}, {"holding-back"}));
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                r->check_end();
                INFO(r->describe());
                CHECK(end.state == core::route_state::completed);
                CHECK(r->from.count(item::place::settled) == messages);
            }
        }
}

TEST_CASE("a drain is not over while what a middleware took out of the last batches may come back: a lease that has run out") {
    for (answers how : all_answers) {
        std::vector<std::unique_ptr<rig>> rigs;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            source_shape from = source_named("lease", how);
            from.expires = 0.5;
            auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("ordered", how), 2, seed, 2));
            add_decorators(r.middlewares);
            r.definition.input.middlewares = chain("input.middlewares", {"filtering"});
        }
        run_all(rigs);
        std::uint64_t came_back = 0;
        for (auto& r : rigs) {
            const auto end = r->end();
            r->check_end();
            INFO(r->describe());
            CHECK(end.state == core::route_state::completed);
            CHECK(end.totals.filtered == 2);
            CHECK(r->from.count(item::place::settled) == 2);
            came_back += end.totals.returned;
        }
        CHECK(came_back > 0);
    }
}

TEST_CASE("a route with middlewares in both chains that is stopped at any moment loses nothing") {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 70'000;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (int k = 0; k < 60; ++k) {
                auto& r = *rigs.emplace_back(
                    make(from, sink_named("idempotent", how), ++seed, {"settling-later", "filtering"}, {"holding-back"}));
                r.definition.drain = k % 2 == 0;
                r.stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % 60;
            }
            run_all(rigs);
            for (auto& r : rigs) {
                r->check_end();
                check_filtered(*r);
                r->definition.drain = true;
                r->stop_at = 0;
                r->start(pool.get_executor());
                r->wait();
                r->check_end();
                check_filtered(*r);
                INFO(r->describe());
                CHECK(r->from.count(item::place::settled) == messages);
            }
        }
    MESSAGE("seeds 70001 to " << seed);
    pool.join();
}

TEST_CASE(
    "replies: one for each message whether the output answers once or twice, none when it never does, more when a middleware says so") {
    for (answers how : all_answers)
        for (const char* name : {"replying", "replying-prefix"})
            for (std::uint32_t responses : {0u, 1u, 2u})
                for (bool more : {false, true}) {
                    auto to = sink_named("responding", how);
                    to.responses = responses;
                    auto r = make(source_named(name, how), to, 3, more ? std::vector{"talkative"} : std::vector<const char*>{}, {});
                    r->sink_script.fail(verb::send, 2,
                                        {.result = static_cast<std::int32_t>(core::send_result::again), .first = 1, .count = 2});
                    r->source_script.fail(verb::settle, 3, {.status = core::status::retry});
                    run(*r);
                    const auto end = r->end();
                    r->check_end();
                    INFO(r->describe());
                    CHECK(end.state == core::route_state::completed);
                    CHECK(end.totals.replied == (responses ? messages : 0));
                    CHECK(end.totals.delivered == (responses ? 0 : messages));
                    for (const item& i : r->from.items) {
                        REQUIRE(i.replies.size() == (responses == 0 ? 0u : more ? 2u : 1u));
                        for (const auto& text : i.replies)
                            CHECK(text ==
                                  "re:" + std::to_string(i.partition) + "/" + std::to_string(i.number) + (responses == 2 ? " again" : ""));
                    }
                }
}
