// Read file: one file that a consumer reads, and what it still owes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "input_file.hpp"
#include "shared_front.hpp"

namespace mqb::file {

// A place in it is counted from its beginning as it was first opened: what was cut from its front since counts too.
struct read_file {
    read_file(const read_file&) = delete;
    read_file& operator=(const read_file&) = delete;
    ~read_file() {
        if (front) front->leave(this);
    }
    read_file(std::string path, std::uint64_t its_number) : bytes(std::move(path)), number(its_number) {}

    input_file bytes;
    std::uint64_t number;                 // of the consumer, rising; a file that was cut and is read again has another one
    std::uint64_t settled = 0;            // everything before this place is dealt with, where that is kept
    std::uint64_t unsettled = 0;          // messages that were given and are not settled
    bool lost = false;                    // it was cut: what was given of it cannot be read again
    std::uint64_t removed = 0;            // so much was cut before the first byte of it as it is open
    std::shared_ptr<shared_front> front;  // where what is dealt with is deleted
    std::int64_t beside = 0;              // when what stood beside it had changed last, when reading of it was begun
    bool was_empty = false;               // when it was opened, and what it began with then is not looked at yet
    bool is_copy = false;                 // of the file before, which was cut
    bool is_first_of_path = false;        // of many: no other was read under its path before, nor this one
};

}  // namespace mqb::file
