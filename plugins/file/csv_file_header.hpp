// Csv file header: the columns that a file which is appended to has already.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv_dialect.hpp"

namespace mqb::file {

// A header is not longer than this.
inline constexpr std::size_t longest_csv_header = 1 << 20;

struct csv_file_header {
    std::vector<std::string> columns;  // none: there is no record in the file yet
    std::string why_not;               // not empty: there is one, but it cannot be read
};

// start: the first bytes of the file; is_all: and nothing follows them. `dialect` has a separator.
csv_file_header read_csv_header(std::string_view start, bool is_all, const csv_dialect& dialect);

// What an operator should hear about a file that has other columns than were configured: "lacks 'a', 'b'", or nothing.
std::string difference(const std::vector<std::string>& in_file, const std::vector<std::string>& configured);

}  // namespace mqb::file
