// near_match: the known word that somebody probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mqb::config {

// Empty where nothing is near enough.
[[nodiscard]] std::string near_match(std::string_view word, std::span<const std::string> known);
// ` (did you mean "topic"?)`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace mqb::config
