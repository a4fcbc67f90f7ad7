// Csv type: what the cells of a column are read as.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mqb::file {

enum class csv_type : std::uint8_t { text, integer, number, boolean };

// No JSON value that is made of a cell is longer than the cell by more than this.
inline constexpr std::size_t longest_gain = 4;

// Turns a cell into a JSON value of the type, which is none of text, where it stands: blanks around it and a `+` go, digits stay as they
// are but for the leading zeros of an integer, `1` and `0` are truths, and nothing is null. The end of the value; null: the cell is none.
char* make_value(char* begin, char* end, csv_type type) noexcept;

}  // namespace mqb::file
