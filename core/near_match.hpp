// near_match: which known names somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

// The nearest first, each once, at most three; none that differs by more than a third of its letters, or by all.
[[nodiscard]] std::vector<std::string> nearest_of(std::string_view name, std::vector<std::string> known);

}  // namespace mqb::core
