// Lanes that are taken away while their messages are on the way.
#include "tests/shapes/decorators.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::uint32_t messages = 40;

void revoke_at_every_event(bool deadline_first, std::vector<std::uint32_t> partitions, bool twice) {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (auto from : all_sources(how)) {
            from.deadline_first = deadline_first;
            rig whole{from, sink_named("idempotent", how), messages, 9};
            run(whole);
            std::vector<std::unique_ptr<rig>> rigs;
            for (std::size_t n = 1; n <= whole.log().events().size(); ++n) {
                auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("idempotent", how), messages, 9 + n));
                r.on_event = [=](rig& self, std::size_t now) {
                    if (self.input && (now == n || (twice && now == n + 3))) self.input->revoke(partitions);
                };
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                INFO(r->describe());
                r->check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(r->from.count(item::place::settled) == messages);
                CHECK(compare(r->from, r->to).missing == 0);
                // Without a deadline everything is settled in time.
                if (!deadline_first && from.expires == 0) CHECK(end.totals.returned == 0);
            }
        }
}

}  // namespace

TEST_CASE("one lane is taken away at any point: its messages are settled before it is given up") {
    revoke_at_every_event(false, {1}, false);
}
TEST_CASE("all lanes are taken away at once at any point") { revoke_at_every_event(false, {0, 1, 2}, false); }
TEST_CASE("lanes are taken away twice in a row") { revoke_at_every_event(false, {0, 2}, true); }
TEST_CASE("the deadline of one lane comes first at any point: what was not recorded comes again") {
    revoke_at_every_event(true, {1}, false);
}
TEST_CASE("the deadline of all lanes comes first at any point") { revoke_at_every_event(true, {0, 1, 2}, true); }

TEST_CASE("lanes are taken away while messages of them are sent again, and the route is stopped") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (auto from : all_sources(how))
            for (bool deadline_first : {false, true}) {
                from.deadline_first = deadline_first;
                std::vector<std::unique_ptr<rig>> rigs;
                for (std::uint64_t seed = 1; seed <= 30; ++seed) {
                    auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("pipelined", how), messages, seed));
                    r.sink_script.fail(verb::send, 1,
                                       {.result = static_cast<std::int32_t>(core::send_result::again), .first = 1, .count = 2});
                    r.sink_script.fail(verb::send, 3, {.result = static_cast<std::int32_t>(core::send_result::unsent)});
                    r.source_script.fail(verb::settle, 2, {.result = static_cast<std::int32_t>(core::settle_result::retry), .first = 1});
                    r.stop_at = seed % 3 == 0 ? 10 + seed : 0;
                    r.on_event = [seed](rig& self, std::size_t now) {
                        if (self.input && now == 6 + seed) self.input->revoke({0, 1, 2});
                    };
                }
                run_all(rigs);
                for (auto& r : rigs) {
                    r->check_end();
                    r->check_that_a_drain_completes_it(pool.get_executor());
                }
            }
    pool.join();
}

TEST_CASE("lanes are taken away at any point while replies have no outcome yet, or are given again: they come before lanes_done") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const char* name : {"replying", "replying-prefix"}) {
            const auto made = [&](std::uint64_t seed) {
                auto r = std::make_unique<rig>(source_named(name, how), sink_named("responding", how), messages, seed);
                add_decorators(r->middlewares);
                r->definition.input.middlewares = {{"talkative", "{}", "input.middlewares[0]", {}}};
                for (std::uint32_t n = 2; n < 200; n += 3) r->source_script.fail(verb::settle, n, {.status = core::status::retry});
                return r;
            };
            auto whole = made(9);
            run(*whole);
            std::vector<std::unique_ptr<rig>> rigs;
            for (std::size_t n = 1; n <= whole->log().events().size(); n += 2) {
                rigs.push_back(made(9 + n));
                rigs.back()->on_event = [n](rig& self, std::size_t now) {
                    if (self.input && now == n) self.input->revoke({0, 1, 2});
                };
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                INFO(r->describe());
                r->check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.replied == messages);
                CHECK(end.totals.returned == 0);
                CHECK(compare(r->from, r->to).missing == 0);
            }
        }
}
