// planned_text: for tests: what becomes of the text of route files.
#pragma once

#include "host/config/fake_types.hpp"
#include "host/config/plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

template <>
struct doctest::StringMaker<std::vector<std::string>> {
    static doctest::String convert(const std::vector<std::string>& lines) {
        std::string out;
        for (const std::string& line : lines) out += "\n  " + line;
        return doctest::String{out.c_str()};
    }
};

namespace mqb::config::fakes {

struct planned {
    std::vector<planned_route> routes;
    std::vector<std::string> lines;
    std::vector<std::string> secrets;
    route_set set;
};

inline planned plan(const std::vector<std::pair<std::string, std::string>>& texts, const environment& from = {}) {
    findings found;
    planned out;
    const known_types types = fakes::make_types();
    out.set = read_route_texts(texts, from, found, out.secrets);
    out.routes = plan_routes(out.set, types, found, out.secrets);
    for (const finding& f : found.sorted()) out.lines.push_back(f.line());
    return out;
}

inline planned plan(const std::string& text, const environment& from = {}) { return plan({{"f.yaml", text}}, from); }

using lines = std::vector<std::string>;

inline lines complaints(const std::string& text, const environment& from = {}) { return plan(text, from).lines; }

}  // namespace mqb::config::fakes
