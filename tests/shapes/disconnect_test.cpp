// Connections that are lost, at any point and by any call, and come back.
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;
using core::send_result;
using core::status;

namespace {

constexpr std::uint32_t messages = 30;

void completes(rig& r) {
    const auto end = r.end();
    INFO(r.describe());
    r.check_end();
    CHECK(end.state == core::route_state::completed);
    CHECK(r.from.count(item::place::settled) == messages);
    const verdict v = compare(r.from, r.to);
    CHECK(v.missing == 0);
    if (r.of_sink.has(core::promises::idempotent)) CHECK(v.repeated == 0);
}

// Drops connections at event n and at some later ones.
void drop_at(std::vector<std::unique_ptr<rig>>& rigs, const source_shape& from, const sink_shape& to, bool input, bool output) {
    rig whole{from, to, messages, 7};
    run(whole);
    for (std::size_t n = 1; n <= whole.log().events().size(); ++n) {
        auto& r = *rigs.emplace_back(std::make_unique<rig>(from, to, messages, 7 + n));
        r.on_event = [=](rig& self, std::size_t now) {
            if (now != n && now != n + 5 && now != n + 6) return;
            if (input && self.input) self.input->drop_connection();
            if (output && self.output) self.output->drop_connection();
        };
    }
}

}  // namespace

TEST_CASE("a source that loses its connection at any point connects again, and nothing is missing") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (auto from : all_sources(how))
            for (bool forgets : {true, false}) {
                from.forgets = forgets;
                std::vector<std::unique_ptr<rig>> rigs;
                drop_at(rigs, from, sink_named("idempotent", how), true, false);
                run_all(rigs);
                for (auto& r : rigs) completes(*r);
            }
}

TEST_CASE("an output that loses its connection at any point connects again, and nothing is missing") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const auto& to : all_sinks(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            drop_at(rigs, source_named("prefix", how), to, false, true);
            run_all(rigs);
            for (auto& r : rigs) completes(*r);
        }
}

TEST_CASE("both sides lose their connections at any point") {
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : all_sources(how)) {
            std::vector<std::unique_ptr<rig>> rigs;
            drop_at(rigs, from, sink_named("responding", how), true, true);
            run_all(rigs);
            for (auto& r : rigs) completes(*r);
        }
}

TEST_CASE("a call that answers disconnected is repeated: every call of every kind, the first connects failing too") {
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : all_sources(how))
            for (verb what : {verb::receive, verb::settle, verb::send}) {
                std::vector<std::unique_ptr<rig>> rigs;
                rig whole{from, sink_named("ordered-retry", how), messages, 7};
                run(whole);
                for (std::uint32_t n = 1; n <= whole.log().starts_of(what); ++n) {
                    auto& r = *rigs.emplace_back(std::make_unique<rig>(from, sink_named("ordered-retry", how), messages, 7));
                    auto& script = what == verb::send ? r.sink_script : r.source_script;
                    script.fail(what, n,
                                {.status = status::disconnected, .result = static_cast<std::int32_t>(send_result::done), .count = 1});
                    script.fail(verb::connect, 2, {.status = status::retry});
                    script.fail(verb::connect, 3, {.status = status::disconnected});
                }
                run_all(rigs);
                for (auto& r : rigs) completes(*r);
            }
}

TEST_CASE("an endpoint that connects and is lost at once, again and again, is tried with pauses") {
    for (answers how : {answers::at_once, answers::by_mail})
        for (verb what : {verb::receive, verb::settle, verb::send}) {
            rig r{source_named("prefix", how), sink_named("idempotent", how), messages, 3};
            auto& script = what == verb::send ? r.sink_script : r.source_script;
            script.always(what, {.status = status::disconnected});
            r.definition.drain = false;
            r.definition.shutdown_timeout = std::chrono::milliseconds{200};
            r.on_event = [&](rig& self, std::size_t) {
                if (script.calls_of(verb::connect) == (what == verb::settle ? 5 : 50)) self.stop();  // settles pause too
            };
            run(r);
            r.check_end();
            CHECK(r.end().state == core::route_state::stopped);
            CHECK(r.from.count(item::place::settled) == 0);
        }
}

TEST_CASE("a route that is stopped while it cannot connect ends soon") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread})
        for (verb what : {verb::receive, verb::settle, verb::send, verb::connect}) {
            rig r{source_named("prefix", how), sink_named("idempotent", how), messages, 3};
            auto& script = what == verb::send ? r.sink_script : r.source_script;
            script.fail(what, 1, {.status = status::disconnected});
            for (std::uint32_t n = 2; n < 2000; ++n) script.fail(verb::connect, n, {.status = status::retry});
            r.definition.drain = false;
            r.definition.shutdown_timeout = std::chrono::milliseconds{500};
            r.on_event = [&](rig& self, std::size_t) {
                if (script.calls_of(verb::connect) == 4) self.stop();
            };
            run(r);
            INFO(r.describe());
            r.check_end();
            CHECK(r.end().state == core::route_state::stopped);
            r.check_that_a_drain_completes_it(pool.get_executor());
        }
    pool.join();
}

TEST_CASE("a connection that can never be made again fails the route long before the shutdown timeout") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread})
        for (verb what : {verb::receive, verb::settle, verb::send}) {
            rig r{source_named("prefix", how), sink_named("ordered-retry", how), messages, 3};
            auto& script = what == verb::send ? r.sink_script : r.source_script;
            script.fail(what, 2, {.status = status::disconnected});
            script.fail(verb::connect, 2, {.status = status::bad_config});
            r.definition.shutdown_timeout = std::chrono::milliseconds{60'000};
            run(r);
            const auto end = r.end();
            INFO(r.describe());
            r.check_end();
            CHECK(end.state == core::route_state::failed);
            CHECK(end.cause == "the script said so");
            CHECK(end.seconds < 10);
            r.check_that_a_drain_completes_it(pool.get_executor());
        }
    pool.join();
}
