// Base64 key: a secret key as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/secret_key.hpp"

namespace mqb::codec {

// Base64 (RFC 4648, with its padding) of exactly 32 bytes; white space around it is ignored. None for anything else.
std::optional<secret_key> key_from_base64(std::string_view text);

// Overwrites the text and empties it.
void wipe(std::string& text) noexcept;

}  // namespace mqb::codec
