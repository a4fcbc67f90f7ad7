#include "json_string.hpp"

namespace mqb::file {
namespace {

constexpr std::array<escaped_byte, 256> make_escaped_bytes() {
    constexpr char digits[] = "0123456789abcdef";
    std::array<escaped_byte, 256> table{};
    for (int c = 0; c < 256; ++c) {
        const auto byte = static_cast<unsigned char>(c);
        escaped_byte& e = table[byte];
        const char letter = c == '"'    ? '"'
                            : c == '\\' ? '\\'
                            : c == '\n' ? 'n'
                            : c == '\r' ? 'r'
                            : c == '\t' ? 't'
                            : c == '\b' ? 'b'
                            : c == '\f' ? 'f'
                                        : '\0';
        if (letter != '\0') {
            e = {{'\\', letter}, 2};
        } else if (c < 0x20) {
            e = {{'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]}, 6};
        } else {
            e = {{static_cast<char>(byte)}, 1};
        }
    }
    return table;
}

unsigned hex_value(const char* four) noexcept {
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = four[i];
        value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

char* put_utf8(char* to, unsigned code) noexcept {
    const auto byte = [&to](unsigned value) { *to++ = static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
    return to;
}

}  // namespace

constinit const std::array<escaped_byte, 256> escaped_bytes = make_escaped_bytes();

char* put_json_text(char* to, std::string_view text) noexcept {
    chunk16 seen = chunk16::none();
    const auto put_all = [&](const char* from, const char* end) {
        while (from < end) {
            from = copy_plain(from, end, to, json_stops{}, seen);
            if (from < end) to = put_escaped(to, *from++);
        }
        return from;
    };
    const char* from = text.data();
    const char* const end = from + text.size();
    if (text.size() >= 16) from = put_all(from, end - 15);  // a chunk that begins before it ends with the text or earlier
    char tail[32] = {};
    const auto left = static_cast<std::size_t>(end - from);
    if (left > 0) std::memcpy(tail, from, left);
    put_all(tail, tail + left);
    return to;
}

char* put_unescaped(char* to, std::string_view inside) noexcept {
    const char* from = inside.data();
    const char* const end = from + inside.size();
    while (from < end) {
        // What is written is never longer than what was read, so that a whole chunk of input has room in the output.
        if (end - from >= 16) {
            const chunk16 bytes = chunk16::load(from);
            bytes.store(to);
            const chunk_set found = bytes.equal(chunk16::filled('\\')).high();
            const std::ptrdiff_t plain = found != 0 ? first_of(found) : 16;
            from += plain;
            to += plain;
            if (found == 0) continue;
        }
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char meant = from[1];
        from += 2;
        switch (meant) {
            case 'n': *to++ = '\n'; break;
            case 'r': *to++ = '\r'; break;
            case 't': *to++ = '\t'; break;
            case 'b': *to++ = '\b'; break;
            case 'f': *to++ = '\f'; break;
            case 'u': {
                unsigned code = hex_value(from);
                from += 4;
                if (code >= 0xd800 && code < 0xdc00) {  // a valid text has the other half right behind
                    code = 0x10000 + ((code - 0xd800) << 10) + (hex_value(from + 2) - 0xdc00);
                    from += 6;
                }
                to = put_utf8(to, code);
                break;
            }
            default: *to++ = meant; break;
        }
    }
    return to;
}

}  // namespace mqb::file
