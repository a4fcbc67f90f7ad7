// Utf8: is a text UTF-8, and how to make it so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mqb::file {

// How many bytes at the start of the text are valid UTF-8: all of them, or up to the first bad one.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;

inline bool is_utf8(std::string_view text) noexcept { return valid_utf8_prefix(text) == text.size(); }

// Appends the text with every maximal bad part replaced by U+FFFD.
void append_as_utf8(std::string_view text, std::string& to);

}  // namespace mqb::file
