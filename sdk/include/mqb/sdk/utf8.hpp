// utf8: what is UTF-8 and what is not, for plugins whose protocols or files promise text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mqb::sdk {

// The character at the start of the text, which is not empty: its length, or minus the length of the bad part, the longest one that
// could have begun a character. The table of well-formed byte sequences is table 3-7 of the Unicode standard.
inline int utf8_character(std::string_view text) noexcept {
    const auto between = [text](std::size_t i, int low, int high) {
        const int c = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
        return c >= low && c <= high;
    };
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return -1;
    // Only the second byte has a range of its own, which rules out overlong forms, surrogates and what is beyond U+10FFFF.
    const int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!between(1, low, high)) return -1;
    if (first < 0xe0) return 2;
    if (!between(2, 0x80, 0xbf)) return -2;
    if (first < 0xf0) return 3;
    return between(3, 0x80, 0xbf) ? 4 : -3;
}

inline bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        std::uint64_t eight;
        if (text.size() >= sizeof eight) {
            std::memcpy(&eight, text.data(), sizeof eight);
            if ((eight & 0x8080808080808080) == 0) {
                text.remove_prefix(sizeof eight);
                continue;
            }
        }
        const int length = utf8_character(text);
        if (length < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(length));
    }
    return true;
}

// Appends the text, with U+FFFD in place of each bad part, the longest one that could have begun a character: as Unicode recommends it.
inline void append_as_utf8(std::string_view text, std::string& to) {
    while (!text.empty()) {
        const int length = utf8_character(text);
        const auto size = static_cast<std::size_t>(length < 0 ? -length : length);
        to += length < 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size);
        text.remove_prefix(size);
    }
}

}  // namespace mqb::sdk
