// packed_bytes: for the tests of this folder, texts in their compressed forms.
#pragma once

#include "codec/compressor.hpp"

#include <string>
#include <string_view>

namespace mqb::compressing {

inline constexpr codec::compression all_formats[] = {codec::compression::gzip, codec::compression::lz4, codec::compression::zstd};

inline std::string packed(codec::compression kind, std::string_view text) {
    struct into_text final : codec::sink {
        int take(std::string_view bytes) override { return to += bytes, 0; }
        std::string to;
    } into;
    const auto compressor = codec::make_compressor(kind);
    compressor->begin();
    (void)compressor->add(text, true, into);
    return into.to;
}

// So many zeros, without a copy of them in memory.
inline std::string packed_zeros(codec::compression kind, std::uint64_t size) {
    struct into_text final : codec::sink {
        int take(std::string_view bytes) override { return to += bytes, 0; }
        std::string to;
    } into;
    const auto compressor = codec::make_compressor(kind);
    const std::string piece(1 << 20, '\0');
    compressor->begin();
    for (; size > piece.size(); size -= piece.size()) (void)compressor->add(piece, false, into);
    (void)compressor->add(std::string_view{piece}.substr(0, size), true, into);
    return into.to;
}

}  // namespace mqb::compressing
