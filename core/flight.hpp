// flight: one batch on its way through a route, from its receive to its last settlement.
#pragma once

#include "core/call.hpp"
#include "core/owned_message.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace mqb::core {

class running_route;

// ready -> sending -> settling -> done; sending -> pausing -> sending when something is sent again.
struct flight {
    enum class stage : std::uint8_t { ready, sending, pausing, settling, done };

    struct send_part : send_call {
        flight* self = nullptr;
        std::uint64_t delay_ns = 0;  // what the output asked for before the next try
    };
    struct settle_part : settle_call {
        flight* self = nullptr;
    };
    struct pause : timer {
        flight* self = nullptr;
        bool pending = false;
    };

    running_route* route = nullptr;
    stage at = stage::ready;
    std::uint64_t sequence = 0;  // in the order of the receives
    void* batch = nullptr;
    message_list messages;
    std::uint32_t unsettled = 0;  // messages that were not given to the input for settlement yet
    std::uint32_t tries = 0;      // of what is sent again
    bool given_up = false;        // what has no outcome goes back unsettled
    send_part send;
    std::vector<outcome> outcomes;     // of the messages of the present send
    std::vector<message> again;        // the present send, when it is only a part
    std::vector<std::uint32_t> index;  // of the batch, for each message of the present send; empty: all
    settle_part settle;
    std::vector<settle_entry> entries;
    std::vector<outcome> settled;
    std::vector<std::pair<std::uint32_t, owned_message>> responses;  // by position in the present send
    pause timer;

    [[nodiscard]] std::uint32_t batch_index(std::uint32_t k) const noexcept { return index.empty() ? k : index[k]; }
};

}  // namespace mqb::core
