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

// One rig for each N = 1, 2, … up to the number of calls of a whole run, and each fault; many side by side.
void walk(const source_shape& from, const sink_shape& to, verb what, const std::vector<fault>& faults,
          const std::function<void(rig&, const fault&)>& check, const std::function<void(rig&)>& check_unhurt = nullptr) {
    rig whole{from, to, messages, 7};
    run(whole);
    const std::size_t calls = whole.log().starts_of(what);
    std::vector<std::unique_ptr<rig>> rigs;
    for (const fault& how : faults)
        for (std::uint32_t n = 1; n <= calls; ++n) {
            auto& r = *rigs.emplace_back(std::make_unique<rig>(from, to, messages, 7));
            const bool is_output = what == verb::send;
            (is_output ? r.sink_script : r.source_script).fail(what, n, how);
        }
    run_all(rigs);
    for (std::size_t k = 0; k < rigs.size(); ++k) {
        rig& r = *rigs[k];
        const fault& how = faults[k / calls];
        const auto n = static_cast<std::uint32_t>(1 + k % calls);
        INFO("call " << n << " fails with " << core::to_text(how.status) << ", result " << how.result.value_or(-1) << " of " << how.count
                     << " from " << how.first << ": " << r.describe());
        // Threads may make it fewer calls; an empty send has no message that could be refused, nor any batch one of each number.
        const auto& script = what == verb::send ? r.sink_script : r.source_script;
        const bool was_hurt =
            script.calls_of(what) >= n && (what != verb::send || messages_in_call(r.log(), what, n) > (how.result ? how.first : 0));
        was_hurt || !check_unhurt ? check(r, how) : check_unhurt(r);
    }
}

void walk(const source_shape& from, const sink_shape& to, verb what, const fault& how, const std::function<void(rig&)>& check,
          const std::function<void(rig&)>& check_unhurt = nullptr) {
    walk(
        from, to, what, std::vector{how}, [&](rig& r, const fault&) { check(r); }, check_unhurt);
}

// Of all entries of a call, and of each one alone: no batch of a rig has more than six.
template <class Result>
std::vector<fault> of_all_and_each(std::initializer_list<Result> results) {
    std::vector<fault> out;
    for (Result r : results) {
        out.push_back(with(r));
        for (std::uint32_t i = 0; i < 6; ++i) out.push_back(with(r, i, 1));
    }
    return out;
}

std::vector<source_shape> sure_sources(answers how) {
    auto all = all_sources(how);
    std::erase_if(all, [](const auto& s) { return s.expires > 0; });
    return all;
}

}  // namespace

TEST_CASE("messages that the output refuses for now are sent again: every send, every message, every class, every shape") {
    auto faults = of_all_and_each({send_result::again, send_result::unsent, send_result::uncertain, send_result::give_back});
    for (status s : {status::retry, status::end, status::cancelled, status::disconnected}) {
        faults.push_back(with(s));
        for (std::uint32_t i = 0; i < 6; ++i) faults.push_back(with(send_result::done, i, 1, s));
    }
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& to : all_sinks(how))
            walk(source_named("prefix", how), to, verb::send, faults, [&](rig& r, const fault& f) {
                completes(r);
                const bool may_repeat = f.result == static_cast<std::int32_t>(send_result::uncertain) || f.status == status::disconnected;
                if (!may_repeat || r.of_sink.has(core::promises::idempotent)) CHECK(compare(r.from, r.to).repeated == 0);
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
                from, sink_named("ordered", how), verb::send, of_all_and_each({send_result::refused}),
                [&](rig& r, const fault&) {
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
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& to : all_sinks(how))
            walk(
                source_named("gated", how), to, verb::send,
                std::vector{with(status::bad_config), with(status::rejected), with(status::unsupported)},
                [&](rig& r, const fault&) {
                    const auto end = r.end();
                    r.check_end();
                    CHECK(end.state == core::route_state::failed);
                    CHECK(end.cause == "output: the script said so");
                    r.check_that_a_drain_completes_it(pool.get_executor());
                },
                completes);
    pool.join();
}

TEST_CASE("a receive that fails for now is asked again; one that fails for good fails the route") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how)) {
            walk(from, sink_named("ordered", how), verb::receive,
                 std::vector{with(status::retry), with(status::cancelled), with(status::disconnected)},
                 [](rig& r, const fault&) { completes(r); });
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

TEST_CASE("an end that comes too early ends a drain early, and nothing is lost") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(from, sink_named("ordered", how), verb::receive, with(status::end), [&](rig& r) {
                const auto end = r.end();
                r.check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.delivered + end.totals.replied == end.totals.received);
                CHECK(r.from.count(item::place::settled) == end.totals.received);
                r.check_that_a_drain_completes_it(pool.get_executor());
            });
    pool.join();
}

TEST_CASE("a settle that was not recorded is given again: every settle, every entry, every class, every source") {
    auto faults = of_all_and_each({settle_result::retry});
    for (status s : {status::retry, status::rejected, status::end, status::cancelled}) {
        faults.push_back(with(s));
        for (std::uint32_t i = 0; i < 6; ++i) faults.push_back(with(settle_result::ok, i, 1, s));
    }
    for (answers how : {answers::at_once, answers::by_mail, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(from, sink_named("responding", how), verb::settle, faults, [](rig& r, const fault&) {
                const auto end = r.end();
                completes(r);
                CHECK(end.totals.returned == 0);
                CHECK(compare(r.from, r.to).repeated == 0);
                if (r.of_source.dispositions & core::bit(core::disposition::reply))
                    for (const item& i : r.from.items) CHECK(i.replies.size() == 1);
            });
}

TEST_CASE("a settle that finds the configuration wrong fails the route, and nothing is lost") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(
                from, sink_named("idempotent", how), verb::settle, with(status::bad_config),
                [&](rig& r) {
                    const auto end = r.end();
                    r.check_end();
                    CHECK(end.state == core::route_state::failed);
                    CHECK(end.cause == "the script said so");
                    r.check_that_a_drain_completes_it(pool.get_executor());
                },
                completes);
    pool.join();
}

TEST_CASE("what is no longer ours to settle counts as returned and comes again") {
    for (answers how : {answers::at_once, answers::by_mail, answers::mixed})
        for (const auto& from : sure_sources(how))
            walk(from, sink_named("idempotent", how), verb::settle, of_all_and_each({settle_result::gone}),
                 [](rig& r, const fault&) { completes(r); });
}

TEST_CASE("a connect that fails is tried again: the first, and every one after the connection was lost, in every class") {
    for (answers how : {answers::at_once, answers::mixed})
        for (bool is_output : {false, true}) {
            std::vector<std::unique_ptr<rig>> rigs;
            for (status s : {status::retry, status::rejected, status::disconnected, status::end, status::cancelled})
                for (std::uint32_t n = 1; n <= 4; ++n) {
                    auto& r =
                        *rigs.emplace_back(std::make_unique<rig>(source_named("prefix", how), sink_named("idempotent", how), messages, n));
                    auto& script = is_output ? r.sink_script : r.source_script;
                    for (std::uint32_t k = 1; k <= 3; ++k)
                        script.fail(is_output ? verb::send : verb::receive, k, with(status::disconnected));
                    script.fail(verb::connect, n, with(s));
                }
            run_all(rigs);
            for (auto& r : rigs) {
                INFO(r->describe());
                // Several sends may be lost with one connection.
                const std::uint32_t connects = (is_output ? r->sink_script : r->source_script).calls_of(verb::connect);
                CHECK(connects >= (is_output && how == answers::mixed ? 3u : 5u));
                CHECK(connects <= 5);
                completes(*r);
            }
        }
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
