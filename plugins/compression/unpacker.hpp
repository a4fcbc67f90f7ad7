// Unpacker: one payload out of its compressed form, as far as a limit allows.
#pragma once

#include "byte_block.hpp"
#include "codec/decompressor.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::compressing {

// One thread at a time; used again and again.
class unpacker {
public:
    // Not for `none`. most: bytes that may come out.
    unpacker(codec::compression kind, std::uint64_t most);

    // A payload is one member, whole, with nothing behind it. None: `why` says what is wrong. No more than most + 1 bytes are made of it.
    std::optional<byte_block> unpack(std::string_view packed, std::string& why);

private:
    const std::string_view name_;
    const std::uint64_t most_;
    std::unique_ptr<codec::decompressor> decompressor_;
};

}  // namespace mqb::compressing
