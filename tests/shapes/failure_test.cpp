// Failures are walked: the Nth call fails, for every N, in every class, with every message of a batch.
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;
using core::send_result;
using core::settle_result;
using core::status;

namespace {

constexpr std::uint32_t messages = 24;

fault with(send_result r, std::uint32_t first = 0, std::uint32_t count = UINT32_MAX, status s = status::ok) {
    return {.status = s, .result = static_cast<std::int32_t>(r), .first = first, .count = count};
}
fault with(settle_result r, std::uint32_t first = 0, std::uint32_t count = UINT32_MAX, status s = status::ok) {
    return {.status = s, .result = static_cast<std::int32_t>(r), .first = first, .count = count};
}
fault with(status s) { return {.status = s}; }

std::uint32_t messages_in_call(const journal& log, verb what, std::uint32_t nth) {
    for (const event& e : log.events())
        if (e.what == what && !e.is_answer && --nth == 0) return e.count;
    return 0;
}

void completes(rig& r) {
    const auto end = r.end();
    r.check_end();
    CHECK(end.state == core::route_state::completed);
    CHECK(r.from.count(item::place::settled) == messages);
    CHECK(compare(r.from, r.to).missing == 0);
}

// One rig for each N = 1, 2, … up to the number of calls of a whole run.
void walk(const source_shape& from, const sink_shape& to, verb what, const fault& how, const std::function<void(rig&)>& check,
          const std::function<void(rig&)>& check_unhurt = nullptr) {
    rig whole{from, to, messages, 7};
    run(whole);
    const std::size_t calls = whole.log().starts_of(what);
    std::vector<std::unique_ptr<rig>> rigs;
    for (std::uint32_t n = 1; n <= calls; ++n) {
        auto& r = *rigs.emplace_back(std::make_unique<rig>(from, to, messages, 7));
        const bool is_output = what == verb::send;
        (is_output ? r.sink_script : r.source_script).fail(what, n, how);
    }
    run_all(rigs);
    for (std::uint32_t n = 1; n <= calls; ++n) {
        rig& r = *rigs[n - 1];
        INFO("call " << n << " fails: " << r.describe());
        // An empty send has no message that could be refused.
        const bool was_hurt = what != verb::send || messages_in_call(r.log(), what, n) != 0;
        was_hurt || !check_unhurt ? check(r) : check_unhurt(r);
    }
}

std::vector<source_shape> sure_sources(answers how) {
    auto all = all_sources(how);
    std::erase_if(all, [](const auto& s) { return s.expires > 0; });
    return all;
}

}  // namespace

TEST_CASE("messages that the output refuses for now are sent again: every send, every message, every shape") {
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& to : all_sinks(how))
            for (const auto& f : {with(send_result::again), with(send_result::unsent), with(send_result::uncertain),
                                  with(send_result::again, 0, 1), with(send_result::unsent, 1, 1), with(send_result::uncertain, 2, 1),
                                  with(status::retry), with(send_result::done, 1, 1, status::retry)})
                walk(source_named("prefix", how), to, verb::send, f, [&](rig& r) {
                    completes(r);
                    const bool may_repeat =
                        f.result == static_cast<std::int32_t>(send_result::uncertain) && !r.of_sink.has(core::promises::idempotent);
                    if (!may_repeat) CHECK(compare(r.from, r.to).repeated == 0);
                });
}

TEST_CASE("every source waits for messages that are sent again") {
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(from, sink_named("pipelined", how), verb::send, with(send_result::again, 0, 2), completes);
}

TEST_CASE("an output that keeps the order of what is sent again gets every partition in order") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const auto& f : {with(send_result::again), with(send_result::again, 1, 1), with(send_result::unsent, 2), with(status::retry)})
            walk(source_named("prefix", how), sink_named("ordered-retry", how), verb::send, f, [](rig& r) {
                completes(r);
                CHECK(compare(r.from, r.to).out_of_order == 0);
                CHECK(compare(r.from, r.to).repeated == 0);
            });
}

TEST_CASE("a message that the output refuses for good fails the route; done messages of that batch are settled, the rest comes again") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(
                from, sink_named("ordered", how), verb::send, with(send_result::refused, 0, 1),
                [&](rig& r) {
                    const auto end = r.end();
                    r.check_end();
                    CHECK(end.state == core::route_state::failed);
                    CHECK(end.cause == "output: refused a message: the script said so");
                    CHECK(end.totals.returned >= 1);
                    // What is done is settled, except where the source settles by prefix or as a whole and the refused one stands before it.
                    if (r.of_source.unit == core::settle_unit::message) CHECK(end.totals.delivered + end.totals.replied == r.to.log.size());
                    r.check_that_a_drain_completes_it(pool.get_executor());
                },
                completes);
    pool.join();
}

TEST_CASE("an output that refuses to be written at all fails the route, and nothing is lost") {
    boost::asio::thread_pool pool{2};
    for (status s : {status::bad_config, status::rejected, status::unsupported})
        walk(
            source_named("gated", answers::mixed), sink_named("pipelined", answers::mixed), verb::send, with(s),
            [&](rig& r) {
                const auto end = r.end();
                r.check_end();
                CHECK(end.state == core::route_state::failed);
                r.check_that_a_drain_completes_it(pool.get_executor());
            },
            completes);
    pool.join();
}

TEST_CASE("a receive that fails for now is asked again; one that fails for good fails the route") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how)) {
            walk(from, sink_named("ordered", how), verb::receive, with(status::retry), completes);
            walk(from, sink_named("ordered", how), verb::receive, with(status::cancelled), completes);
            for (status s : {status::rejected, status::bad_config, status::unsupported})
                walk(from, sink_named("ordered", how), verb::receive, with(s), [&](rig& r) {
                    const auto end = r.end();
                    r.check_end();
                    CHECK(end.state == core::route_state::failed);
                    CHECK(end.cause == "input: the script said so");
                    r.check_that_a_drain_completes_it(pool.get_executor());
                });
        }
    pool.join();
}

TEST_CASE("a settle that was not recorded is given again: every settle, every entry, every source") {
    for (answers how : {answers::at_once, answers::by_mail, answers::mixed})
        for (const auto& from : sure_sources(how))
            for (const auto& f :
                 {with(settle_result::retry), with(settle_result::retry, 0, 1), with(settle_result::retry, 1, 1), with(status::retry)})
                walk(from, sink_named("responding", how), verb::settle, f, [](rig& r) {
                    const auto end = r.end();
                    completes(r);
                    CHECK(end.totals.returned == 0);
                    CHECK(compare(r.from, r.to).repeated == 0);
                    if (r.of_source.dispositions & core::bit(core::disposition::reply))
                        for (const item& i : r.from.items) CHECK(i.replies.size() == 1);
                });
}

TEST_CASE("what is no longer ours to settle counts as returned and comes again") {
    for (answers how : {answers::at_once, answers::by_mail, answers::mixed})
        for (const auto& from : sure_sources(how))
            for (const auto& f : {with(settle_result::gone), with(settle_result::gone, 0, 1), with(settle_result::gone, 1, 1)})
                walk(from, sink_named("idempotent", how), verb::settle, f, [](rig& r) { completes(r); });
}

TEST_CASE("a first connect that fails is tried again; a wrong configuration fails the route") {
    for (answers how : {answers::at_once, answers::mixed})
        for (bool is_output : {false, true})
            for (status s : {status::retry, status::rejected, status::disconnected, status::end, status::bad_config}) {
                rig r{source_named("prefix", how), sink_named("ordered", how), messages, 3};
                auto& script = is_output ? r.sink_script : r.source_script;
                script.fail(verb::connect, 1, with(s));
                if (s != status::bad_config) script.fail(verb::connect, 2, with(s));
                run(r);
                const auto end = r.end();
                r.check_end();
                if (s == status::bad_config) {
                    CHECK(end.state == core::route_state::failed);
                    CHECK(end.cause == (is_output ? "output: the script said so" : "input: the script said so"));
                    CHECK(end.totals.received == 0);
                } else {
                    completes(r);
                }
            }
}
