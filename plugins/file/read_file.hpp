// Read file: one file that a consumer reads, and what it still owes of it.
#pragma once

#include <cstdint>
#include <string>

#include "input_file.hpp"

namespace mqb::file {

struct read_file {
    read_file(std::string path, std::uint64_t its_number) : bytes(std::move(path)), number(its_number) {}

    input_file bytes;
    std::uint64_t number;         // of the consumer, rising; a file that was cut and is read again has another one
    std::uint64_t settled = 0;    // everything before this byte is dealt with, where that is kept
    std::uint64_t unsettled = 0;  // messages that were given and are not settled
    bool lost = false;            // it was cut: what was given of it cannot be read again
    bool is_copy = false;         // of the file before, which was cut
};

}  // namespace mqb::file
