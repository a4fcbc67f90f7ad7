// A row is converted in one pass on the assumption that it is whole. Where it is not, the output is rolled back, its end is
// looked for as bytes arrive, and it is converted once more when the end is there.
#include "csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "json_string.hpp"
#include "utf8.hpp"

namespace mqb::file {
namespace {

// Where copying stops inside quotes that are not `"`, and outside quotes.
struct stops_with_one : json_stops {
    explicit stops_with_one(char byte) noexcept : other(chunk16::filled(byte)) {}
    chunk16 among(chunk16 bytes) const noexcept { return json_stops::among(bytes) | bytes.equal(other); }
    chunk16 other;
};
// A delimiter that is not a control character needs a stop of its own.
struct stops_with_two : stops_with_one {
    stops_with_two(char byte, char delimiter) noexcept : stops_with_one(byte), second(chunk16::filled(delimiter)) {}
    chunk16 among(chunk16 bytes) const noexcept { return stops_with_one::among(bytes) | bytes.equal(second); }
    chunk16 second;
};

}  // namespace

csv_reader::csv_reader(csv_dialect dialect, std::size_t longest)
    : dialect_(std::move(dialect)), longest_(longest), wants_header_(dialect_.header || !dialect_.separator), end_of_cut_row_(row_end()) {
    if (!wants_header_) keys_ = csv_keys(dialect_);
}

csv_row_end csv_reader::row_end() const noexcept {
    const std::string_view separators = dialect_.separator ? std::string_view(&*dialect_.separator, 1) : guessed_separators;
    return {separators, dialect_.quote, dialect_.delimiter};
}

std::size_t csv_reader::most_room(std::size_t row) const noexcept { return row * longest_escape + keys_.total_size() + 2 * chunk_padding; }

template <class Plain, class Quoted>
csv_reader::progress csv_reader::convert(const char* from, const char* const end, bool at_end, output_room& out, const Plain& plain,
                                         const Quoted& quoted) {
    const char separator = this->separator();
    const char delimiter = dialect_.delimiter;
    const bool quotes = dialect_.quote.has_value();
    const char quote = dialect_.quote.value_or('"');
    const bool returns = delimiter == '\n';
    const std::size_t columns = keys_.count();

    // Reading stops where the worst that can be written still fits, and goes on from there with what is really left.
    const std::size_t reserve = keys_.total_size() + chunk_padding;
    char* o = out.at;
    const auto within_room = [&](const char* p) {
        const std::size_t room = static_cast<std::size_t>(out.end - o);
        const std::size_t most = room > reserve ? (room - reserve) / longest_escape : 0;
        return static_cast<std::size_t>(end - p) <= most ? end : p + most;
    };
    const char* p = from;
    const char* stop = within_room(p);
    const auto go_on = [&] {
        const char* before = stop;
        stop = within_room(p);
        return stop == end || stop - before >= 16;
    };

    chunk16 seen = chunk16::none();
    std::size_t column = 0;
    bool is_wrong = false;
    for (;;) {  // a field
        char* const before = o;
        if (column < columns) [[likely]]
            o = keys_.put(o, column);
        char* const cell = o;
        if (quotes && p < end && *p == quote) {
            ++p;
            for (;;) {
                p = copy_plain(p, stop, o, quoted, seen);
                if (p >= stop) {
                    if (p >= end) return {step::cut, from};  // at the end of the file: an open quote
                    if (!go_on()) return {step::full, from};
                } else if (*p != quote) {
                    o = put_escaped(o, *p++);
                } else if (p + 1 == end) {
                    if (!at_end) return {step::cut, from};
                    ++p;
                    break;
                } else if (p[1] == quote) {
                    o = put_escaped(o, quote);
                    p += 2;
                } else {
                    ++p;
                    break;
                }
            }
        }
        for (;;) {  // outside quotes; also what stands behind a closing quote
            p = copy_plain(p, stop, o, plain, seen);
            if (p >= stop) {
                if (p < end) {
                    if (!go_on()) return {step::full, from};
                    continue;
                }
                if (!at_end) return {step::cut, from};
                break;
            }
            if (*p == separator || *p == delimiter) break;
            if (*p == '\r' && returns) {
                if (p + 1 == end) {
                    if (!at_end) return {step::cut, from};
                    break;
                }
                if (p[1] == '\n') break;
            }
            o = put_escaped(o, *p++);
        }
        if (column < columns && keys_.type(column) != csv_type::text) {
            if (char* const behind = make_value(cell, o, keys_.type(column)); behind != nullptr) [[likely]] {
                o = behind;
            } else if (!std::exchange(is_wrong, true)) {
                wrong_column_ = column;
            }
        }
        if (++column > columns) o = before;
        if (p < end && *p == separator) {
            ++p;
            continue;
        }
        break;
    }
    if (p < end && *p == '\r' && returns) ++p;
    if (p < end) ++p;
    if (is_wrong) return {step::wrong, p};
    if (column > columns) oddities_ |= long_row;
    if (column < columns) {
        oddities_ |= short_row;
        for (; column < columns; ++column) {
            o = keys_.put(o, column);
            if (keys_.type(column) != csv_type::text) o = make_value(o, o, keys_.type(column));
        }
    }
    char* const begin = std::exchange(out.at, keys_.finish(o));
    if (seen.high() != 0) repair(begin, out);
    return {step::whole, p};
}

csv_reader::progress csv_reader::convert(std::string_view row, bool at_end, output_room& out) {
    const char* const end = row.data() + row.size();
    if (out.left() < most_room(0)) return {step::full, row.data()};
    if (dialect_.quote.value_or('"') == '"' && static_cast<unsigned char>(dialect_.delimiter) < 0x20)
        return convert(row.data(), end, at_end, out, stops_with_one(separator()), json_stops{});
    return convert(row.data(), end, at_end, out, stops_with_two(separator(), dialect_.delimiter),
                   stops_with_one(dialect_.quote.value_or('"')));
}

// JSON is UTF-8: what is not becomes U+FFFD. A bad byte grows to three bytes at most, for which there is room.
void csv_reader::repair(char* begin, output_room& out) {
    const std::string_view text(begin, static_cast<std::size_t>(out.at - begin));
    if (is_utf8(text)) return;
    oddities_ |= not_utf8;
    std::string repaired;
    append_as_utf8(text, repaired);
    std::memcpy(begin, repaired.data(), repaired.size());
    out.at = begin + repaired.size();
}

std::string csv_reader::why_wrong() const {
    static constexpr std::string_view names[]{"string", "integer", "number", "boolean"};
    std::string why = "the cell of column '";
    append_as_utf8(dialect_.columns[wrong_column_], why);
    return why.append("' is no ").append(names[static_cast<std::size_t>(keys_.type(wrong_column_))]);
}

std::string_view csv_reader::unknown_column() const noexcept {
    for (const auto& [name, type] : dialect_.types)
        if (std::find(dialect_.columns.begin(), dialect_.columns.end(), name) == dialect_.columns.end()) return name;
    return {};
}

void csv_reader::take_header(std::string_view row) {
    if (row.ends_with('\r') && dialect_.delimiter == '\n') row.remove_suffix(1);
    if (!dialect_.separator) dialect_.separator = guess_separator(row, dialect_.quote);
    if (dialect_.columns.empty()) {
        dialect_.columns = csv_fields(row, dialect_);
        if (make_unique(dialect_.columns)) oddities_ |= repeated_column;
    }
    if (!unknown_column().empty()) oddities_ |= unknown_type;
    keys_ = csv_keys(dialect_);
    wants_header_ = false;
}

std::optional<std::size_t> csv_reader::take_header_of(std::string_view start) {
    if (!wants_header_) return 0;
    const std::size_t all = start.size();
    const bool returns = dialect_.delimiter == '\n';
    while (!start.empty() && (start.front() == dialect_.delimiter || (returns && start.starts_with("\r\n")))) start.remove_prefix(1);
    const std::optional<std::size_t> end = row_end().find(start);
    if (!end) return std::nullopt;
    take_header(start.substr(0, *end));
    return dialect_.header ? all - start.size() + *end + 1 : 0;
}

look csv_reader::next(std::string_view unread, bool at_end, output_room& out) {
    std::size_t begin = 0;
    if (!cut_) {
        // A row of nothing but its line end is no record.
        for (;;) {
            const std::string_view rest = unread.substr(begin);
            if (rest.empty()) return {found::more, 0, 0, begin};
            if (rest.front() == dialect_.delimiter) {
                ++begin;
            } else if (rest.front() == '\r' && dialect_.delimiter == '\n' && rest.size() == 1) {
                return {found::more, 0, 0, at_end ? unread.size() : begin};
            } else if (rest.front() == '\r' && dialect_.delimiter == '\n' && rest[1] == '\n') {
                begin += 2;
            } else {
                break;
            }
        }
        if (!wants_header_) {
            char* const before = out.at;
            const progress row = convert(unread.substr(begin), at_end, out);
            const auto behind = static_cast<std::size_t>(row.at - unread.data());
            if (row.ended == step::full) return {found::no_room, begin, unread.size() - begin, begin};
            if (row.ended != step::cut) {
                if (behind - begin > longest_) {
                    out.at = before;
                    return {found::too_long, begin, behind - begin, behind};
                }
                return {row.ended == step::wrong ? found::wrong_type : found::record, begin, behind - begin, behind};
            }
        }
        cut_ = true;
        end_of_cut_row_ = row_end();
    }
    return next_by_its_end(unread, begin, at_end, out);
}

look csv_reader::next_by_its_end(std::string_view unread, std::size_t begin, bool at_end, output_room& out) {
    const std::string_view rest = unread.substr(begin);
    const std::optional<std::size_t> delimiter = end_of_cut_row_.find(rest);
    if (!delimiter && !at_end) {
        if (skipped_ + rest.size() <= longest_) return {found::more, 0, 0, begin};
        const std::size_t earlier = std::exchange(skipped_, skipped_ + rest.size());
        end_of_cut_row_.forget_searched();
        return {found::too_much, begin, skipped_, unread.size(), earlier};
    }
    const std::size_t size = delimiter ? *delimiter + 1 : rest.size();
    const look whole{found::record, begin, skipped_ + size, begin + size, skipped_};
    const auto instead = [&](found what) {
        cut_ = false;
        skipped_ = 0;
        look other = whole;
        other.what = what;
        return other;
    };
    if (whole.size == 0) return instead(found::more);
    if (!delimiter && end_of_cut_row_.inside_quotes()) return instead(found::open_quote);
    if (whole.size > longest_) return instead(found::too_long);
    if (wants_header_) {
        cut_ = false;
        const bool is_data = !dialect_.header;
        take_header(rest.substr(0, delimiter.value_or(rest.size())));
        if (is_data) return next(unread, at_end, out);
        look row = next(unread.substr(begin + size), at_end, out);
        row.begin += begin + size;
        row.taken += begin + size;
        return row;
    }
    const progress row = convert(rest.substr(0, size), true, out);
    if (row.ended == step::full) return {found::no_room, begin, size, begin};
    return instead(row.ended == step::wrong ? found::wrong_type : found::record);
}

}  // namespace mqb::file
