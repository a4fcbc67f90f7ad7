#include "utf8.hpp"

#include <algorithm>

namespace mqb::dir_spool {
namespace {

// How many bytes the character at the start of the text has; 0: it is none. The text is not empty.
std::size_t character_size(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (size == 0 || text.size() < size) return 0;
    const auto is_tail = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    if (!std::ranges::all_of(text.substr(1, size - 1), is_tail)) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    // Overlong forms, surrogates, and what is beyond U+10FFFF.
    const bool is_bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                        (first == 0xf4 && second > 0x8f);
    return is_bad ? 0 : size;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string as_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0)
            out += "\xef\xbf\xbd";
        else
            out += text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

}  // namespace mqb::dir_spool
