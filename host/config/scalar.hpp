// scalar: what the text of a value can be read as. Nothing is guessed here: the caller says what it wants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::config {

// The grammar of JSON: no sign in front, no leading zeros, no hexadecimal.
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;
// -?(0|[1-9][0-9]*)
[[nodiscard]] bool is_json_integer(std::string_view text) noexcept;
[[nodiscard]] std::optional<bool> read_bool(std::string_view text) noexcept;
// A number of bytes, with k, M, G (1000) or KiB, MiB, GiB (1024).
[[nodiscard]] std::optional<std::uint64_t> read_size(std::string_view text) noexcept;
// With quotes and escapes.
[[nodiscard]] std::string json_string(std::string_view text);

// Why a text is no name of a file or of another thing outside: a U+0000 in it would cut it short there. Empty: it is one.
[[nodiscard]] std::string fault_in_name(std::string_view text);

}  // namespace mqb::config
