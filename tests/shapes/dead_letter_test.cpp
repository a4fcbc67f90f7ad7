// What is refused for good, or presented too often, ends in the dead letters, once, and its source hears of it then.
#include "tests/shapes/graves.hpp"
#include "tests/shapes/rig.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;
using core::send_result;

namespace {

constexpr std::uint32_t messages = 30;

fault refused(std::uint32_t first, std::uint32_t count) {
    return {.result = static_cast<std::int32_t>(send_result::refused), .first = first, .count = count};
}

std::vector<source_shape> sure_sources(answers how) {
    auto all = all_sources(how);
    std::erase_if(all, [](const auto& s) { return s.expires > 0; });
    return all;
}

std::uint64_t delivered(const core::ledger_totals& t) { return t.delivered + t.replied; }

}  // namespace

TEST_CASE("C102: one refused message of each send goes to the dead letters, its neighbours are delivered, every source hears the truth") {
    for (answers how : {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed})
        for (const auto& from : sure_sources(how))
            for (const auto& to : all_sinks(how)) {
                graves buried;
                rig r{from, to, messages, 11};
                r.dead_letters = &buried;
                r.sink_script.always(verb::send, refused(1, 1));
                run(r);
                INFO(r.describe());
                const auto end = r.end();
                r.check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.dead_lettered == buried.all().size());
                CHECK(end.totals.dead_lettered > 0);
                CHECK(delivered(end.totals) + end.totals.dead_lettered == messages);
                for (const item& i : r.from.items) {
                    const identity id{i.partition, i.number};
                    CHECK(r.to.has(id) != buried.has(id));
                    CHECK(i.reason == (buried.has(id) ? "dead_lettered" : ""));
                }
                for (const auto& [id, g] : buried.all()) {
                    CHECK(g.times == 1);
                    CHECK(g.text == "refused output: the script said so, 1");
                }
            }
}

TEST_CASE("max_deliveries: what never succeeds is presented so often and is dead then") {
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how))
            for (const char* to : {"pipelined", "ordered", "ordered-retry"}) {
                graves buried;
                rig r{from, sink_named(to, how), messages, 11};
                r.dead_letters = &buried;
                r.definition.max_deliveries = 3;
                r.definition.first_again = std::chrono::milliseconds{1};
                r.sink_script.always(verb::send,
                                     {.result = static_cast<std::int32_t>(send_result::again), .first = 0, .count = UINT32_MAX});
                r.definition.dead_letters.stop_after = 0;
                run(r);
                INFO(r.describe());
                const auto end = r.end();
                r.check_end();
                CHECK(end.state == core::route_state::completed);
                CHECK(end.totals.dead_lettered == messages);
                CHECK(buried.all().size() == messages);
                CHECK(r.to.log.empty());
                for (const auto& [id, g] : buried.all()) CHECK(g.text == "max_deliveries output: the script said so, 3");
            }
}

TEST_CASE("a drain ends as failed after too many dead letters in a row, and what was read comes again") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how)) {
            graves buried;
            rig r{from, sink_named("ordered", how), messages, 11};
            r.dead_letters = &buried;
            r.definition.dead_letters.stop_after = 5;
            r.sink_script.always(verb::send, refused(0, UINT32_MAX));
            run(r);
            INFO(r.describe());
            const auto end = r.end();
            r.check_end();
            CHECK(end.state == core::route_state::failed);
            CHECK(end.cause.find("messages in a row were dead-lettered") != std::string::npos);
            CHECK(end.totals.dead_lettered >= 5);
            CHECK(end.totals.dead_lettered < messages);
            r.sink_script.clear();
            r.start(pool.get_executor());
            r.wait();
            r.check_end();
            CHECK(r.from.count(item::place::settled) == messages);
            for (const item& i : r.from.items) CHECK((r.to.has({i.partition, i.number}) || buried.has({i.partition, i.number})));
        }
    pool.join();
}

TEST_CASE("C104: dead letters that cannot be written lose nothing: a drain ends as failed with the reason") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed})
        for (const auto& from : sure_sources(how)) {
            graves buried{1, 1.0};
            rig r{from, sink_named("ordered", how), messages, 11};
            r.dead_letters = &buried;
            r.sink_script.fail(verb::send, 2, refused(0, 1));
            run(r);
            INFO(r.describe());
            const auto end = r.end();
            r.check_end();
            CHECK(end.state == core::route_state::failed);
            CHECK(end.cause == "the dead letters cannot be written: retry");
            CHECK(end.totals.dead_lettered == 0);
            CHECK(buried.all().empty());
            r.check_that_a_drain_completes_it(pool.get_executor());
        }
    pool.join();
}

TEST_CASE("on_error: reject gives a message to a source that takes it, stop ends the route with the message unsettled") {
    boost::asio::thread_pool pool{2};
    for (answers how : {answers::at_once, answers::mixed}) {
        auto from = source_named("lease", how);
        from.expires = 0;
        graves buried;
        rig rejects{from, sink_named("ordered", how), messages, 11};
        rejects.dead_letters = &buried;
        rejects.definition.on_error = core::error_policy::reject;
        rejects.sink_script.fail(verb::send, 2, refused(0, 1));
        run(rejects);
        const auto end = rejects.end();
        rejects.check_end();
        CHECK(end.state == core::route_state::completed);
        CHECK(end.totals.rejected == 1);
        CHECK(buried.all().empty());
        for (const auto& any : sure_sources(how)) {
            rig stops{any, sink_named("ordered", how), messages, 11};
            stops.dead_letters = &buried;
            stops.definition.on_error = core::error_policy::stop;
            stops.sink_script.fail(verb::send, 2, refused(0, 1));
            run(stops);
            INFO(stops.describe());
            const auto stopped = stops.end();
            stops.check_end();
            CHECK(stopped.state == core::route_state::failed);
            CHECK(stopped.cause == "output: refused a message: the script said so");
            CHECK(buried.all().empty());
            stops.check_that_a_drain_completes_it(pool.get_executor());
        }
    }
    pool.join();
}
