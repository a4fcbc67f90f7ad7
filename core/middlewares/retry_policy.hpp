// retry_policy: how often a message is tried, and how long a retry waits.
#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <string_view>

namespace mqb::core {

struct retry_policy {
    std::uint32_t max_attempts = 3;  // tries in all, at least 1
    double initial_ns = 100e6;
    double longest_ns = 5000e6;
    double multiplier = 2.0;
    double jitter = 0.2;               // share of a pause by which it is longer or shorter
    std::uint64_t max_elapsed_ns = 0;  // no try starts so long after the first; 0: no limit

    [[nodiscard]] static result<retry_policy> read(std::string_view config);
    // After so many tries. spread: -1 to 1, where in the jitter. Never less than a millisecond.
    [[nodiscard]] std::uint64_t pause(std::uint32_t tries, double spread) const noexcept;
    // No further try at `due`.
    [[nodiscard]] bool is_over(std::uint32_t tries, std::uint64_t first_at, std::uint64_t due) const noexcept;
};

}  // namespace mqb::core
