// Csv writer: one message, whose payload is a JSON object, as one row; the reverse of csv_reader.
//
// A value is in the cell of the column that has its key: texts as they are, numbers as written, true and false, arrays as JSON, and
// nothing for null, as for a column that the object lacks. An object in the object is JSON too, or has its members in columns of
// their own, named `parent.child`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csv_cell.hpp"
#include "csv_columns.hpp"
#include "csv_dialect.hpp"
#include "json_check.hpp"
#include "json_leaves.hpp"

namespace mqb::file {

class csv_writer {
public:
    // Of `dialect.columns` there may be none: then the first record names them.
    // strict: a record whose keys are not the columns is refused, and not only told. Keys that `dialect.columns` leaves out are
    // left out on purpose.
    csv_writer(csv_dialect dialect, bool flatten, bool strict);

    // The columns that the file has: every row is in their order, whatever was configured.
    void follow(std::vector<std::string> columns);

    // Appends the row and its delimiter, and before it the header where with_header. Nothing: done; else why this can never be a row
    // of this file, valid until the next call, and nothing was appended. A payload may be as large as it likes.
    std::string_view append(std::string_view payload, bool with_header, text_buffer& to);

    // What an operator should hear, each once: texts since the last call.
    std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

private:
    struct cell {
        std::string_view value;  // the JSON text
        std::uint64_t row = 0;   // of which it is
    };

    bool adopt(std::string_view payload);
    bool fill(std::string_view payload);
    bool put_row(const char* readable, text_buffer& to);
    bool put_header(text_buffer& to);
    bool end_cell(std::size_t column, std::size_t row_begin, text_buffer& to);
    bool mismatch(bool& told, std::string text);
    bool refuse(std::string text);

    csv_dialect dialect_;
    bool flatten_, strict_;
    bool chosen_;  // the columns are configured
    csv_columns columns_;
    csv_cell cell_;
    json_check check_;
    json_leaves leaves_;
    std::vector<cell> cells_;
    std::uint64_t row_ = 0;
    std::string why_;
    std::vector<std::string> warnings_;
    bool told_missing_ = false, told_extra_ = false, told_twice_ = false;
};

}  // namespace mqb::file
