// guarantee: what a route promises as a whole, computed from the promises of its two ends.
#pragma once

#include "core/route.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

enum class delivery { at_most_once, at_least_once, effectively_once };

struct guarantee {
    delivery how = delivery::at_most_once;
    bool is_ordered = false;
};

[[nodiscard]] std::string_view to_text(delivery how) noexcept;
[[nodiscard]] guarantee guarantee_of(const core::route_promises& of) noexcept;
// Why the route has not what `wanted` asks for; empty if it has.
[[nodiscard]] std::string shortfall(std::string_view wanted, const core::route_promises& of);

}  // namespace mqb::config
