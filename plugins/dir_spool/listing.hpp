// Listing: the first chunks of a spool in the order of their paths, in memory for so many names and no more, however many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chunk_files.hpp"
#include "naming.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

struct listing {
    std::vector<std::string> payloads;     // paths, in order
    bool has_more = false;                 // than were asked for
    bool has_strange_directories = false;  // in which a reader with these shards does not look
    int error = 0;                         // errno of a directory that could not be read
};

// The first `most` payloads for which `is_wanted`. `prunes`: and removes shard directories that are empty.
listing list_chunks(const spool_directory& spool, const chunk_files& files, shards of, std::size_t most, bool prunes,
                    const std::function<bool(std::string_view)>& is_wanted);

// How many payloads there are for which `is_wanted`. None: a directory could not be read.
std::optional<std::uint64_t> count_chunks(const spool_directory& spool, const chunk_files& files, shards of,
                                          const std::function<bool(std::string_view)>& is_wanted);

}  // namespace mqb::dir_spool
