// letter_limits: what the store of dead letters keeps to, whichever route writes.
#pragma once

#include "host/state/letter_json.hpp"

#include <chrono>
#include <cstdint>

namespace mqb::state {

struct letter_limits {
    // Room that letters leave free on the file system, so that a purge still finds some; at most a twentieth of it.
    std::uint64_t keep_free = std::uint64_t{64} << 20;
    std::chrono::milliseconds patience = std::chrono::seconds{10};  // with another process that writes
    // Takes secrets out of an error before it is stored: who lists it later may not know them. Any thread. None: nothing is taken out.
    text_filter clean;
};

}  // namespace mqb::state
