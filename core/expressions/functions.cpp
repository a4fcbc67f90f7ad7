#include "core/expressions/functions.hpp"

#include "core/near_match.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace mqb::core::expressions {

namespace {

constexpr std::array<std::string_view, 8> closure_names = {"all", "none", "some", "one", "filter", "map", "flatMap", "count"};
constexpr std::array<std::string_view, 15> not_yet = {"d",           "date",       "time",          "duration",   "year",
                                                      "dayOfWeek",   "dayOfMonth", "dayOfYear",     "weekOfYear", "monthOfYear",
                                                      "monthString", "dateString", "weekdayString", "startOf",    "endOf"};

std::vector<function> made() {
    std::vector<function> out;
    for (const auto part : {functions::of_texts(), functions::of_numbers(), functions::of_lists(), functions::of_types()})
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

}  // namespace

std::span<const function> all_functions() noexcept {
    static const std::vector<function> all = made();
    return all;
}

std::optional<closure> closure_named(std::string_view name) noexcept {
    const auto found = std::ranges::find(closure_names, name);
    if (found == closure_names.end()) return std::nullopt;
    return static_cast<closure>(found - closure_names.begin());
}

std::string_view name_of(closure c) noexcept { return closure_names[static_cast<std::size_t>(c)]; }

bool is_not_yet(std::string_view name) noexcept { return std::ranges::find(not_yet, name) != not_yet.end(); }

std::string near_function(std::string_view name) {
    constexpr std::size_t longest = 40;
    if (name.size() > longest) return {};
    std::vector<std::string> known{"matches", "extract"};
    for (const function& f : all_functions()) known.emplace_back(f.name);
    known.insert(known.end(), closure_names.begin(), closure_names.end());
    const auto near = nearest_of(name, std::move(known));
    return near.empty() ? std::string{} : " (did you mean \"" + near.front() + "\"?)";
}

}  // namespace mqb::core::expressions
