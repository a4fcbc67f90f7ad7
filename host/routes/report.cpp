#include "host/routes/report.hpp"

#include "host/config/scalar.hpp"
#include "host/state/letter_json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

namespace mqb::host {

namespace {

struct column {
    const char* name;
    std::uint64_t core::ledger_totals::*value;
    bool is_always_shown;
};
constexpr std::array columns{column{"received", &core::ledger_totals::received, true},
                             column{"delivered", &core::ledger_totals::delivered, true},
                             column{"replied", &core::ledger_totals::replied, false},
                             column{"filtered", &core::ledger_totals::filtered, false},
                             column{"duplicate", &core::ledger_totals::duplicate, false},
                             column{"discarded", &core::ledger_totals::discarded, false},
                             column{"dead_lettered", &core::ledger_totals::dead_lettered, false},
                             column{"rejected", &core::ledger_totals::rejected, false},
                             column{"nacked", &core::ledger_totals::nacked, false},
                             column{"returned", &core::ledger_totals::returned, false},
                             column{"in_flight", &core::ledger_totals::in_flight, true}};

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

std::string time_or_null(std::optional<std::chrono::system_clock::time_point> at) {
    if (!at) return "null";
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at->time_since_epoch()).count();
    return config::json_string(state::rfc3339(static_cast<std::uint64_t>(ns)));
}

std::string counters_json(const core::ledger_totals& totals) {
    std::string out;
    for (const column& c : columns) out += ",\"" + std::string{c.name} + "\":" + std::to_string(totals.*c.value);
    return out;
}

}  // namespace

std::string on_one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return text;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t texts) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - row[i].size(), ' ');
            const bool is_text = i < texts;
            out += is_text ? row[i] + (i + 1 < row.size() ? blanks + "  " : "") : blanks + row[i] + (i + 1 < row.size() ? "  " : "");
        }
        out += '\n';
    }
    return out;
}

bool route_report::is_clean() const noexcept {
    const core::ledger_totals& t = snapshot.totals;
    return snapshot.state != core::route_state::failed && t.is_exact() && t.returned == 0 && t.in_flight == 0;
}

std::string table(std::span<const route_report> routes, const scrubber& clean) {
    std::vector<std::vector<std::string>> rows{{"route", "state"}};
    const auto is_shown = [&](const column& c) {
        return c.is_always_shown ||
               std::any_of(routes.begin(), routes.end(), [&](const route_report& r) { return r.snapshot.totals.*c.value != 0; });
    };
    for (const route_report& r : routes) rows.push_back({on_one_line(r.name), std::string{core::to_text(r.snapshot.state)}});
    for (const column& c : columns) {
        if (!is_shown(c)) continue;
        rows[0].emplace_back(c.name);
        for (std::size_t i = 0; i < routes.size(); ++i) rows[i + 1].push_back(std::to_string(routes[i].snapshot.totals.*c.value));
    }
    rows[0].emplace_back("seconds");
    for (std::size_t i = 0; i < routes.size(); ++i) rows[i + 1].push_back(seconds_text(routes[i].snapshot.seconds));
    std::string out = aligned(rows, 2);
    for (const route_report& r : routes)
        if (!r.snapshot.cause.empty()) out += on_one_line(r.name + ": " + clean.clean(r.snapshot.cause)) + '\n';
    return out;
}

std::string summary_of(const route_report& route, const scrubber& clean) {
    using config::json_string;
    const core::route_snapshot& s = route.snapshot;
    std::string out =
        "{\"state\":" + json_string(core::to_text(s.state)) + counters_json(s.totals) + ",\"seconds\":" + seconds_text(s.seconds);
    if (!s.cause.empty()) out += ",\"cause\":" + json_string(clean.clean(s.cause));
    return out + '}';
}

std::string summary_json(std::span<const route_report> routes, const scrubber& clean) {
    std::string out = "{\"routes\":{";
    for (std::size_t i = 0; i < routes.size(); ++i)
        out += (i == 0 ? "" : ",") + config::json_string(routes[i].name) + ':' + summary_of(routes[i], clean);
    return out + "}}\n";
}

namespace {
std::string lag_json(const std::optional<core::source_lag>& lag) {
    if (!lag) return "null";
    std::string out;
    const auto add = [&](const char* unit, const std::optional<std::uint64_t>& n) {
        if (n) out += (out.empty() ? "{\"" : ",\"") + std::string{unit} + "\":" + std::to_string(*n);
    };
    add("messages", lag->messages);
    add("bytes", lag->bytes);
    return out + '}';
}
}  // namespace

std::string status_json(const host_facts& host, std::span<const route_report> routes, const scrubber& clean) {
    using config::json_string;
    std::string out = "{\"host\":{\"pid\":" + std::to_string(host.process) + ",\"version\":" + json_string(host.version) +
                      ",\"since\":" + time_or_null(host.since) + "},\"routes\":{";
    for (std::size_t i = 0; i < routes.size(); ++i) {
        const core::route_snapshot& s = routes[i].snapshot;
        out += (i == 0 ? "" : ",") + json_string(routes[i].name) + ":{\"state\":" + json_string(core::to_text(s.state)) +
               ",\"since\":" + time_or_null(s.since) + ",\"cause\":" + (s.cause.empty() ? "null" : json_string(clean.clean(s.cause))) +
               ",\"next_try\":" + time_or_null(s.next_try) + ",\"lag\":" + lag_json(s.lag) +
               ",\"in_flight_bytes\":" + std::to_string(s.in_flight_bytes) + counters_json(s.totals) + '}';
    }
    return out + "}}";
}

}  // namespace mqb::host
