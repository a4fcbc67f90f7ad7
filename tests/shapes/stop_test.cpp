// Routes that are stopped in the middle: whatever was not settled comes again, and nothing is lost.
#include "tests/shapes/rig.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;

namespace {

constexpr std::size_t moments = 60;

// How many events a whole run has.
std::size_t events_of(const source_shape& from, const sink_shape& to) {
    rig whole{from, to, 60, 1};
    run(whole);
    return whole.log().events().size();
}

void stop_everywhere(answers how) {
    boost::asio::thread_pool pool{2};
    std::uint64_t seed = 1000 * static_cast<std::uint64_t>(how);
    for (const auto& from : all_sources(how))
        for (const auto& to : all_sinks(how)) {
            const std::size_t events = events_of(from, to);
            std::vector<std::unique_ptr<rig>> rigs;
            for (std::size_t k = 0; k < moments; ++k) {
                auto& r = *rigs.emplace_back(std::make_unique<rig>(from, to, 60, ++seed));
                r.definition.drain = k % 2 == 0;
                r.stop_at = 1 + std::minstd_rand{static_cast<std::uint32_t>(seed)}() % events;
            }
            run_all(rigs);
            for (auto& r : rigs) {
                const auto end = r->end();
                INFO(r->describe());
                r->check_end();
                CHECK((end.state == core::route_state::stopped || end.state == core::route_state::completed));
                r->check_that_a_drain_completes_it(pool.get_executor());
            }
        }
    MESSAGE("seeds " << 1000 * static_cast<std::uint64_t>(how) + 1 << " to " << seed);
    pool.join();
}

}  // namespace

TEST_CASE("a route that is stopped at any moment loses nothing: answers at once") { stop_everywhere(answers::at_once); }
TEST_CASE("a route that is stopped at any moment loses nothing: answers by mail") { stop_everywhere(answers::by_mail); }
TEST_CASE("a route that is stopped at any moment loses nothing: answers from another thread") { stop_everywhere(answers::from_thread); }
TEST_CASE("a route that is stopped at any moment loses nothing: answers mixed") { stop_everywhere(answers::mixed); }

TEST_CASE("a route that is stopped before it starts ends at once") {
    rig r{source_named("prefix", answers::at_once), sink_named("ordered", answers::at_once), 10, 3};
    r.definition.drain = false;
    boost::asio::io_context one_thread;
    r.start(one_thread.get_executor());
    r.stop();
    one_thread.run();
    CHECK(r.end().state == core::route_state::stopped);
    CHECK(r.end().totals.received == 0);
    r.check_end();
}

TEST_CASE("a route that waits for messages ends when it is stopped") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread})
        for (auto from : all_sources(how)) {
            from.ends = false;
            rig r{from, sink_named("pipelined", how), 5, 3};
            r.definition.drain = false;
            r.on_event = [](rig& self, std::size_t) {
                if (self.from.is_empty()) self.stop();
            };
            run(r);
            r.check_end();
            CHECK(r.end().state == core::route_state::stopped);
        }
}

TEST_CASE("a stop empties a source whose messages would be lost with it, whatever the moment") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (source_shape from : all_sources(how)) {
            from.emptied_at_stop = true;
            from.expires = 0;
            std::vector<std::unique_ptr<rig>> rigs;
            for (const std::size_t moment : {4, 9, 17, 30, 45}) {  // connected by then
                auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("ordered", how), 60, 100 + moment));
                r.definition.drain = false;
                r.stop_at = moment;
                // Some of the messages come after the stop has begun.
                r.on_event = [added = false](rig& self, std::size_t) mutable {
                    if (self.from.count(item::place::settled) < 20 || std::exchange(added, true)) return;
                    for (int k = 0; k < 5; ++k) self.from.add(0);
                    if (self.input) self.input->look_again();
                };
            }
            run_all(rigs);
            for (auto& r : rigs) {
                INFO(r->describe());
                r->check_end();
                CHECK(r->end().state == core::route_state::stopped);
                CHECK(r->from.items.size() == 65);
                CHECK(r->from.count(item::place::settled) == 65);
            }
        }
}

TEST_CASE("a source that cannot be emptied is left when the time is over, and one whose route is paused at once") {
    for (const bool paused : {false, true}) {
        auto from = source_named("prefix", answers::by_mail);
        from.emptied_at_stop = true;
        rig r{from, sink_named("ordered", answers::by_mail), 60, 7};
        r.definition.drain = false;
        r.definition.shutdown_timeout = std::chrono::milliseconds{paused ? 60'000 : 300};
        if (!paused) r.sink_script.always(verb::send, {.result = static_cast<std::int32_t>(core::send_result::again)});
        r.on_event = [paused, done = false](rig& self, std::size_t now) mutable {
            if (now < 12 || std::exchange(done, true)) return;
            if (paused) self.route().pause();
            self.stop();
        };
        run(r);
        INFO(r.describe());
        r.check_end();
        CHECK(r.end().state == core::route_state::stopped);
        CHECK(r.from.count(item::place::settled) < 60);
        CHECK(r.end().seconds < 20);
    }
}
