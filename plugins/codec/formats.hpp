// Formats: what each of the compression formats has to offer; make_compressor and make_decompressor choose.
#pragma once

#include "codec/compressor.hpp"
#include "codec/decompressor.hpp"

namespace mqb::codec {

// What a compressor fills before it passes it on; a text up to this size is compressed in one go.
inline constexpr std::size_t piece_size = 256 << 10;

std::unique_ptr<compressor> make_gzip_compressor();
std::unique_ptr<decompressor> make_gzip_decompressor();
std::unique_ptr<compressor> make_lz4_compressor();
std::unique_ptr<decompressor> make_lz4_decompressor();
std::unique_ptr<compressor> make_zstd_compressor();
std::unique_ptr<decompressor> make_zstd_decompressor();

}  // namespace mqb::codec
