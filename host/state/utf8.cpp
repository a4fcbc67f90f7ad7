#include "host/state/utf8.hpp"

#include <cstdint>

namespace mqb::state {

namespace {

// The length of the character at `at`; 0 if there is none: cut, overlong, a surrogate or above U+10FFFF.
std::size_t character(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) -> std::uint32_t { return at + i < text.size() ? static_cast<std::uint8_t>(text[at + i]) : 0; };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const std::uint32_t second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return size;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = character(text, at);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

std::string storable_text(std::string_view text, std::size_t longest) {
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    constexpr std::string_view cut = " [cut]";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = text[at] == '\0' ? 0 : character(text, at);
        const std::string_view next = size == 0 ? replacement : text.substr(at, size);
        if (out.size() + next.size() > longest) return out.append(cut);
        out += next;
        at += size == 0 ? 1 : size;
    }
    return out;
}

}  // namespace mqb::state
