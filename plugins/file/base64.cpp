#include "base64.hpp"

#include <array>
#include <cstdint>

namespace mqb::file {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t not_a_digit = 64;

constexpr std::array<std::uint8_t, 256> make_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(not_a_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}
constexpr auto values = make_values();

unsigned byte_at(std::string_view bytes, std::size_t i) noexcept { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; }

}  // namespace

char* put_base64(char* to, std::string_view bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const unsigned group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
        *to++ = alphabet[group >> 18];
        *to++ = alphabet[group >> 12 & 63];
        *to++ = i + 1 < bytes.size() ? alphabet[group >> 6 & 63] : '=';
        *to++ = i + 2 < bytes.size() ? alphabet[group & 63] : '=';
    }
    return to;
}

std::optional<std::size_t> read_base64(char* to, std::string_view text) noexcept {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && !text.empty() && text.back() == '=') {
        text.remove_suffix(1);
        ++padding;
    }
    const char* const start = to;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        const std::uint8_t value = values[static_cast<unsigned char>(c)];
        if (value == not_a_digit) return std::nullopt;
        bits = bits << 6 | value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            *to++ = static_cast<char>(bits >> held & 0xff);
        }
    }
    // What is left over must be zero, or two texts would mean the same bytes.
    if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
    return static_cast<std::size_t>(to - start);
}

}  // namespace mqb::file
