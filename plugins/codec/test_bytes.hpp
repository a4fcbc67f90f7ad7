// Test bytes: hexadecimal text and random text. For the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

#include "codec/compressor.hpp"

namespace mqb::codec::testing {

inline std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

inline std::string to_hex(std::string_view bytes) {
    std::string hex;
    for (const char byte : bytes) {
        hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
        hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
    }
    return hex;
}

// Text that can be compressed, the same for the same seed.
inline std::string words(std::size_t size, unsigned seed) {
    std::minstd_rand random(seed);
    std::string text;
    while (text.size() < size) text += std::to_string(random() % 1000) + (random() % 8 == 0 ? "\n" : " word ");
    text.resize(size);
    return text;
}

// Takes everything.
struct collecting final : sink {
    int take(std::string_view bytes) override {
        text += bytes;
        ++pieces;
        return 0;
    }
    std::string text;
    int pieces = 0;
};

// One member of a text that is given in pieces of this size; 0: in one.
inline std::string member_of(compressor& with, std::string_view text, std::size_t piece = 0) {
    collecting out;
    with.begin();
    while (piece != 0 && text.size() > piece) {
        REQUIRE(with.add(text.substr(0, piece), false, out) == 0);
        text.remove_prefix(piece);
    }
    REQUIRE(with.add(text, true, out) == 0);
    return out.text;
}
inline std::string member_of(compression kind, std::string_view text) { return member_of(*make_compressor(kind), text); }

}  // namespace mqb::codec::testing
