#include "host/commands/check_report.hpp"

#include "host/config/scalar.hpp"
#include "host/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace mqb::host {

namespace {

using config::json_string;

// A member of an object, with its comma.
std::string member(const char* name, const std::string& json, bool is_first = false) {
    return (is_first ? "\"" : ",\"") + std::string{name} + "\":" + json;
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : json_string(text); }

std::string finding_json(const config::finding& f, const scrubber& clean) {
    const auto number = [&](std::uint32_t n) { return f.at.line == 0 ? std::string{"null"} : std::to_string(n); };
    return '{' + member("severity", f.how == config::severity::error ? "\"error\"" : "\"warning\"", true) +
           member("file", json_string(f.file)) + member("line", number(f.at.line)) + member("column", number(f.at.column)) +
           member("path", json_string(f.path)) + member("text", json_string(clean.clean(f.text))) + '}';
}

std::string route_json(const config::planned_route& r, const scrubber& clean) {
    std::string out = '{' + member("name", json_string(r.definition.name), true) + member("enabled", r.is_enabled ? "true" : "false") +
                      member("input", json_string(r.definition.input.type)) + member("output", json_string(r.definition.output.type)) +
                      member("broken", text_or_null(clean.clean(r.broken)));
    if (r.has) {
        out += member("delivery", json_string(config::to_text(r.has->how))) + member("weakened_by", text_or_null(r.has->weakness)) +
               member("ordered", r.has->is_ordered ? "true" : "false") + member("disordered_by", text_or_null(r.has->disorder));
    }
    return out + '}';
}

std::string connect_json(const connect_result& c, const scrubber& clean) {
    return '{' + member("route", json_string(c.route), true) + member("endpoint", json_string(c.path)) +
           member("type", json_string(c.type)) + member("connects", c.why.empty() ? "true" : "false") +
           member("why", text_or_null(clean.clean(c.why))) + '}';
}

template <class All, class Write>
std::string list_json(const All& all, Write write) {
    std::string out;
    for (const auto& one : all) out += (out.empty() ? "" : ",\n  ") + write(one);
    return '[' + out + ']';
}

}  // namespace

bool is_good(const loaded_routes& loaded) {
    return !loaded.found.has_errors() &&
           std::none_of(loaded.routes.begin(), loaded.routes.end(), [](const auto& r) { return r.is_enabled && !r.broken.empty(); });
}

void print_check(const loaded_routes& loaded) {
    const scrubber clean{loaded.secrets};
    for (const std::string& text : loaded.warnings)
        std::cerr << coloured("warning: ", colour::yellow, STDERR_FILENO) << clean.clean(text) << '\n';
    for (const config::finding& f : loaded.found.sorted())
        std::cerr << coloured(clean.clean(f.line()), f.how == config::severity::error ? colour::red : colour::yellow, STDERR_FILENO)
                  << '\n';
    for (const config::planned_route& r : loaded.routes)
        if (!r.broken.empty()) std::cerr << r.definition.name << ": " << (r.is_enabled ? "" : "warning: ") << clean.clean(r.broken) << '\n';
    if (!is_good(loaded)) return;
    std::cout << coloured("ok", colour::green, STDOUT_FILENO) << '\n';
    for (const config::planned_route& r : loaded.routes) {
        std::cout << r.definition.name << ": " << r.definition.input.type << " to " << r.definition.output.type;
        if (r.has) std::cout << ", " << r.has->text();
        std::cout << (r.is_enabled ? "" : ", disabled") << '\n';
    }
    std::cout.flush();
}

void print_connects(const std::vector<connect_result>& results, const scrubber& clean) {
    for (const connect_result& c : results) {
        std::cout << c.route << ": " << c.path << '.' << c.type << ": "
                  << (c.why.empty() ? coloured("connects", colour::green, STDOUT_FILENO)
                                    : coloured("does not connect", colour::red, STDOUT_FILENO) + ": " + clean.clean(c.why))
                  << '\n';
    }
    std::cout.flush();
}

std::string check_json(const loaded_routes& loaded, const std::vector<connect_result>& connects) {
    const scrubber clean{loaded.secrets};
    const bool connects_all = std::all_of(connects.begin(), connects.end(), [](const auto& c) { return c.why.empty(); });
    return '{' + member("ok", is_good(loaded) && connects_all ? "true" : "false", true) +
           member("warnings", list_json(loaded.warnings, [&](const auto& text) { return json_string(clean.clean(text)); })) +
           member("findings", list_json(loaded.found.sorted(), [&](const auto& f) { return finding_json(f, clean); })) +
           member("routes", list_json(loaded.routes, [&](const auto& r) { return route_json(r, clean); })) +
           member("connects", list_json(connects, [&](const auto& c) { return connect_json(c, clean); })) + "}\n";
}

}  // namespace mqb::host
