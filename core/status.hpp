// status: the answer classes of every call in the model, and the states of a route.
#pragma once

#include <cstdint>
#include <string_view>

namespace mqb::core {

// Numbers are those of the plugin ABI, so that an adapter casts instead of mapping.
enum class status : std::int32_t {
    ok = 0,
    pending = 1,
    retry = 2,
    rejected = 3,
    bad_config = 4,
    disconnected = 5,
    end = 6,
    cancelled = 7,
    unsupported = 8,
};

[[nodiscard]] std::string_view to_text(status value) noexcept;

enum class route_state : std::uint8_t { starting, running, reconnecting, paused, draining, completed, failed, stopped };

[[nodiscard]] std::string_view to_text(route_state value) noexcept;
// True for completed, failed and stopped.
[[nodiscard]] bool is_final(route_state value) noexcept;

}  // namespace mqb::core
