#include "csv_cell.hpp"

#include <algorithm>

#include "json_string.hpp"
#include "json_walk.hpp"

namespace mqb::file {
namespace {

struct stops_at_one {
    explicit stops_at_one(char byte) noexcept : one(chunk16::filled(byte)) {}
    chunk16 among(chunk16 bytes) const noexcept { return bytes.equal(one); }
    chunk16 one;
};

struct cell_stops {
    cell_stops(char separator, char delimiter, char quote, char also) noexcept
        : separates(chunk16::filled(separator)), ends(chunk16::filled(delimiter)), quotes(chunk16::filled(quote)),
          other(chunk16::filled(also)) {}
    chunk16 among(chunk16 bytes) const noexcept {
        return bytes.equal(separates) | bytes.equal(ends) | bytes.equal(quotes) | bytes.equal(other) | bytes.equal(cr) | bytes.equal(lf);
    }
    chunk16 separates, ends, quotes, other;
    chunk16 cr = chunk16::filled('\r'), lf = chunk16::filled('\n');
};

// As copy_plain, but nothing at or behind `readable` is read.
template <class Stops>
const char* copy_within(const char* from, const char* end, const char* readable, char*& to, const Stops& stops) noexcept {
    chunk16 seen = chunk16::none();
    if (readable - end >= 15) return copy_plain(from, end, to, stops, seen);
    if (end - from > 15) {  // a chunk that begins before it ends with the text or earlier
        const char* const safe = end - 15;
        from = copy_plain(from, safe, to, stops, seen);
        if (from < safe) return from;
    }
    char tail[32] = {};
    const auto left = static_cast<std::size_t>(end - from);
    std::memcpy(tail, from, left);
    return from + (copy_plain(tail, tail + left, to, stops, seen) - tail);
}

// Kept of the scratch between cells.
constexpr std::size_t usual = 64 << 10;

}  // namespace

// Appends the text up to the first byte that needs quotes, or `also`; where that is.
const char* csv_cell::copy(std::string_view text, char also, const char* readable, text_buffer& to) const {
    char* out = to.room(text.size());
    const char* const end = copy_within(text.data(), text.data() + text.size(), readable, out,
                                        cell_stops(separator_, delimiter_, quote_.value_or(separator_), also));
    to.written(out);
    return end;
}

bool csv_cell::put_text(std::string_view text, const char* readable, text_buffer& to) {
    if (text.empty()) return true;
    const std::size_t begin = to.size();
    if (copy(text, separator_, readable, to) == text.data() + text.size()) return true;
    to.cut(begin);
    return put_quoted(text, to);
}

bool csv_cell::put_string(std::string_view inside, const char* readable, text_buffer& to) {
    if (inside.empty()) return true;
    const std::size_t begin = to.size();
    const char* const end = inside.data() + inside.size();
    const char* const stop = copy(inside, '\\', readable, to);
    if (stop == end) return true;
    to.cut(begin);
    if (std::find(stop, end, '\\') == end) return put_quoted(inside, to);
    scratch_.clear(usual);
    scratch_.written(put_unescaped(scratch_.room(inside.size()), inside));
    return put_text(scratch_.text(), scratch_.text().data() + scratch_.size() + chunk_padding, to);
}

bool csv_cell::put_json(std::string_view value, text_buffer& to) {
    scratch_.clear(usual);
    const char* const end = value.data() + value.size();
    char* out = scratch_.room(value.size());
    for (const char* at = value.data(); at < end;) {
        if (*at == '"') {
            const char* const behind = behind_json_string(at, end);
            std::memcpy(out, at, static_cast<std::size_t>(behind - at));
            out += behind - at;
            at = behind;
        } else {
            const char byte = *at++;
            if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t') *out++ = byte;
        }
    }
    scratch_.written(out);
    return put_text(scratch_.text(), scratch_.text().data() + scratch_.size() + chunk_padding, to);
}

bool csv_cell::put_quoted(std::string_view text, text_buffer& to) {
    if (!quote_) return false;
    // In pieces, so that the worst case is not reserved for the whole of a large text.
    constexpr std::size_t piece = 4096;
    const stops_at_one stops(*quote_);
    to.append(*quote_);
    while (!text.empty()) {
        const std::string_view next = text.substr(0, piece);
        text.remove_prefix(next.size());
        char* out = to.room(2 * next.size());
        const char* at = next.data();
        const char* const end = at + next.size();
        while (at < end) {
            at = copy_within(at, end, end, out, stops);
            if (at == end) break;
            *out++ = *quote_;
            *out++ = *at++;
        }
        to.written(out);
    }
    to.append(*quote_);
    return true;
}

}  // namespace mqb::file
