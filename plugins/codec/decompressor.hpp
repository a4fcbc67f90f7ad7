// Decompressor: the text of one member, as much at a time as there is room for.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "codec/compression.hpp"

namespace mqb::codec {

// Its memory is bounded by its format whatever the member holds: 40 KiB for gzip, 9 MiB for lz4, 128 MiB for zstd, where that much
// is used only if the writer asked for such a window. One thread at a time.
class decompressor {
public:
    struct progress {
        std::size_t taken = 0;  // of the input
        std::size_t given = 0;  // into the output
        bool ended = false;     // with the last byte that was taken
    };

    virtual ~decompressor() = default;

    // At the first byte of a member.
    virtual void begin() = 0;
    // Goes on as far as input and room allow; when it neither takes nor gives, it needs more input. Throws broken, after it has given
    // what is in front of the damage.
    virtual progress run(std::string_view from, std::span<char> to) = 0;
};

// Not for `none`.
std::unique_ptr<decompressor> make_decompressor(compression kind);

}  // namespace mqb::codec
