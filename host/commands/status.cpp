#include "host/admin/host_requests.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/dlq_selection.hpp"
#include "host/commands/dlq_text.hpp"
#include "host/commands/state_place.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <iostream>
#include <string_view>

namespace mqb::host {

namespace {

namespace json = boost::json;

std::string text_of(const json::value& v) {
    if (v.is_string()) return harmless({v.get_string().data(), v.get_string().size()});
    return v.is_null() ? "-" : json::serialize(v);
}

std::string text_at(const json::object& in, const char* key) {
    const json::value* found = in.if_contains(key);
    return found ? text_of(*found) : "-";
}

// For how long.
std::string age_at(const json::object& in, const char* key) {
    const auto since = read_moment(text_at(in, key), wall_ns());
    return since ? age(*since, wall_ns()) : "-";
}

// These, and whatever else is not zero somewhere.
constexpr std::array<std::string_view, 3> always{"received", "delivered", "in_flight"};
constexpr std::array<std::string_view, 6> no_counters{"state", "since", "cause", "next_try", "lag", "in_flight_bytes"};

std::vector<std::string> counters_to_show(const json::object& routes) {
    std::vector<std::string> out;
    if (routes.empty() || !routes.begin()->value().is_object()) return out;
    for (const auto& member : routes.begin()->value().get_object()) {
        const std::string key{member.key().data(), member.key().size()};
        if (std::ranges::find(no_counters, key) != no_counters.end()) continue;
        bool is_shown = std::ranges::find(always, key) != always.end();
        for (const auto& r : routes) is_shown = is_shown || (r.value().is_object() && text_at(r.value().get_object(), key.c_str()) != "0");
        if (is_shown) out.push_back(key);
    }
    return out;
}

void print(const json::object& status) {
    static const json::object none;
    const auto object_at = [](const json::object& in, const char* key) -> const json::object& {
        const json::value* found = in.if_contains(key);
        return found && found->is_object() ? found->get_object() : none;
    };
    const json::object& host = object_at(status, "host");
    const json::object& routes = object_at(status, "routes");
    std::cout << "mqbridge " << text_at(host, "version") << ", process " << text_at(host, "pid") << ", for " << age_at(host, "since")
              << '\n';
    const std::vector<std::string> counters = counters_to_show(routes);
    std::vector<std::vector<std::string>> rows{{"route", "state", "for"}};
    rows[0].insert(rows[0].end(), counters.begin(), counters.end());
    rows[0].emplace_back("held");
    std::string causes;
    for (const auto& r : routes) {
        if (!r.value().is_object()) continue;
        const json::object& of = r.value().get_object();
        const std::string name = harmless({r.key().data(), r.key().size()});
        std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{name, text_at(of, "state"), age_at(of, "since")});
        for (const std::string& c : counters) row.push_back(text_at(of, c.c_str()));
        const json::value* held = of.if_contains("in_flight_bytes");
        row.push_back(size_in_words(held && held->is_int64() ? static_cast<std::uint64_t>(held->get_int64()) : 0));
        if (text_at(of, "cause") != "-") causes += name + ": " + text_at(of, "cause") + '\n';
        if (text_at(of, "next_try") != "-") causes += name + ": tries again at " + text_at(of, "next_try") + '\n';
    }
    std::cout << aligned(rows, 2) << causes;
}

}  // namespace

int status(const status_options& options) {
    std::string answer;
    const int code = ask_host(options.place, "status", admin::status_request(), answer);
    if (code != exit_done) return code;
    if (options.json)
        std::cout << answer << '\n';
    else
        print(json::parse(answer).get_object());
    return std::cout.flush() ? exit_done : exit_failed;
}

}  // namespace mqb::host
