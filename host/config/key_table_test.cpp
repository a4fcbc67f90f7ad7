#include "host/config/route_options.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>

using namespace mqb::config;

namespace {

std::string type_of(const schema& s) {
    if (s.is_endpoint) return "endpoint";
    const schema& of = s.items ? *s.items : s;
    std::string out = s.items ? "list of " : "";
    for (std::size_t i = 0; i < of.choices.size(); ++i) out += (i == 0 ? "`" : ", `") + of.choices[i] + '`';
    return of.choices.empty() ? s.type_text() : out;
}

std::string default_of(const property& p) {
    if (p.is_required) return "required";
    if (!p.what.standard || *p.what.standard == "\"\"") return "–";
    std::string text = *p.what.standard;
    if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
    if (!p.what.is_size) return text;
    const std::uint64_t bytes = std::stoull(text);
    return bytes % (1u << 30) == 0 ? std::to_string(bytes >> 30) + " GiB" : std::to_string(bytes >> 20) + " MiB";
}

void rows(const schema& of, const std::string& prefix, std::set<std::string>& into) {
    for (const property& p : of.properties) {
        into.insert("| `" + prefix + p.name + "` | " + type_of(p.what) + " | " + default_of(p) + " | " + p.what.description + " |");
        rows(p.what, prefix + p.name + '.', into);
    }
}

}  // namespace

TEST_CASE("the page about route files lists every key of a route, as it is") {
    std::ifstream page{MQB_DOCS "/routes.md"};
    REQUIRE(page.is_open());
    std::set<std::string> expected, found;
    rows(route_schema(), "", expected);
    bool is_inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("#")) is_inside = line == "## Keys of a route";
        if (is_inside && line.starts_with("| `")) found.insert(line);
    }
    CHECK(expected.size() > 20);
    for (const std::string& row : expected) CHECK_MESSAGE(found.contains(row), "is missing: " << row);
    for (const std::string& row : found) CHECK_MESSAGE(expected.contains(row), "is not so: " << row);
}
