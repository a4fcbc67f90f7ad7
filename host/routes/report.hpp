// report: what became of the messages of each route, as a table for people and as JSON for scripts.
#pragma once

#include "core/route.hpp"
#include "host/logs/scrubber.hpp"

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace mqb::host {

struct route_report {
    std::string name;
    core::route_snapshot snapshot;

    // Nothing is lost, left unsettled or miscounted.
    [[nodiscard]] bool is_clean() const noexcept;
};

struct host_facts {
    long process = 0;
    std::string version;
    std::chrono::system_clock::time_point since;
};

[[nodiscard]] std::string table(std::span<const route_report> routes, const scrubber& clean);
[[nodiscard]] std::string summary_json(std::span<const route_report> routes, const scrubber& clean);
// One line: {"host": {"pid","version","since"}, "routes": {NAME: {"state","since","cause","next_try","lag","in_flight_bytes" and the
// counters}}}; times are RFC 3339 in UTC; null: there is none.
[[nodiscard]] std::string status_json(const host_facts& host, std::span<const route_report> routes, const scrubber& clean);
// The object of one route in the summary.
[[nodiscard]] std::string summary_of(const route_report& route, const scrubber& clean);

// Columns of texts, padded; the first `texts` of them to the left, the others are numbers.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t texts);
// Whatever a text has in it, it stays on its line.
[[nodiscard]] std::string on_one_line(std::string text);

}  // namespace mqb::host
