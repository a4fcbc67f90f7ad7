// message_id: the text forms of the 16 bytes of a message's identity, for transports that carry it as text.
#pragma once

#include <mqb/sdk/uuid_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
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

}  // namespace detail

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
