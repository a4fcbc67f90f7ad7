#include "host/routes/report.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mqb;
using host::route_report;

namespace {

route_report report(const char* name, core::route_state state, core::ledger_totals totals, const char* cause = "") {
    route_report out{name, {}};
    out.snapshot.state = state;
    out.snapshot.totals = totals;
    out.snapshot.cause = cause;
    out.snapshot.seconds = 1.5;
    return out;
}

}  // namespace

TEST_CASE("the table shows what is not zero and what always matters") {
    core::ledger_totals good;
    good.received = good.delivered = 1000;
    core::ledger_totals bad;
    bad.received = 7;
    bad.delivered = 5;
    bad.returned = 2;
    const std::vector<route_report> all{report("orders", core::route_state::completed, good),
                                        report("b", core::route_state::failed, bad, "no such file")};
    CHECK(host::table(all, {}) ==
          "route   state      received  delivered  returned  in_flight  seconds\n"
          "orders  completed      1000       1000         0          0    1.500\n"
          "b       failed            7          5         2          0    1.500\n"
          "b: no such file\n");
}

TEST_CASE("the summary has every counter") {
    core::ledger_totals totals;
    totals.received = totals.replied = 3;
    const std::vector<std::string> secrets{"hunter22"};
    const std::vector<route_report> all{report("a\"b", core::route_state::failed, totals, "hunter22 is wrong")};
    CHECK(
        host::summary_json(all, host::scrubber{secrets}) ==
        R"({"routes":{"a\"b":{"state":"failed","received":3,"delivered":0,"replied":3,"filtered":0,"duplicate":0,"discarded":0,"dead_lettered":0,)"
        R"("rejected":0,"nacked":0,"returned":0,"in_flight":0,"seconds":1.500,"cause":"*** is wrong"}}})"
        "\n");
}

TEST_CASE("a route is clean when nothing is lost, left or miscounted") {
    using core::route_state;
    core::ledger_totals t;
    t.received = t.delivered = 2;
    CHECK(report("r", route_state::completed, t).is_clean());
    CHECK(report("r", route_state::stopped, t).is_clean());
    CHECK_FALSE(report("r", route_state::failed, t).is_clean());
    t.received = 3;
    CHECK_FALSE(report("r", route_state::completed, t).is_clean());
    t.returned = 1;
    CHECK_FALSE(report("r", route_state::completed, t).is_clean());
}

TEST_CASE("the status has what is there and null for what is not") {
    const std::vector<std::string> secrets{"hunter22"};
    const std::chrono::system_clock::time_point since{std::chrono::seconds{1'800'000'000}};
    core::ledger_totals totals;
    totals.received = 4;
    totals.dead_lettered = 1;
    totals.in_flight = 3;
    std::vector<route_report> all{report("a", core::route_state::reconnecting, totals, "hunter22: no route to host"),
                                  report("b", core::route_state::running, {})};
    all[0].snapshot.since = all[1].snapshot.since = since;
    all[0].snapshot.next_try = since + std::chrono::milliseconds{1500};
    all[0].snapshot.in_flight_bytes = 96;
    all[1].snapshot.lag = core::source_lag{12, 4096};
    const std::string zeros =
        R"("received":0,"delivered":0,"replied":0,"filtered":0,"duplicate":0,"discarded":0,"dead_lettered":0,"rejected":0,"nacked":0,)"
        R"("returned":0,"in_flight":0})";
    CHECK(host::status_json({7, "1.2", since}, all, host::scrubber{secrets}) ==
          R"({"host":{"pid":7,"version":"1.2","since":"2027-01-15T08:00:00Z"},"routes":{"a":{"state":"reconnecting",)"
          R"("since":"2027-01-15T08:00:00Z","cause":"***: no route to host","next_try":"2027-01-15T08:00:01.5Z","lag":null,)"
          R"("in_flight_bytes":96,"received":4,"delivered":0,"replied":0,"filtered":0,"duplicate":0,"discarded":0,"dead_lettered":1,)"
          R"("rejected":0,"nacked":0,"returned":0,"in_flight":3},"b":{"state":"running","since":"2027-01-15T08:00:00Z","cause":null,)"
          R"("next_try":null,"lag":{"messages":12,"bytes":4096},"in_flight_bytes":0,)" +
              zeros + "}}");
}
