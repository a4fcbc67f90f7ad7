#include "core/expressions/functions.hpp"

#include "core/near_match.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace mqb::core::expressions {

namespace {

constexpr std::array<std::string_view, 8> closure_names = {"all", "none", "some", "one", "filter", "map", "flatMap", "count"};
std::vector<function> made() {
    std::vector<function> out;
    for (const auto part :
         {functions::of_texts(), functions::of_numbers(), functions::of_lists(), functions::of_types(), functions::of_dates()})
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

namespace {

std::string near(std::string_view name, std::vector<std::string> known) {
    constexpr std::size_t longest = 40;
    if (name.size() > longest) return {};
    const auto found = nearest_of(name, std::move(known));
    return found.empty() ? std::string{} : " (did you mean \"" + found.front() + "\"?)";
}

}  // namespace

std::string near_function(std::string_view name) {
    std::vector<std::string> known{"matches", "extract"};
    for (const function& f : all_functions()) known.emplace_back(f.name);
    known.insert(known.end(), closure_names.begin(), closure_names.end());
    return near(name, std::move(known));
}

std::string near_method(std::string_view name) {
    std::vector<std::string> known;
    for (const function& f : date_methods()) known.emplace_back(f.name);
    return near(name, std::move(known));
}

}  // namespace mqb::core::expressions
