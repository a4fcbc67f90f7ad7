#include "core/expressions/json_text.hpp"

#include <cstring>

namespace mqb::core::expressions {

namespace {

std::optional<char32_t> four_digits(std::string_view text) noexcept {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
    char32_t out = 0;
    for (const char c : text.substr(2, 4)) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return std::nullopt;
        out = out * 16 + static_cast<char32_t>(digit);
    }
    return out;
}

constexpr bool is_surrogate(char32_t c) noexcept { return c >= 0xd800 && c < 0xe000; }

char plain(char escape) noexcept {
    switch (escape) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case '"':
        case '\\':
        case '/': return escape;
        default: return '\0';
    }
}

}  // namespace

std::optional<char32_t> read_code_point(std::string_view text, std::size_t& read) noexcept {
    const auto first = four_digits(text);
    if (!first) return std::nullopt;
    read = 6;
    if (!is_surrogate(*first)) return first;
    const auto second = four_digits(text.substr(6));
    if (*first >= 0xdc00 || !second || *second < 0xdc00 || *second >= 0xe000) return std::nullopt;
    read = 12;
    return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
}

std::size_t write_utf8(char* to, char32_t c) noexcept {
    const auto byte = [](char32_t b) { return static_cast<char>(static_cast<unsigned char>(b)); };
    if (c < 0x80) {
        to[0] = byte(c);
        return 1;
    }
    if (c < 0x800) {
        to[0] = byte(0xc0 | c >> 6);
        to[1] = byte(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = byte(0xe0 | c >> 12);
        to[1] = byte(0x80 | (c >> 6 & 0x3f));
        to[2] = byte(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = byte(0xf0 | c >> 18);
    to[1] = byte(0x80 | (c >> 12 & 0x3f));
    to[2] = byte(0x80 | (c >> 6 & 0x3f));
    to[3] = byte(0x80 | (c & 0x3f));
    return 4;
}

void append_utf8(std::string& to, char32_t c) {
    char bytes[4];
    to.append(bytes, write_utf8(bytes, c));
}

char32_t next_character(std::string_view text, std::size_t& at) noexcept {
    const auto first = static_cast<unsigned char>(text[at++]);
    if (first < 0xc2 || first > 0xf4) return first;
    const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (text.size() - at < more) return first;
    char32_t out = first & (0x3fu >> more);
    for (std::size_t i = 0; i < more; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xc0) != 0x80) return first;
        out = out << 6 | (next & 0x3f);
    }
    at += more;
    return out;
}

bool has_good_escapes(std::string_view raw) noexcept {
    for (std::size_t i = raw.find('\\'); i != std::string_view::npos; i = raw.find('\\', i)) {
        if (i + 1 >= raw.size()) return false;
        std::size_t read = 2;
        if (raw[i + 1] == 'u' ? !read_code_point(raw.substr(i), read) : plain(raw[i + 1]) == '\0') return false;
        i += read;
    }
    return true;
}

std::size_t unescape(std::string_view raw, char* to) noexcept {
    char* out = to;
    while (!raw.empty()) {
        const std::size_t run = std::min(raw.find('\\'), raw.size());
        std::memcpy(out, raw.data(), run);
        out += run;
        raw.remove_prefix(run);
        if (raw.size() < 2) break;
        std::size_t read = 2;
        if (raw[1] == 'u') {
            out += write_utf8(out, read_code_point(raw, read).value_or(0xfffd));
        } else {
            *out++ = plain(raw[1]);
        }
        raw.remove_prefix(read);
    }
    return static_cast<std::size_t>(out - to);
}

void append_escaped(std::string& to, std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    for (const char c : text) {
        switch (c) {
            case '"': to += "\\\""; break;
            case '\\': to += "\\\\"; break;
            case '\n': to += "\\n"; break;
            case '\r': to += "\\r"; break;
            case '\t': to += "\\t"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    to += "\\u00";
                    to += digits[static_cast<unsigned char>(c) >> 4];
                    to += digits[static_cast<unsigned char>(c) & 15];
                } else {
                    to += c;
                }
        }
    }
}

void append_json(std::string& to, std::string_view text) {
    to += '"';
    append_escaped(to, text);
    to += '"';
}

}  // namespace mqb::core::expressions
