// Csv reader: turns the rows of RFC 4180 text into JSON objects whose values are all strings, keys in the order of the columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csv_dialect.hpp"
#include "csv_header.hpp"
#include "csv_row_end.hpp"
#include "line_splitter.hpp"

namespace mqb::file {

// The free part of a slab. `end` has chunk_padding writable bytes behind it; `at` moves over what was written.
struct output_room {
    char* at;
    char* end;
    std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }
};

// Things about a row that an operator should hear of once.
enum csv_oddity : unsigned { short_row = 1, long_row = 2, not_utf8 = 4, repeated_column = 8, unknown_type = 16 };

class csv_reader {
public:
    csv_reader(csv_dialect dialect, std::size_t longest);

    // Converts the next row of `unread`, which has chunk_padding readable bytes behind it. record: the JSON text is what was
    // written at out.at; begin and size tell of the row. Anything else: nothing was written. The header is taken on the way.
    look next(std::string_view unread, bool at_end, output_room& out);

    // For rows that do not follow the header at once: takes it from the beginning of the file. The size of all before the first row;
    // none: its end is not in there.
    std::optional<std::size_t> take_header_of(std::string_view start);

    // False: the header is still to come, or the first record that tells the separator.
    bool knows_columns() const noexcept { return !wants_header_; }

    // What was odd about the rows since the last call.
    unsigned take_oddities() noexcept { return std::exchange(oddities_, 0U); }

    // The most room that a row of this size can need.
    std::size_t most_room(std::size_t row) const noexcept;

    const std::vector<std::string>& columns() const noexcept { return dialect_.columns; }
    // After wrong_type: what is wrong, for people.
    std::string why_wrong() const;
    // The first column that `types` names and the file does not have; empty: there is none.
    std::string_view unknown_column() const noexcept;

private:
    enum class step { whole, cut, full, wrong };
    struct progress {
        step ended;
        const char* at;  // behind the row and its line end
    };

    template <class Plain, class Quoted>
    progress convert(const char* from, const char* end, bool at_end, output_room& out, const Plain& plain, const Quoted& quoted);
    progress convert(std::string_view row, bool at_end, output_room& out);
    look next_by_its_end(std::string_view unread, std::size_t begin, bool at_end, output_room& out);
    void take_header(std::string_view row);
    void repair(char* begin, output_room& out);
    csv_row_end row_end() const noexcept;
    char separator() const noexcept { return dialect_.separator.value_or(','); }

    csv_dialect dialect_;
    std::size_t longest_;
    bool wants_header_;
    csv_keys keys_{csv_dialect{}};
    csv_row_end end_of_cut_row_;
    bool cut_ = false;         // the unread bytes begin with a row that was not whole
    std::size_t skipped_ = 0;  // so many bytes of a row that is too long have been taken already
    unsigned oddities_ = 0;
    std::size_t wrong_column_ = 0;
};

}  // namespace mqb::file
