#include "json_delimiter.hpp"

#include <string>

namespace mqb::file {
namespace {

void append_escape(text_buffer& to, unsigned unit) {
    constexpr char digits[] = "0123456789abcdef";
    const char escape[] = {'\\', 'u', digits[unit >> 12], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
    to.append(std::string_view(escape, sizeof escape));
}

// One character of valid UTF-8 as one escape, or as two halves.
void append_escaped(text_buffer& to, std::string_view character) {
    unsigned code = static_cast<unsigned char>(character.front());
    if (character.size() > 1) code &= 0x7fU >> character.size();
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
    if (code < 0x10000) return append_escape(to, code);
    append_escape(to, 0xd800 + ((code - 0x10000) >> 10));
    append_escape(to, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

std::size_t character_size(char first) noexcept {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

bool is_json_syntax(char delimiter) noexcept {
    const char letter = static_cast<char>(delimiter | 0x20);
    return (letter >= 'a' && letter <= 'z') || (delimiter >= '0' && delimiter <= '9') ||
           std::string_view("{}[]:,\"\\+-._").find(delimiter) != std::string_view::npos;
}

void free_of_delimiter(text_buffer& buffer, std::size_t begin, char delimiter) {
    const std::string_view written = buffer.from(begin);
    const auto holds = [written](char byte) { return written.find(byte) != std::string_view::npos; };
    if (!holds('\n') && !holds('\r') && (delimiter == '\n' || !holds(delimiter))) return;

    const std::string text(written);
    buffer.cut(begin);
    bool inside = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (!inside) {
            if (c == '"') inside = true;
            if (c != '\n' && c != '\r' && c != delimiter) buffer.append(c);
            ++at;
        } else if (c == '\\') {
            if (text[at + 1] == delimiter) {
                append_escaped(buffer, std::string_view(text).substr(at + 1, 1));
            } else {
                buffer.append(std::string_view(text).substr(at, 2));
            }
            at += 2;
        } else {
            const auto character = std::string_view(text).substr(at, character_size(c));
            if (character.find(delimiter) != std::string_view::npos) {
                append_escaped(buffer, character);
            } else {
                buffer.append(character);
            }
            if (c == '"') inside = false;
            at += character.size();
        }
    }
}

}  // namespace mqb::file
