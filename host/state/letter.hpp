// letter: one dead letter as it stands in the store, and which ones somebody asks for.
#pragma once

#include "core/dead_letters.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::state {

// All but the message itself.
struct letter {
    std::int64_t id = 0;  // grows; never used again
    std::string route;
    std::string endpoint;
    core::death why = core::death::refused;
    std::string error;
    std::uint32_t attempts = 0;
    std::uint64_t first_at = 0;  // ns since 1970
    std::uint64_t last_at = 0;
    bool may_have_arrived = false;
    std::string source;      // JSON object: message_id, lane, delivery_count, and the metadata keys mqb.src.* as they are
    std::uint64_t size = 0;  // of the payload
};

struct letter_content {
    std::array<std::uint8_t, 16> message_id{};
    std::uint64_t lane = 0;
    std::uint32_t delivery_count = 0;
    std::optional<std::string> payload;  // none: a null payload, which is not an empty one
    std::string metadata;                // a metadata block, as it came
};

// A letter that meets all that is set.
struct letter_filter {
    std::vector<std::int64_t> ids;
    std::string route;
    std::string endpoint;
    std::optional<core::death> why;
    std::optional<std::uint64_t> since;  // last_at, ns since 1970: not before
    std::optional<std::uint64_t> until;  // last_at: before
    std::string error;                   // somewhere in the error, upper or lower case
    std::uint64_t limit = 0;             // the first so many; 0: all

    // Nothing but perhaps the limit is set.
    [[nodiscard]] bool is_open() const noexcept;
};

[[nodiscard]] std::string_view class_name(core::death why) noexcept;  // "refused", "exhausted", "max_deliveries"
[[nodiscard]] std::optional<core::death> class_of(std::string_view name) noexcept;

// The source position of a message, as in letter::source.
[[nodiscard]] std::string source_json(const core::message& m);

}  // namespace mqb::state
