// Random texts: the fast readers against slow ones that are plainly right, in pieces and rooms of random sizes.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <regex>

#include "csv_reader.hpp"
#include "envelope_reader.hpp"
#include "envelope_writer.hpp"
#include "json_string.hpp"
#include "utf8.hpp"

using namespace mqb::file;

namespace {

using chance = std::mt19937;

std::size_t below(chance& r, std::size_t most) { return r() % most; }
std::string text_of(chance& r, std::initializer_list<std::string_view> parts, std::size_t most) {
    std::string text;
    for (std::size_t n = below(r, most); n > 0; --n) text += parts.begin()[below(r, parts.size())];
    return text;
}

// What a cell is as a value of a type, by patterns.
std::optional<std::string> slow_value(const std::string& cell, csv_type type) {
    static const std::regex whole("\\+?(-?)0*([0-9]+)"), number("\\+?(-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)");
    const std::size_t first = cell.find_first_not_of(' ');
    if (first == std::string::npos) return "null";
    const std::string inside = cell.substr(first, cell.find_last_not_of(' ') - first + 1);
    std::smatch found;
    if (inside.starts_with("+-")) return std::nullopt;
    if (type == csv_type::boolean) {
        if (inside == "true" || inside == "1") return "true";
        return inside == "false" || inside == "0" ? std::optional("false") : std::nullopt;
    }
    if (!std::regex_match(inside, found, type == csv_type::number ? number : whole)) return std::nullopt;
    if (type == csv_type::number) return found[1].str();
    return found[2] == "0" ? std::string("0") : found[1].str() + found[2].str();
}

// Empty: a cell is not of its type.
std::string json_of(const csv_dialect& dialect, const std::vector<std::string>& fields) {
    const auto& [columns, types] = std::tie(dialect.columns, dialect.types);
    std::string json;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::string value, utf8;
        append_as_utf8(i < fields.size() ? fields[i] : "", utf8);
        value.resize(utf8.size() * longest_escape + chunk_padding);
        value.resize(static_cast<std::size_t>(put_json_text(value.data(), utf8) - value.data()));
        json += (i == 0 ? "{\"" : ",\"") + columns[i] + "\":";
        if (const auto type = types.find(columns[i]); type == types.end()) {
            json += '"' + value + '"';
        } else if (const auto typed = slow_value(utf8, type->second)) {
            json += *typed;
        } else {
            return {};
        }
    }
    return json + '}';
}

// Row by row and byte by byte; stops at an open quote.
std::vector<std::string> slow_rows(const csv_dialect& dialect, std::string_view text, bool& open) {
    std::vector<std::string> rows;
    open = false;
    while (!text.empty()) {
        std::size_t end = 0;
        bool quoted = false, start = true;
        for (; end < text.size() && (quoted || text[end] != dialect.delimiter); ++end) {
            const char c = text[end];
            if (quoted) {
                if (c != dialect.quote) continue;
                if (end + 1 < text.size() && text[end + 1] == dialect.quote) {
                    ++end;
                } else {
                    quoted = false;
                }
            } else if (start && c == dialect.quote) {
                quoted = true;
            }
            start = !quoted && c == dialect.separator;
        }
        open = quoted;
        if (open) return rows;
        std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        if (dialect.delimiter == '\n' && row.ends_with('\r')) row.remove_suffix(1);
        if (row.empty()) continue;
        if (std::string json = json_of(dialect, csv_fields(row, dialect)); !json.empty()) rows.push_back(std::move(json));
    }
    return rows;
}

std::vector<std::string> fast_rows(const csv_dialect& dialect, std::string_view text, chance& r, bool& open) {
    csv_reader reader(dialect, 1 << 20);
    std::vector<std::string> rows;
    std::string unread;
    open = false;
    for (;;) {
        const bool last = text.empty();
        const std::unique_ptr<char[]> in(new char[unread.size() + chunk_padding]);
        std::memcpy(in.get(), unread.data(), unread.size());
        std::memset(in.get() + unread.size(), '"', chunk_padding);
        const std::size_t room = 1 + below(r, 1000);
        const std::unique_ptr<char[]> slab(new char[room + chunk_padding]);
        output_room out{slab.get(), slab.get() + room};
        const look seen = reader.next({in.get(), unread.size()}, last, out);
        if (seen.what == found::record) rows.emplace_back(slab.get(), static_cast<std::size_t>(out.at - slab.get()));
        open = open || seen.what == found::open_quote;
        unread.erase(0, seen.taken);
        if (seen.what != found::more && seen.what != found::too_much) continue;
        if (last) return rows;
        const std::size_t piece = 1 + below(r, 40);
        unread += text.substr(0, piece);
        text.remove_prefix(std::min(piece, text.size()));
    }
}

}  // namespace

TEST_CASE("CSV of any shape is read as byte by byte") {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        chance r(seed);
        csv_dialect dialect;
        dialect.header = false;
        dialect.columns = {"a", "b", "c"};
        dialect.separator = ",;\t"[below(r, 3)];
        if (below(r, 4) == 0) dialect.quote = '\'';
        if (below(r, 8) == 0) dialect.quote.reset();
        if (below(r, 4) == 0) dialect.delimiter = '|';
        for (const std::string& column : dialect.columns)
            if (below(r, 4) == 0) dialect.types[column] = static_cast<csv_type>(1 + below(r, 3));
        const std::string text =
            text_of(r, {"\"",       "\"\"", "'",  ",", ";", "\t", "\n", "\r\n", "\r", "|",    "x",    "some longer text", "\\", "\x01",
                        "\xc3\xa9", "\xff", "12", "0", "-", "+",  ".5", "e3",   " ",  "true", "false"},
                    60);
        CAPTURE(seed);
        CAPTURE(text);
        bool slow_open = false, fast_open = false;
        const auto slow = slow_rows(dialect, text, slow_open);
        CHECK(fast_rows(dialect, text, r, fast_open) == slow);
        CHECK(fast_open == slow_open);
    }
}

TEST_CASE("what is written as an envelope is read back the same") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        chance r(seed);
        const auto parts = {std::string_view("\""),
                            std::string_view("\\"),
                            std::string_view("\n"),
                            std::string_view("\0", 1),
                            std::string_view("plain"),
                            std::string_view("{\"a\":[1, 2.50]}"),
                            std::string_view("\xf0\x9f\x98\x80"),
                            std::string_view("\xe2\x82\xac;|"),
                            std::string_view("/"),
                            std::string_view("\xff")};
        const std::string payload = text_of(r, parts, 6), key = "k" + text_of(r, {"\"", "\\", ";", "\xc3\xa9", "x"}, 4),
                          value = text_of(r, {"\"", "\n", ";", "\xc3\xa9"}, 4);
        const record_format of = std::array{record_format::normal, record_format::json, record_format::text}[below(r, 3)];
        const char delimiter = "\n;|/\x1e\x82"[below(r, 6)];

        std::vector<std::uint8_t> block(8 + key.size() + value.size());
        mqb_meta_put(block.data(), block.size(), 0, MQB_META_TEXT, {key.data(), key.size()}, value.data(), value.size());
        mqb_message message{};
        for (auto& byte : message.id) byte = static_cast<std::uint8_t>(r());
        message.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
        message.metadata = {block.data(), block.size(), nullptr};
        text_buffer to;
        envelope_writer(of, delimiter).append(message, to);

        CAPTURE(seed);
        const std::string_view line = to.text().substr(0, to.size() - 1);
        CHECK(line.find(delimiter) == std::string_view::npos);
        const std::unique_ptr<char[]> room(new char[envelope_reader::most_room(line.size())]);
        const envelope read = envelope_reader(of).read(line, room.get());
        CHECK(read.why_raw == "");
        CHECK(std::memcmp(read.id.data(), message.id, 16) == 0);
        CHECK(read.metadata == std::string_view(reinterpret_cast<const char*>(block.data()), block.size()));
        // JSON with white space at its ends, or with an escaped delimiter in it, is the same value in other words.
        if (of != record_format::json || delimiter == '\n') CHECK(read.payload == payload);
    }
}

TEST_CASE("lines of any bytes are read without stepping outside, by the short way as by the long one") {
    const std::initializer_list<std::string_view> parts = {"{",
                                                           "}",
                                                           "[",
                                                           "]",
                                                           "\"",
                                                           ":",
                                                           ",",
                                                           "\"message_id\":",
                                                           "\"payload\":",
                                                           "\"payload_base64\":",
                                                           "\"metadata\":",
                                                           "\"a\"",
                                                           ",\"metadata\":{",
                                                           "1",
                                                           "{}",
                                                           "\\u0041",
                                                           "\\",
                                                           "null",
                                                           "\xff",
                                                           "\"AAA=\"",
                                                           " ",
                                                           "}",
                                                           "\"k\":\"v\\n\"",
                                                           ",\"extra\":\"x\"",
                                                           ",\"message_id\":\"8\"",
                                                           "\x01"};
    for (unsigned seed = 0; seed < 6000; ++seed) {
        chance r(seed);
        // Half of them begin as an envelope does.
        const bool half = below(r, 2) == 0;
        const std::string line =
            (half ? R"({"message_id":"7","payload":"a\"b")" : "") + text_of(r, parts, half ? 5 : 20) + (half ? "}" : "");
        const std::unique_ptr<char[]> room(new char[envelope_reader::most_room(line.size())]);
        const envelope read = envelope_reader(record_format::normal).read(line, room.get());
        if (!read.why_raw.empty()) CHECK(read.payload == line);
        const std::unique_ptr<char[]> other(new char[envelope_reader::most_room(line.size())]);
        const envelope any = envelope_reader(record_format::normal).read_any(line, other.get());
        CHECK(read.id == any.id);
        CHECK(read.payload == any.payload);
        CHECK(read.metadata == any.metadata);
    }
}
