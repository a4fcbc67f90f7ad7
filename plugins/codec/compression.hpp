// Compression: which format bytes are compressed in, how it is named and how it is recognised.
#pragma once

#include <optional>
#include <string_view>

namespace mqb::codec {

enum class compression { none, gzip, lz4, zstd };

// "gzip".
std::string_view name_of(compression kind) noexcept;

// By the last part of a file's name: .gz, .lz4, .zst; an .enc behind it says nothing. None for every other name.
compression compression_of_name(std::string_view file_name) noexcept;

// Whether a member of this format may begin so: of fewer bytes than its magic number, whether they agree with it.
bool may_begin(compression kind, std::string_view bytes) noexcept;

// The longest magic number.
inline constexpr std::size_t longest_magic = 4;

// The format whose magic number these bytes begin with; none if there is no such.
compression compression_of_bytes(std::string_view bytes) noexcept;

}  // namespace mqb::codec
