// Message id: the 16 bytes of a message's identity, and every spelling of them that a file may hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mqb::file {

using message_id = std::array<std::uint8_t, 16>;

// The id that a text means: a UUID (with dashes, without, in braces, as URN), `0x` and hex, decimal; any other text is folded
// into 128 bits with FNV-1a.
message_id id_from_text(std::string_view text) noexcept;

// The number that digits of base 10 or 16 mean, if there are any and it fits into 128 bits.
std::optional<message_id> id_from_digits(std::string_view digits, unsigned base) noexcept;

// Writes 36 characters: 8-4-4-4-12 lower-case hex digits.
inline constexpr std::size_t uuid_text_size = 36;
char* put_uuid(char* to, const std::uint8_t* id) noexcept;

}  // namespace mqb::file
