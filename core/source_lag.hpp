// source_lag: how much waits at a source and was not given out yet, as the source tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mqb::core {

// Each in its unit; not set: the source does not count that.
struct source_lag {
    std::optional<std::uint64_t> messages;
    std::optional<std::uint64_t> bytes;
};

// The answer to the control "lag": {"messages": N}, {"bytes": N} or both, whole numbers from 0. None: anything else.
[[nodiscard]] std::optional<source_lag> lag_of(std::string_view json);

}  // namespace mqb::core
