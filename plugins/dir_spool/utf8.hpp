// Utf8: is a text UTF-8, and how to make it so.
#pragma once

#include <string>
#include <string_view>

namespace mqb::dir_spool {

bool is_utf8(std::string_view text) noexcept;

// The text with U+FFFD for every byte that belongs to no character.
std::string as_utf8(std::string_view text);

}  // namespace mqb::dir_spool
