// Envelope: what one line says of a message.
#pragma once

#include <string_view>

#include <mqb/metadata.h>

#include <mqb/sdk/message_id.hpp>

namespace mqb::file {

// Payload and metadata lie where the reader wrote them.
struct envelope {
    sdk::message_id id{};  // all zero: the line has none
    std::string_view payload;
    std::string_view metadata;  // a block of mqb/metadata.h
    std::string_view why_raw;   // not empty: the line is no envelope, for this reason, and its payload is the whole line
};

// Room for the head of a text entry in a block; key and value follow it.
inline constexpr std::size_t entry_head = 8;
inline void put_entry_head(char* to, std::size_t key, std::size_t value) noexcept {
    to[0] = MQB_META_TEXT;
    to[1] = 0;
    mqb_put_le(reinterpret_cast<std::uint8_t*>(to) + 2, key, 2);
    mqb_put_le(reinterpret_cast<std::uint8_t*>(to) + 4, value, 4);
}

}  // namespace mqb::file
