// message_id: the text forms of the 16 bytes of a message's identity, for transports that carry it as text.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace mqb::sdk {

using message_id = std::array<std::uint8_t, 16>;

namespace detail {

__extension__ typedef unsigned __int128 number128;

inline message_id id_of(number128 value) noexcept {
    message_id id;
    for (std::size_t i = 16; i-- > 0; value >>= 8) id[i] = static_cast<std::uint8_t>(value & 0xff);
    return id;
}

// The values of hex digits; every other byte has one that is too large for any base, also when values are put together.
constexpr std::array<std::uint8_t, 256> make_digit_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(64);
    for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
    for (unsigned i = 0; i < 6; ++i) values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
    return values;
}
inline constexpr auto digit_values = make_digit_values();

// Eight characters as one number, the first in its highest byte; four of them lie at each place.
inline std::uint64_t get8(const char* high, const char* low) noexcept {
    std::uint32_t four[2];
    std::memcpy(&four[0], high, 4);
    std::memcpy(&four[1], low, 4);
    if constexpr (std::endian::native == std::endian::little) four[0] = __builtin_bswap32(four[0]), four[1] = __builtin_bswap32(four[1]);
    return std::uint64_t{four[0]} << 32 | four[1];
}
inline void put8(char* high, char* low, std::uint64_t eight) noexcept {
    std::uint32_t four[2] = {static_cast<std::uint32_t>(eight >> 32), static_cast<std::uint32_t>(eight)};
    if constexpr (std::endian::native == std::endian::little) four[0] = __builtin_bswap32(four[0]), four[1] = __builtin_bswap32(four[1]);
    std::memcpy(high, &four[0], 4);
    std::memcpy(low, &four[1], 4);
}

inline constexpr std::uint64_t each = 0x0101010101010101;  // times a byte: that byte eight times

// 32 bits as eight lower-case hex digits, all at once.
constexpr std::uint64_t hex_digits(std::uint32_t bits) noexcept {
    std::uint64_t n = bits;
    n = (n | n << 16) & 0x0000ffff0000ffff;
    n = (n | n << 8) & 0x00ff00ff00ff00ff;
    n = (n | n << 4) & 0x0f0f0f0f0f0f0f0f;
    const std::uint64_t is_letter = (n + 6 * each) >> 4 & each;
    return n + '0' * each + ('a' - '0' - 10) * is_letter;
}

// The reverse, of either case. `wrong` gets a bit for what is no digit.
constexpr std::uint32_t hex_number(std::uint64_t digits, std::uint64_t& wrong) noexcept {
    constexpr auto from = [](std::uint64_t c, std::uint64_t least, std::uint64_t most) {  // bit 7 of those in the range; of 7-bit bytes
        return (c + (0x80 - least) * each) & ~(c + (0x7f - most) * each);
    };
    const std::uint64_t low = digits & 0x7f * each;
    const std::uint64_t is_letter = from(low | 0x20 * each, 'a', 'f');
    wrong |= (digits | ~(from(low, '0', '9') | is_letter)) & 0x80 * each;
    std::uint64_t n = (low & 0x0f * each) + 9 * (is_letter >> 7 & each);
    n = (n | n >> 4) & 0x00ff00ff00ff00ff;
    n = (n | n >> 8) & 0x0000ffff0000ffff;
    return static_cast<std::uint32_t>(n | n >> 16);
}

}  // namespace detail

inline constexpr std::size_t uuid_text_size = 36;

// Writes 36 characters: 8-4-4-4-12 lower-case hex digits. The end of them.
inline char* put_uuid(char* to, const std::uint8_t* id) noexcept {
    std::uint32_t part[4];
    std::memcpy(part, id, 16);
    if constexpr (std::endian::native == std::endian::little)
        for (std::uint32_t& one : part) one = __builtin_bswap32(one);
    detail::put8(to, to + 4, detail::hex_digits(part[0]));
    detail::put8(to + 9, to + 14, detail::hex_digits(part[1]));
    detail::put8(to + 19, to + 24, detail::hex_digits(part[2]));
    detail::put8(to + 28, to + 32, detail::hex_digits(part[3]));
    to[8] = to[13] = to[18] = to[23] = '-';
    return to + uuid_text_size;
}

// Reads 36 characters of the form above, of either case, into 16 bytes. False: it is none; `id` is then anything.
inline bool get_uuid(const char* from, std::uint8_t* id) noexcept {
    std::uint64_t wrong = 0;
    std::uint32_t part[4] = {
        detail::hex_number(detail::get8(from, from + 4), wrong), detail::hex_number(detail::get8(from + 9, from + 14), wrong),
        detail::hex_number(detail::get8(from + 19, from + 24), wrong), detail::hex_number(detail::get8(from + 28, from + 32), wrong)};
    if constexpr (std::endian::native == std::endian::little)
        for (std::uint32_t& one : part) one = __builtin_bswap32(one);
    std::memcpy(id, part, 16);
    return wrong == 0 && from[8] == '-' && from[13] == '-' && from[18] == '-' && from[23] == '-';
}

// The number that digits of base 10 or 16 mean, if there are any and it fits into 128 bits.
inline std::optional<message_id> id_from_digits(std::string_view digits, unsigned base) noexcept {
    constexpr detail::number128 most = ~static_cast<detail::number128>(0);
    if (digits.empty()) return std::nullopt;
    detail::number128 value = 0;
    for (const char c : digits) {
        const unsigned digit = detail::digit_values[static_cast<unsigned char>(c)];
        if (digit >= base || value > (most - digit) / base) return std::nullopt;
        value = value * base + digit;
    }
    return detail::id_of(value);
}

// The id that a text means: a UUID (with dashes, without, in braces, as URN), `0x` and hex, decimal; any other text is folded into
// 128 bits with FNV-1a.
inline message_id id_from_text(std::string_view text) noexcept {
    message_id id;
    std::string_view uuid = text.starts_with("urn:uuid:") ? text.substr(9) : text;
    if (uuid.size() == 38 && uuid.front() == '{' && uuid.back() == '}') uuid = uuid.substr(1, 36);
    if (uuid.size() == uuid_text_size && get_uuid(uuid.data(), id.data())) return id;
    if (uuid.size() == 32)
        if (const auto number = id_from_digits(uuid, 16)) return *number;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        if (const auto number = id_from_digits(text.substr(2), 16)) return *number;
    } else if (const auto number = id_from_digits(text.starts_with('+') ? text.substr(1) : text, 10)) {
        return *number;
    }
    constexpr detail::number128 prime = static_cast<detail::number128>(0x1000000) << 64 | 0x13b;
    detail::number128 hash = static_cast<detail::number128>(0x6c62272e07bb0142) << 64 | 0x62b821756295c58d;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
    return detail::id_of(hash);
}

}  // namespace mqb::sdk
