// broken_record: what a source has found but cannot make a message of. It gives the bytes all the same, in a message whose metadata
// begins with the text entry "mqb.error", so that they end in the dead letters and not in the way.
#pragma once

#include "core/message.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <cstring>
#include <string_view>

namespace mqb::core {

inline constexpr std::string_view broken_key = "mqb.error";

// Looks at the first entry only: type, zero, key size in two bytes, value size in four, key.
[[nodiscard]] inline bool is_broken_record(const message& m) noexcept {
    constexpr std::size_t head = 8;
    const std::uint8_t* at = m.metadata.data;
    return m.metadata.size >= head + broken_key.size() && at[2] == broken_key.size() && at[3] == 0 &&
           std::memcmp(at + head, broken_key.data(), broken_key.size()) == 0;
}

[[nodiscard]] inline bool has_broken_record(const message_list& messages) noexcept {
    for (std::uint32_t i = 0; i < messages.count; ++i)
        if (is_broken_record(messages[i])) return true;
    return false;
}

[[nodiscard]] inline std::string_view reason_of_broken_record(const message& m) noexcept { return text_of(m.metadata, broken_key); }

}  // namespace mqb::core
