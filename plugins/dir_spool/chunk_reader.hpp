// Chunk reader: one chunk of a spool, from its two files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chunk_files.hpp"
#include "sidecar.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

// A chunk that is open: its payload has still to be read.
struct open_chunk {
    int error = 0;  // errno; ENOENT: it is not there any more
    descriptor payload;
    std::uint64_t size = 0;
    sdk::message_id made_id{};  // for a chunk that names none: the same as long as its name, time and size are the same
};

// One thread at a time.
class chunk_reader {
public:
    chunk_reader(const spool_directory& spool, const chunk_files& files) : spool_(spool), files_(files) {}

    open_chunk open(const std::string& payload) const;
    // The made_id of the chunk that has this name now. None: errno says why.
    std::optional<sdk::message_id> made_id_of(const std::string& payload) const;
    // Up to `most` bytes; how many, or -1 and errno.
    static std::int64_t read(const descriptor& from, char* to, std::uint64_t most) noexcept;
    // What the sidecar says. None: nothing is said. `error`: errno when it is there and cannot be read.
    sidecar read_sidecar_of(const std::string& payload, int& error);

    // The path without the extension: what a chunk is called.
    std::string_view chunk_of(std::string_view payload) const noexcept;

private:
    const spool_directory& spool_;
    const chunk_files& files_;
    std::string text_;
};

}  // namespace mqb::dir_spool
