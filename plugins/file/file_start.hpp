// File start: what the first bytes of a file say about the rest: a byte order mark, or that it is something else than text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "record_format.hpp"

namespace mqb::file {

struct file_start {
    bool known = false;    // false: more bytes are needed to tell
    std::size_t skip = 0;  // the mark
    std::string problem;   // not empty: this file cannot be read so
};

file_start look_at_start(std::string_view bytes, bool at_end, record_format format);

}  // namespace mqb::file
