// dead_letters: where a message goes that can never be delivered. What is written there is durable before the message is
// acknowledged at its source.
#pragma once

#include "core/call.hpp"
#include "core/logger.hpp"
#include "core/mailbox.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mqb::core {

// Why a message is dead.
enum class death : std::uint8_t {
    refused,         // a permanent failure
    given_up,        // retried in vain
    max_deliveries,  // presented as often as the route allows
};

// What failed at one message, for the dead letter and for whoever asks why it was presented again.
struct failure_note {
    death why = death::refused;  // if it is dead
    std::string endpoint;        // path in the route file: "output", "output.middlewares[0]", "input"
    std::string error;           // the text of the last failure
    std::uint32_t attempts = 0;
    std::uint64_t first_at = 0;  // ns since 1970: of the first and the last failure
    std::uint64_t last_at = 0;
    bool may_have_arrived = false;  // some attempt ended uncertain
};

// One message to bury. Borrowed for the call.
struct dead_letter {
    std::string_view route;
    death why = death::refused;
    const failure_note* note = nullptr;
    const message* what = nullptr;
};

[[nodiscard]] std::string_view to_text(death why) noexcept;

struct bury_call : call {
    std::span<const dead_letter> letters;
};

// Not thread-safe: used by one route only; completions come through the mailbox that it was opened with.
class dead_letter_store {
public:
    virtual ~dead_letter_store() = default;
    // All or nothing. ok: every letter is durable. retry: cannot be written now (full, no space, busy), nothing was stored; the text says why.
    virtual status bury(bury_call& c) = 0;
    // A request; the completion still comes.
    virtual void cancel(call& c) = 0;
};

// Opens the store for one route. Thread-safe.
class dead_letter_stores {
public:
    virtual ~dead_letter_stores() = default;
    // `box` and `log` outlive what is returned. max_bytes: what the letters of this route may take together; 0: no limit.
    virtual std::unique_ptr<dead_letter_store> open(const std::string& route, std::uint64_t max_bytes, mailbox& box, logger& log) = 0;
};

}  // namespace mqb::core
