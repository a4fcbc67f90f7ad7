// Limits: calls that never come back, ends of input, byte budgets.
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace mqb;
using namespace mqb::shapes;

TEST_CASE("a call that never comes back fails the route within the shutdown timeout, and the route says that it was left behind") {
    for (verb what : {verb::connect, verb::receive, verb::settle, verb::send, verb::flush, verb::close})
        for (bool is_output : {false, true}) {
            if (is_output && (what == verb::receive || what == verb::settle)) continue;
            if (!is_output && (what == verb::send || what == verb::flush)) continue;
            CAPTURE(static_cast<int>(what));
            // Lives on with the route that was left behind.
            auto& r = *new rig{source_named("prefix", answers::by_mail), sink_named("pipelined", answers::by_mail), 30, 3};
            static std::vector<rig*> left_behind;
            left_behind.push_back(&r);
            (is_output ? r.sink_script : r.source_script).fail(what, 1, {.never = true});
            r.definition.drain = false;
            r.definition.shutdown_timeout = std::chrono::milliseconds{100};
            r.on_event = [what, is_output](rig& self, std::size_t) {
                // The input is connected after the output: the first connect of the log is the output's.
                if (self.log().starts_of(what) > (what == verb::connect && !is_output ? 1u : 0u)) self.stop();
            };
            run(r);
            r.check_end(true);
            INFO(r.describe());
            CHECK(r.end().state == core::route_state::failed);
            CHECK(r.end().seconds < 5);
            CHECK(r.end().cause.find("did not") != std::string::npos);
        }
}

TEST_CASE("a settle that is refused for ever ends with the shutdown timeout: stopped, returned, nothing left behind") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const auto& from : all_sources(how)) {
            rig r{from, sink_named("idempotent", how), 30, 3};
            r.source_script.always(verb::settle, {.status = core::status::retry});
            r.definition.drain = false;
            r.definition.shutdown_timeout = std::chrono::milliseconds{100};
            r.stop_at = 12;
            run(r);
            INFO(r.describe());
            r.check_end();
            CHECK(r.end().state == core::route_state::stopped);
            CHECK(r.end().totals.delivered + r.end().totals.replied == 0);
            r.check_that_a_drain_completes_it(pool.get_executor());
        }
    pool.join();
}

TEST_CASE("the end of an input ends the route only when everything is recorded, with and without drain") {
    std::vector<std::unique_ptr<rig>> rigs;
    for (bool drain : {false, true})
        for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
            for (auto from : all_sources(how)) {
                from.expires = 0;
                auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("pipelined", how), 40, 3));
                r.definition.drain = drain;
                r.definition.shutdown_timeout = std::chrono::milliseconds{500};
                // Refused for longer than the shutdown timeout.
                for (std::uint32_t n = 1; n <= 6; ++n) r.source_script.fail(verb::settle, n, {.status = core::status::retry});
            }
    run_all(rigs);
    for (auto& one : rigs) {
        rig& r = *one;
        const auto end = r.end();
        INFO(r.describe());
        r.check_end();
        CHECK(end.state == core::route_state::completed);
        CHECK(end.totals.delivered == 40);
        CHECK(r.from.count(item::place::settled) == 40);
    }
}

TEST_CASE("a source that never ends is drained when nothing is there, without drain it waits") {
    auto from = source_named("gated", answers::by_mail);
    from.ends = false;
    rig drained{from, sink_named("ordered", answers::by_mail), 40, 3};
    run(drained);
    CHECK(drained.end().state == core::route_state::completed);
    CHECK(drained.end().totals.delivered == 40);
    drained.check_end();

    rig waiting{from, sink_named("ordered", answers::by_mail), 40, 3};
    waiting.definition.drain = false;
    std::uint32_t more = 5;
    waiting.on_event = [&](rig& self, std::size_t) {
        if (self.from.count(item::place::settled) != self.from.items.size()) return;
        if (more-- == 0) return self.stop();
        self.from.add(0);
        self.input->look_again();
    };
    run(waiting);
    CHECK(waiting.end().state == core::route_state::stopped);
    CHECK(waiting.end().totals.delivered >= 44);
    waiting.check_end();
}

TEST_CASE("no more bytes are in flight than the budget; a message larger than the budget goes alone") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const auto& from : all_sources(how)) {
            rig r{from, sink_named("pipelined", how), 60, 3};
            r.definition.max_in_flight_bytes = 3000;
            for (item& i : r.from.items) i.size = i.number % 7 == 3 ? 9000 : 400;
            std::uint64_t most = 0;
            std::size_t most_with_large = 0;
            r.on_event = [&](rig& self, std::size_t) {
                std::uint64_t bytes = 0;
                std::size_t out = 0, large = 0;
                for (const item& i : self.from.items) {
                    if (i.at != item::place::out) continue;
                    ++out;
                    bytes += i.size;
                    large += i.size > 3000;
                }
                if (!large) most = std::max(most, bytes);
                if (large) most_with_large = std::max(most_with_large, large);
            };
            run(r);
            INFO(r.describe());
            r.check_end();
            CHECK(most <= 3000);
            CHECK(most_with_large == 1);
            CHECK(r.from.count(item::place::settled) == 60);
        }
}
