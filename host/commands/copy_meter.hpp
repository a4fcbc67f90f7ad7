// copy_meter: counts what the source of a copy gives out, and ends it after so many messages.
#pragma once

#include "core/registry.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace mqb::host {

// Written by the route, read by any thread. Outlives the route.
struct copy_meter {
    std::uint64_t limit = 0;  // 0: none
    std::atomic<std::uint64_t> messages{0};
    std::atomic<std::uint64_t> payload_bytes{0};
};

// Makes the consumers of `inner` with a meter on the one that is the input of its route; everything else is as `inner` makes it.
[[nodiscard]] std::shared_ptr<core::endpoint_factory> metered(std::shared_ptr<core::endpoint_factory> inner, copy_meter& meter);

}  // namespace mqb::host
