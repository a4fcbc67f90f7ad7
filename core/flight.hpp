// flight: one batch on its way through a route, from its receive to its last settlement.
#pragma once

#include "core/call.hpp"
#include "core/owned_message.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mqb::core {

class running_route;
struct route_slot;

// A received batch that several flights share.
struct shared_batch {
    void* batch = nullptr;
    std::uint32_t flights = 0;
};

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
    // What is left to be sent again from here.
    struct remainder {
        std::vector<std::uint32_t> index;
        std::vector<std::uint32_t> tried;
        std::uint64_t not_before_ns = 0;
        void add(std::uint32_t i, std::uint32_t times) {
            index.push_back(i);
            tried.push_back(times);
        }
    };
    struct pause : timer {
        flight* self = nullptr;
        bool pending = false;
    };

    running_route* route = nullptr;
    stage at = stage::ready;
    std::uint64_t sequence = 0;  // in the order of the receives
    route_slot* slot = nullptr;  // where it is sent
    void* batch = nullptr;
    std::shared_ptr<shared_batch> share;  // where it is a part of a batch
    message_list messages;
    std::uint32_t unsettled = 0;        // messages that were not given to the input for settlement yet
    bool goes_on = false;               // what is left was not tried yet
    std::uint64_t first_failed_at = 0;  // ns since 1970; 0: nothing of it has failed
    std::uint32_t tries = 0;            // in a row without progress, of what is sent again in its place
    send_part send;
    std::vector<outcome> outcomes;     // of the messages of the present send
    std::vector<message> again;        // what is left to be sent, when it is only a part
    std::vector<std::uint32_t> index;  // of the batch, for each of those; empty: all
    std::vector<std::uint32_t> tried;  // how often, for each of those; empty: never
    settle_part settle;
    std::vector<settle_entry> entries;
    std::vector<outcome> settled;
    std::vector<std::pair<std::uint32_t, owned_message>> responses;  // by position in the present send
    pause timer;

    [[nodiscard]] std::uint32_t tries_of(std::uint32_t k) const noexcept { return tried.empty() ? 0 : tried[k]; }
    [[nodiscard]] std::uint32_t batch_index(std::uint32_t k) const noexcept { return index.empty() ? k : index[k]; }
};

}  // namespace mqb::core
