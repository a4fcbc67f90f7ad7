// JSON strings: escaping bytes into one, and reading one back.
#pragma once

#include <array>
#include <string_view>

#include "chunk16.hpp"

namespace mqb::file {

// No byte becomes longer than this when it is escaped.
inline constexpr std::size_t longest_escape = 6;

// What one byte looks like inside a JSON string.
struct escaped_byte {
    char text[7];
    std::uint8_t size;
};
extern const std::array<escaped_byte, 256> escaped_bytes;

// Writes one byte as it looks inside a JSON string, and up to 8 bytes of anything; returns where the next one goes.
inline char* put_escaped(char* to, char byte) noexcept {
    const escaped_byte& escaped = escaped_bytes[static_cast<unsigned char>(byte)];
    std::memcpy(to, &escaped, sizeof escaped);
    return to + escaped.size;
}

// Bytes at which copying into a JSON string stops: those that need an escape.
struct json_stops {
    chunk16 among(chunk16 bytes) const noexcept {
        return bytes.control() | bytes.equal(chunk16::filled('"')) | bytes.equal(chunk16::filled('\\'));
    }
};

// Copies bytes from `from` up to the first stop, or to `end`; moves `to` along and collects what it saw in `seen`. Reads and
// writes beyond both ends as chunk_padding allows. Returns where it stopped; `from` itself when that is not before `end`.
template <class Stops>
inline const char* copy_plain(const char* from, const char* end, char*& to, const Stops& stops, chunk16& seen) noexcept {
    if (from >= end) return from;
    char* out = to;
    do {
        const chunk16 bytes = chunk16::load(from);
        bytes.store(out);
        seen = seen | bytes;
        if (const chunk_set found = stops.among(bytes).high(); found != 0) {
            const std::ptrdiff_t before = first_of(found);
            if (before > end - from) [[unlikely]]
                break;
            to = out + before;
            return from + before;
        }
        from += 16;
        out += 16;
    } while (from < end);
    to = out + (end - from);
    return end;
}

// Writes the inside of a JSON string that means `text`, which is UTF-8; nothing is read behind it. The output has room for
// longest_escape bytes for each byte of it, and chunk_padding.
char* put_json_text(char* to, std::string_view text) noexcept;

// Writes what the inside of a JSON string means. `inside` is part of a valid JSON text; the output is never longer than it.
char* put_unescaped(char* to, std::string_view inside) noexcept;

}  // namespace mqb::file
