// utf8: whether a text is UTF-8.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace mqb::memory {

inline bool is_utf8(std::string_view text) noexcept {
    const auto* at = reinterpret_cast<const unsigned char*>(text.data());
    const auto* const end = at + text.size();
    while (at != end) {
        if (*at < 0x80) {
            ++at;
            continue;
        }
        const int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : 1;
        if (*at < 0xc2 || *at > 0xf4 || end - at <= more) return false;
        // The second byte keeps out overlong forms, surrogates and what is above U+10FFFF.
        const unsigned char first = *at, second = at[1];
        if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
            (first == 0xf4 && second > 0x8f))
            return false;
        for (int i = 1; i <= more; ++i)
            if ((at[i] & 0xc0) != 0x80) return false;
        at += more + 1;
    }
    return true;
}

}  // namespace mqb::memory
