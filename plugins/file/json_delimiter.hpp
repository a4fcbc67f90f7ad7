// Json delimiter: JSON records between delimiters other than line feed, which JSON itself never holds.
#pragma once

#include "text_buffer.hpp"

namespace mqb::file {

// A JSON text may need this byte itself, so that it cannot end records.
bool is_json_syntax(char delimiter) noexcept;

// Makes the JSON text that begins at `begin` of the buffer free of the delimiter, and of line breaks: inside strings \u escapes
// take their place, white space between values goes.
void free_of_delimiter(text_buffer& buffer, std::size_t begin, char delimiter);

}  // namespace mqb::file
