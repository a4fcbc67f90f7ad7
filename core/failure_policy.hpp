// failure_policy: what the ledger of a route does with messages that failed.
#pragma once

#include "core/dead_letters.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core {

// What a permanent failure does, and a message that was presented too often.
enum class error_policy : std::uint8_t { dead_letter, reject, stop };

// Who hears what the policy leads to.
class failure_listener {
public:
    // `on_error: stop`, or there is nowhere to put a dead message. The message stays unsettled.
    virtual void on_undeliverable(std::string_view why) = 0;
    // So many dead letters in a row, or a store that cannot be written: no more messages until somebody has looked.
    virtual void on_dead_letters_stop(std::string_view why) = 0;
    // As of a logger.
    [[nodiscard]] virtual std::string without_secrets(std::string_view text) const { return std::string{text}; }

protected:
    ~failure_listener() = default;
};

struct failure_policy {
    std::string route;
    std::string input;  // path of the input: the endpoint of failures that nobody noted
    error_policy on_error = error_policy::dead_letter;
    std::uint32_t max_deliveries = 0;  // 0: no limit
    std::uint32_t stop_after = 1000;   // dead letters in a row; 0: no limit
    dead_letter_store* store = nullptr;
    failure_listener* listener = nullptr;
    // Between two presentations of a message, doubled each time.
    std::chrono::nanoseconds first_pause = std::chrono::milliseconds{50};
    std::chrono::nanoseconds longest_pause = std::chrono::seconds{5};
};

}  // namespace mqb::core
