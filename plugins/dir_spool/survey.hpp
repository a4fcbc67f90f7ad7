// Survey: what a producer looks at when it opens a spool: how far the sequence is, and what a dead producer left.
#pragma once

#include <cstdint>
#include <optional>

#include "chunk_files.hpp"
#include "naming.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

struct survey {
    std::optional<std::uint64_t> highest;  // of all files of chunks, whole or not, also those that were refused
    std::uint64_t unfinished = 0;          // chunks that were being written
    std::uint64_t without_payload = 0;     // sidecars whose payload never came, or was deleted by a reader that died then
    int error = 0;                         // errno of a directory that could not be read
};

// Looks at the whole spool. `clears`: and removes what is left over, where its name is one that `names` makes.
survey look_over(const spool_directory& spool, const chunk_files& files, const naming& names, shards of, bool clears);

}  // namespace mqb::dir_spool
