// json_text: characters of JSON texts. Functions without state; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

// The character of `\uHHHH` (or of a surrogate pair of them) at the beginning of `text`; `read`: how many bytes that was.
[[nodiscard]] std::optional<char32_t> read_code_point(std::string_view text, std::size_t& read) noexcept;
// How many bytes were written, at most 4.
std::size_t write_utf8(char* to, char32_t c) noexcept;
void append_utf8(std::string& to, char32_t c);
// The character at `at`, which is moved behind it. What is no UTF-8 counts byte by byte.
[[nodiscard]] char32_t next_character(std::string_view text, std::size_t& at) noexcept;

// Whether each `\` of a text in JSON begins an escape that there is.
[[nodiscard]] bool has_good_escapes(std::string_view raw) noexcept;
// The text without its escapes, which are good; `to` has room for as many bytes. The answer is how many were written.
[[nodiscard]] std::size_t unescape(std::string_view raw, char* to) noexcept;
// With escapes, without quotes.
void append_escaped(std::string& to, std::string_view text);
// With quotes and escapes.
void append_json(std::string& to, std::string_view text);

[[nodiscard]] inline bool are_eight_digits(const char* at) noexcept {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    constexpr std::uint64_t high = 0xf0f0'f0f0'f0f0'f0f0, six = 0x0606'0606'0606'0606, three = 0x3333'3333'3333'3333;
    return ((bytes & high) | ((bytes + six) & high) >> 4) == three;
}

// As RFC 8259 has it, all of it.
[[nodiscard]] inline bool is_json_number(std::string_view text) noexcept {
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto digits = [&] {
        const char* const from = at;
        while (end - at >= 8 && are_eight_digits(at)) at += 8;
        while (at != end && *at >= '0' && *at <= '9') ++at;
        return at != from;
    };
    if (at != end && *at == '-') ++at;
    if (at != end && *at == '0') {
        ++at;
    } else if (!digits()) {
        return false;
    }
    if (at != end && *at == '.' && (++at, !digits())) return false;
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        if (!digits()) return false;
    }
    return at == end;
}

}  // namespace mqb::core::expressions
