// call: the call structs of the model. A start answers ok (the result is in the struct), pending (`done` comes once, later, never
// inside the start or a cancel) or an error class (no `done`).
//
// In core everything of one route happens one at a time: starts, cancels, completions and events all run while the route drains
// its mailbox or steps. Adapters that get completions from other threads pass them through that mailbox.
#pragma once

#include "core/message.hpp"
#include "core/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

inline constexpr std::uint32_t whole_call = UINT32_MAX;

// Texts for people that an answer came with; the last one for an index counts.
class explanations {
public:
    void set(std::uint32_t index, std::string_view text);
    [[nodiscard]] std::string_view of(std::uint32_t index) const noexcept;
    // The text of the index, else that of the whole call, else empty.
    [[nodiscard]] std::string_view best(std::uint32_t index) const noexcept;
    // The index of the first text; that of the whole call if there is none.
    [[nodiscard]] std::uint32_t first_index() const noexcept { return texts_.empty() ? whole_call : texts_.front().index; }
    void clear() noexcept { texts_.clear(); }
    [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
    // Gives every text to `take(index, text)`.
    template <class Take>
    void each(Take take) const {
        for (const auto& t : texts_) take(t.index, std::string_view{t.text});
    }

private:
    struct one {
        std::uint32_t index;
        std::string text;
    };
    std::vector<one> texts_;
};

// The head of every call. The caller owns it and keeps it in place until the answer is known.
struct call {
    void (*done)(call& self, status answer) noexcept = nullptr;
    explanations texts;
    void* below = nullptr;  // the callee's own note about this call while it is pending
};

struct receive_call : call {
    std::uint32_t max_messages = 1;
    bool drain = false;
    std::uint64_t max_bytes = 0;
    message_list messages;  // answer; valid until free_batch
    void* batch = nullptr;  // answer; null with no messages
};

enum class disposition : std::int32_t { ack = 0, nack = 1, reject = 2, reply = 3, reply_more = 4, released = 5 };
[[nodiscard]] constexpr std::uint32_t bit(disposition d) noexcept { return 1u << static_cast<std::uint32_t>(d); }

struct text_view {
    const char* data = nullptr;
    std::size_t size = 0;
    operator std::string_view() const noexcept { return {data, size}; }
};

struct settle_entry {
    std::uint32_t index = 0;
    disposition what = disposition::ack;
    std::uint64_t delay_ns = 0;
    const message* reply = nullptr;
    text_view reason;  // ack: empty, or why it was not delivered: "filtered", "duplicate", "discarded", "dead_lettered"
};

// The reason of a NACK that a handler asked for: the source gets it, where it takes any.
inline constexpr std::string_view given_back = "given_back";

enum class settle_result : std::int32_t { retry = 0, ok = 1, gone = 2 };
enum class send_result : std::int32_t { unsent = 0, done = 1, again = 2, refused = 3, uncertain = 4, give_back = 5 };
// What done means for the message, in an outcome's number.
enum class became : std::uint64_t { delivered = 0, filtered = 1, duplicate = 2, discarded = 3, dead_lettered = 4 };
// Flags of an outcome. exhausted: somebody below has given up retrying. was_uncertain (never crosses the plugin interface): an
// earlier try may have arrived, whatever the last one said.
inline constexpr std::uint32_t exhausted = 1;
inline constexpr std::uint32_t was_uncertain = 1u << 31;

struct outcome {
    std::int32_t result = 0;
    std::uint32_t flags = 0;
    std::uint64_t number = 0;

    [[nodiscard]] settle_result settled() const noexcept { return static_cast<settle_result>(result); }
    [[nodiscard]] send_result sent() const noexcept { return static_cast<send_result>(result); }
    [[nodiscard]] bool delivered() const noexcept { return sent() == send_result::done && number == 0; }
    void set(settle_result r) noexcept { result = static_cast<std::int32_t>(r); }
    void set(send_result r) noexcept { result = static_cast<std::int32_t>(r); }
};

struct settle_call : call {
    void* batch = nullptr;
    list<const settle_entry> entries;
    list<outcome> outcomes;  // zeroed by the caller
};

struct send_call : call {
    message_list messages;   // none: finish now what is held
    list<outcome> outcomes;  // zeroed by the caller
    // The response to one message, borrowed for the call; null: nobody wants responses.
    void (*answer)(send_call& self, std::uint32_t index, const message& response) = nullptr;
};

struct control_call : call {
    std::string id;
    std::string request;  // JSON
    std::string answer;   // JSON
};

}  // namespace mqb::core
