// utf8: texts of plugins and libraries, made fit for a database and a terminal.
#pragma once

#include <string>
#include <string_view>

namespace mqb::state {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
// Replaces what is no UTF-8, and U+0000, by U+FFFD; cuts what is longer than `longest` bytes and says so.
[[nodiscard]] std::string storable_text(std::string_view text, std::size_t longest);

}  // namespace mqb::state
