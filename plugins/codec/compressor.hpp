// Compressor: turns a text that comes in pieces into one member, which a reader of its format understands without any other.
#pragma once

#include <memory>
#include <string_view>

#include "codec/compression.hpp"

namespace mqb::codec {

// Takes what comes out, piece by piece. 0: go on. Anything else ends the member and is what the compressor answers.
class sink {
public:
    virtual int take(std::string_view bytes) = 0;

protected:
    ~sink() = default;
};

// Its memory is kept from one member to the next. One thread at a time.
class compressor {
public:
    virtual ~compressor() = default;

    // A new member; one that was not finished is forgotten.
    virtual void begin() = 0;
    // More of the member's text, and with `last` its end. A member that is given in one call is cheaper.
    virtual int add(std::string_view text, bool last, sink& to) = 0;
};

// gzip at level 6, zstd at level 3, lz4 at its fast level; zstd and lz4 with a checksum of the content, as gzip has one always.
// Not for `none`.
std::unique_ptr<compressor> make_compressor(compression kind);

}  // namespace mqb::codec
