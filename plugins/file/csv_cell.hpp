// Csv cell: writes one value as a cell, in quotes where it needs them.
#pragma once

#include <string_view>

#include "csv_dialect.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

// A cell is put in quotes when it holds the separator, the quote, the delimiter, CR or LF. Quotes inside are doubled.
class csv_cell {
public:
    // `dialect` has a separator.
    explicit csv_cell(const csv_dialect& dialect) noexcept
        : separator_(*dialect.separator), delimiter_(dialect.delimiter), quote_(dialect.quote) {}

    // Each appends the cell. Bytes up to `readable`, which is behind the value, may be read. False: it needs quotes, and the
    // dialect has none; what is appended then means nothing.
    bool put_text(std::string_view text, const char* readable, text_buffer& to);
    // Of a JSON string, the inside.
    bool put_string(std::string_view inside, const char* readable, text_buffer& to);
    // The text of a JSON object or array, without white space outside its strings.
    bool put_json(std::string_view value, text_buffer& to);
    // In quotes whatever it holds.
    bool put_quoted(std::string_view text, text_buffer& to);

private:
    const char* copy(std::string_view text, char also, const char* readable, text_buffer& to) const;

    char separator_, delimiter_;
    std::optional<char> quote_;
    text_buffer scratch_;
};

}  // namespace mqb::file
