// partly_sent: remembers of messages that are to be sent again which branches have them already.
#pragma once

#include "core/message.hpp"
#include "core/owned_message.hpp"
#include "core/timers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

namespace mqb::core {

// What a branch has answered to a message.
struct branch_response {
    std::uint32_t number = 0;  // of the branch
    owned_message what;
};

struct taken_by {
    std::uint64_t branches = 0;  // bit n: branch n has it
    std::uint64_t as = 0;        // what that means for the message, as in an outcome's number
    std::unique_ptr<branch_response> response;
};

// A message is known again by its id, lane and payload; one without an id is not. Of two that cannot be told apart either may be taken
// for the other: each that is put in is taken out once, so that the number of copies stays right. Bounded: what was not asked for
// within an hour is forgotten, and the oldest where there are too many. Used by one route.
class partly_sent {
public:
    static constexpr std::uint64_t kept_ns = 3600ull * 1'000'000'000;
    static constexpr std::size_t most_response_bytes = 16u << 20;

    // most: messages; twice as many may be there for some time.
    partly_sent(timers& clock, std::size_t most) : clock_(&clock), most_(most) {}

    [[nodiscard]] bool is_empty() const noexcept { return young_.empty() && old_.empty(); }
    // Where there is no room for a response any more, its branch is to answer again: it counts as one that does not have the message.
    void put(const message& m, taken_by what);
    // What is known of the message, and is forgotten with that.
    [[nodiscard]] taken_by take(const message& m);

private:
    struct key {
        std::array<std::uint8_t, 16> id;
        std::uint64_t content;  // lane and payload
        friend bool operator==(const key&, const key&) = default;
    };
    struct hash {
        std::size_t operator()(const key& k) const noexcept {
            std::uint64_t half[2];
            std::memcpy(half, k.id.data(), sizeof half);
            return (half[0] * 0x9E3779B97F4A7C15u) ^ half[1] ^ k.content;
        }
    };
    using generation = std::unordered_multimap<key, taken_by, hash>;
    [[nodiscard]] static key key_of(const message& m) noexcept;
    [[nodiscard]] bool take_from(generation& from, const key& k, taken_by& into);
    void age();
    void forget(generation& all);

    timers* clock_;
    std::size_t most_;
    std::uint64_t began_ = 0;  // the young ones: none is from before
    std::size_t response_bytes_ = 0;
    generation young_, old_;
};

}  // namespace mqb::core
