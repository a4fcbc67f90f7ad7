#include "core/readable.hpp"

namespace mqb::core {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// How many bytes the character at the front has; 0: it is none.
std::size_t character_size(std::string_view t) {
    const auto byte = [&](std::size_t i) { return i < t.size() ? static_cast<unsigned char>(t[i]) : 0u; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xC2 && first <= 0xDF ? 2 : (first & 0xF0) == 0xE0 ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
    if (size == 0) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool is_no_scalar = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return is_overlong || is_no_scalar ? 0 : size;
}

bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 2) return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
    return character.size() == 1 && character[0] != '\t' && (first < 0x20 || first == 0x7F);
}

}  // namespace

std::string readable(std::string_view t) {
    std::string out;
    out.reserve(t.size());
    while (!t.empty()) {
        const std::size_t size = character_size(t);
        const std::string_view character = t.substr(0, size ? size : 1);
        t.remove_prefix(character.size());
        const std::string_view shown = size == 0 ? replacement : is_control(character) ? std::string_view{" "} : character;
        out += shown;
    }
    return out;
}

}  // namespace mqb::core
