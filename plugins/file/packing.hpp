// Packing: how the text of each batch stands in a file: as it is, compressed, sealed, or compressed and then sealed.
//
//   packed file := member*     of gzip, lz4 or zstd; or
//   packed file := block*      block := size:u64 big-endian envelope
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/compression.hpp"

namespace mqb::file {

struct packing {
    codec::compression compression = codec::compression::none;
    bool sealed = false;

    bool is_plain() const noexcept { return compression == codec::compression::none && !sealed; }
};

inline constexpr std::size_t block_head_size = 8;
std::uint64_t block_size(std::string_view head) noexcept;

// How much of a file's beginning looks_sealed wants to see.
inline constexpr std::size_t longest_beginning = 12;
// Whether a file that begins so may be one of sealed blocks; of fewer bytes than longest_beginning, whether they agree so far.
bool looks_sealed(std::string_view beginning) noexcept;

// Why nothing packed so may be appended to a file that begins like this; empty: it may.
std::string why_not_appended(packing how, std::string_view beginning);

// Of a packed file, whose batch that begins at `from` may be the last whole one: the end of the whole ones before `size`. All that is
// in between is read, in little memory. More than `size` where it cannot be read.
std::uint64_t end_of_batches(int descriptor, std::uint64_t from, std::uint64_t size, packing how);

}  // namespace mqb::file
