// Envelope: a sealed text with what is needed to open it but for the key.
//
//   envelope := version:u8 cipher:u8 id_size:u8 id nonce ciphertext tag      nonce: 24 bytes, or 12 of aes256gcm      tag: 16 bytes
//
// Version 1 has nothing bound to it. In version 2 everything before the ciphertext, and behind it what the caller binds, is
// authenticated too.
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/aead.hpp"

namespace mqb::codec {

inline constexpr std::uint8_t plain_version = 1;
inline constexpr std::uint8_t bound_version = 2;
inline constexpr std::size_t longest_key_id = 255;

struct envelope {
    std::uint8_t version = 0;
    codec::cipher cipher{};
    std::string_view key_id, nonce;
    std::string_view head;  // all before the ciphertext
    std::string_view ciphertext, tag;
};

// Throws broken.
envelope parse_envelope(std::string_view bytes);

// How much of the beginning of an envelope looks_sealed wants to see.
inline constexpr std::size_t telling_size = 4;

// Whether `size` bytes that begin like this may be an envelope; of fewer than telling_size, whether they agree so far.
bool looks_sealed(std::string_view beginning, std::uint64_t size) noexcept;

}  // namespace mqb::codec
