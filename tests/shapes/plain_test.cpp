// Every source shape with every sink shape, without faults.
#include "tests/shapes/rig.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::shapes;

namespace {
constexpr answers all_answers[] = {answers::at_once, answers::by_mail, answers::from_thread, answers::mixed};
}

TEST_CASE("every source drains into every sink: nothing missing, nothing twice, the ledger exact") {
    std::vector<std::unique_ptr<rig>> rigs;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how))
            for (const auto& to : all_sinks(how)) rigs.push_back(std::make_unique<rig>(from, to, 150, 11 + rigs.size()));
    run_all(rigs);
    for (auto& r : rigs) {
        const auto end = r->end();
        r->check_end();
        INFO(r->describe());
        CHECK(end.state == core::route_state::completed);
        const verdict v = compare(r->from, r->to);
        CHECK(v.missing == 0);
        if (r->of_source.expires > 0) continue;  // an expired lease repeats
        CHECK(v.repeated == 0);
        CHECK(end.totals.received == 150);
        CHECK(end.totals.returned == 0);
        const bool answered = r->of_sink.has(core::promises::responds) && (r->of_source.dispositions & core::bit(core::disposition::reply));
        CHECK(end.totals.delivered == (answered ? 0 : 150));
        CHECK(end.totals.replied == (answered ? 150 : 0));
        for (const item& i : r->from.items) {
            if (!answered) {
                CHECK(i.replies.empty());
                continue;
            }
            REQUIRE(i.replies.size() == 1);
            CHECK(i.replies[0] == "re:" + std::to_string(i.partition) + "/" + std::to_string(i.number));
        }
    }
}

TEST_CASE("an ordered output gets every partition in order") {
    std::vector<std::unique_ptr<rig>> rigs;
    for (answers how : all_answers)
        for (const auto& from : all_sources(how))
            for (const char* to : {"ordered", "ordered-retry"}) {
                if (from.expires > 0) continue;
                rigs.push_back(std::make_unique<rig>(from, sink_named(to, how), 200, 5 + rigs.size()));
            }
    run_all(rigs);
    for (auto& r : rigs) {
        r->check_end();
        INFO(r->describe());
        CHECK(compare(r->from, r->to).out_of_order == 0);
        CHECK(r->to.log.size() == 200);
    }
}
