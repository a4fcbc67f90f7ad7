// position: a place in a text file, both from 1; 0: none.
#pragma once

#include <compare>
#include <cstdint>

namespace mqb::config {

struct position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;  // in bytes
    std::uint32_t source = 0;  // which of the sources that `findings` knows; 0: the file that is being read

    friend auto operator<=>(const position&, const position&) = default;
};

}  // namespace mqb::config
