// Pause and resume: nothing is read meanwhile, nothing in flight is lost, and the state says so.
#include "tests/shapes/graves.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace mqb;
using namespace mqb::shapes;

namespace {

// Waits for something that another thread brings about.
template <class Condition>
bool comes(Condition holds) {
    for (int i = 0; i < 3000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
}

}  // namespace

TEST_CASE("a route that is paused at any moment finishes what it has, reads no more, and goes on when it is told to") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (auto from : all_sources(how))
            for (std::size_t at : {3u, 9u, 20u}) {
                from.expires = 0;
                rig r{from, sink_named("pipelined", how), 60, at};
                r.definition.drain = false;
                r.on_event = [at](rig& self, std::size_t n) {
                    if (n == at) self.route().pause();
                };
                r.start(pool.get_executor());
                INFO(r.describe());
                REQUIRE(comes(
                    [&] { return r.route().snapshot().state == core::route_state::paused || core::is_final(r.route().snapshot().state); }));
                if (!core::is_final(r.route().snapshot().state)) {
                    CHECK(r.route().snapshot().cause == "paused");
                    r.route().resume();
                }
                r.wait();
                const auto end = r.end();
                r.check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(r.from.count(item::place::settled) == 60);
            }
    pool.join();
}

TEST_CASE("a route without drain pauses for dead letters that cannot be written, and after resume nothing is missing") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const char* name : {"prefix", "gated", "unit-of-work"}) {
            graves buried{1, 1.0};
            rig r{source_named(name, how), sink_named("ordered", how), 60, 5};
            r.dead_letters = &buried;
            r.definition.drain = false;
            r.definition.first_again = std::chrono::milliseconds{1};
            r.sink_script.fail(verb::send, 2, {.result = static_cast<std::int32_t>(core::send_result::refused), .first = 0, .count = 1});
            r.start(pool.get_executor());
            REQUIRE(comes([&] { return r.route().snapshot().state == core::route_state::paused; }));
            CHECK(r.route().snapshot().cause == "the dead letters cannot be written: retry");
            buried.fail(0);
            r.route().resume();
            r.wait();
            const auto end = r.end();
            r.check_end();
            INFO(r.describe());
            CHECK(end.state == core::route_state::completed);
            CHECK(r.from.count(item::place::settled) == 60);
            CHECK(compare(r.from, r.to).missing == 0);  // presented again, it was taken
        }
    pool.join();
}

TEST_CASE("a paused route that is stopped ends as stopped") {
    boost::asio::thread_pool pool{2};
    rig r{source_named("prefix", answers::mixed), sink_named("ordered", answers::mixed), 60, 5};
    r.definition.drain = false;
    r.start(pool.get_executor());
    r.route().pause();
    comes([&] { return r.route().snapshot().state == core::route_state::paused || core::is_final(r.route().snapshot().state); });
    r.route().stop();
    r.wait();
    r.check_end();
    r.check_that_a_drain_completes_it(pool.get_executor());
    pool.join();
}

TEST_CASE("startup_timeout: a route that is not connected by then fails with the reason of the last try") {
    for (bool is_output : {false, true}) {
        rig r{source_named("prefix", answers::mixed), sink_named("ordered", answers::mixed), 10, 5};
        r.definition.startup_timeout = std::chrono::milliseconds{50};
        (is_output ? r.sink_script : r.source_script).always(verb::connect, {.status = core::status::retry});
        run(r);
        r.check_end();
        CHECK(r.end().state == core::route_state::failed);
        CHECK(r.end().cause.starts_with("not connected within 50 ms"));
        CHECK(r.end().cause.ends_with("the script said so"));
    }
}

TEST_CASE("a source is asked for its lag while messages move; one that does not answer keeps nothing but the asker waiting") {
    for (bool answers_at_once : {true, false}) {
        auto from = source_named("prefix", answers::by_mail);
        from.ends = false;
        rig r{from, sink_named("pipelined", answers::by_mail), 20, 3};
        r.definition.drain = false;
        core::control_call* waiting = nullptr;
        std::vector<std::string> asked;
        std::atomic<int> told{0};
        std::atomic<bool> is_empty{false};
        r.on_event = [&](rig& self, std::size_t) {
            is_empty = self.from.count(item::place::settled) == self.from.items.size();
            if (!self.input || self.input->on_control) return;
            self.input->on_control = [&](core::control_call& c) {
                asked.push_back(c.id + c.request);
                c.answer = R"({"messages":7})";
                if (answers_at_once) return core::status::ok;
                waiting = &c;
                return core::status::pending;
            };
            self.input->on_cancel = [&](core::call& c) {
                if (&c != waiting) return;
                // As a source does: the completion comes later.
                struct letter : core::mail {
                    core::call* what = nullptr;
                };
                auto* later = new letter;
                later->what = std::exchange(waiting, nullptr);
                later->deliver = [](core::mail& m) noexcept {
                    const std::unique_ptr<letter> mine{static_cast<letter*>(&m)};
                    mine->what->done(*mine->what, core::status::cancelled);
                };
                self.input->post_to_route(*later);
            };
        };
        boost::asio::thread_pool pool{2};
        r.start(pool.get_executor());
        REQUIRE(comes([&] { return is_empty.load(); }));
        r.route().ask_lag([&] { ++told; });
        r.route().ask_lag([&] { ++told; });
        if (answers_at_once) {
            REQUIRE(comes([&] { return told == 2; }));
            REQUIRE(r.route().snapshot().lag);
            CHECK(r.route().snapshot().lag->messages == 7);
            CHECK_FALSE(r.route().snapshot().lag->bytes);
        }
        r.stop();
        r.wait();
        pool.join();
        INFO(r.describe());
        CHECK(told == 2);
        CHECK(r.end().state == core::route_state::stopped);
        CHECK(r.end().totals.delivered == 20);
        CHECK_FALSE(r.end().lag);
        CHECK(asked.size() <= 2);
        for (const auto& a : asked) CHECK(a == "lag{}");
        bool is_told_at_once = false;
        r.route().ask_lag([&] { is_told_at_once = true; });
        CHECK(is_told_at_once);
        r.check_end();
    }
}
