// The table of well-formed byte sequences is table 3-7 of the Unicode standard.
#include "utf8.hpp"

#include "chunk16.hpp"

namespace mqb::file {
namespace {

bool between(unsigned char c, int low, int high) noexcept { return c >= low && c <= high; }

// The character at the start of `text`: its length, or minus the length of the bad part. The text is not empty.
int character_length(std::string_view text) noexcept {
    const auto at = [text](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return -1;
    // Only the second byte has a range of its own, which rules out overlong forms, surrogates and what is beyond U+10FFFF.
    const int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!between(at(1), low, high)) return -1;
    if (first < 0xe0) return 2;
    if (!between(at(2), 0x80, 0xbf)) return -2;
    if (first < 0xf0) return 3;
    return between(at(3), 0x80, 0xbf) ? 4 : -3;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        while (text.size() - at >= 16) {
            const chunk_set beyond_ascii = chunk16::load(text.data() + at).high();
            if (beyond_ascii != 0) {
                at += static_cast<std::size_t>(first_of(beyond_ascii));
                break;
            }
            at += 16;
        }
        if (at == text.size()) break;
        const int length = character_length(text.substr(at));
        if (length < 0) return at;
        at += static_cast<std::size_t>(length);
    }
    return at;
}

void append_as_utf8(std::string_view text, std::string& to) {
    while (!text.empty()) {
        const std::size_t good = valid_utf8_prefix(text);
        to.append(text.substr(0, good));
        text.remove_prefix(good);
        if (text.empty()) return;
        to.append("\xef\xbf\xbd");
        text.remove_prefix(static_cast<std::size_t>(-character_length(text)));
    }
}

}  // namespace mqb::file
