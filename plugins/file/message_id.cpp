#include "message_id.hpp"

namespace mqb::file {
namespace {

__extension__ typedef unsigned __int128 number128;

message_id id_of(number128 value) noexcept {
    message_id id;
    for (std::size_t i = 16; i-- > 0; value >>= 8) id[i] = static_cast<std::uint8_t>(value & 0xff);
    return id;
}

// The values of hex digits; every other byte has one that is too large for any base, also when values are put together.
constexpr std::uint8_t no_digit = 64;
constexpr std::array<std::uint8_t, 256> make_digit_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
    for (unsigned i = 0; i < 6; ++i) values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
    return values;
}
constexpr auto digit_values = make_digit_values();

bool take_prefix(std::string_view& text, std::string_view prefix) noexcept {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<message_id> id_from_uuid(std::string_view text) noexcept {
    take_prefix(text, "urn:uuid:");
    if (text.size() == 38 && text.front() == '{' && text.back() == '}') text = text.substr(1, 36);
    const bool dashed = text.size() == 36;
    if (!dashed && text.size() != 32) return std::nullopt;
    if (dashed && (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')) return std::nullopt;
    message_id id;
    int all = 0;
    for (std::size_t i = 0, at = 0; i < 16; ++i, at += 2) {
        if (dashed && (i == 4 || i == 6 || i == 8 || i == 10)) ++at;
        const int high = digit_values[static_cast<unsigned char>(text[at])];
        const int low = digit_values[static_cast<unsigned char>(text[at + 1])];
        all |= high | low;
        id[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return all < 16 ? std::optional(id) : std::nullopt;
}

message_id folded(std::string_view text) noexcept {
    constexpr number128 prime = static_cast<number128>(0x1000000) << 64 | 0x13b;
    number128 hash = static_cast<number128>(0x6c62272e07bb0142) << 64 | 0x62b821756295c58d;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
    return id_of(hash);
}

}  // namespace

std::optional<message_id> id_from_digits(std::string_view digits, unsigned base) noexcept {
    constexpr number128 most = ~static_cast<number128>(0);
    if (digits.empty()) return std::nullopt;
    number128 value = 0;
    for (const char c : digits) {
        const unsigned digit = digit_values[static_cast<unsigned char>(c)];
        if (digit >= base || value > (most - digit) / base) return std::nullopt;
        value = value * base + digit;
    }
    return id_of(value);
}

message_id id_from_text(std::string_view text) noexcept {
    if (const auto uuid = id_from_uuid(text)) return *uuid;
    std::string_view digits = text;
    if (take_prefix(digits, "0x") || take_prefix(digits, "0X")) {
        if (const auto number = id_from_digits(digits, 16)) return *number;
        return folded(text);
    }
    take_prefix(digits, "+");
    if (const auto number = id_from_digits(digits, 10)) return *number;
    return folded(text);
}

char* put_uuid(char* to, const std::uint8_t* id) noexcept {
    constexpr char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
        *to++ = digits[id[i] >> 4];
        *to++ = digits[id[i] & 15];
    }
    return to;
}

}  // namespace mqb::file
