#include "frame_reader.hpp"

#include <mqb/metadata.h>

#include <doctest/doctest.h>

#include <cstring>

using namespace mqb::memory;

namespace {

std::string number(std::uint32_t value, int bytes) {
    std::string out;
    while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes));
    return out;
}

// A frame of one message, with so many metadata entries of values of this size.
std::string body_of(std::uint32_t entries, std::uint32_t value_size) {
    std::string out = std::string("\x91\x93\xa1x\xc4\x01p\xdf", 8) + number(entries, 4);
    for (std::uint32_t i = 0; i < entries; ++i)
        out += "\xa8" + std::to_string(10'000'000 + i) + '\xdb' + number(value_size, 4) + std::string(value_size, 'v');
    return out;
}

struct reading {
    explicit reading(const std::string& body) {
        block* in = block::make(body.size());
        std::memcpy(in->bytes(), body.data(), body.size());
        got.reset(reader.read(*in, in->bytes(), body.size()));
        in->release();
    }
    frame_reader reader;
    counted_parcel got;
};

}  // namespace

TEST_CASE("a message has as many metadata as a host takes, and a frame with more is a bad one") {
    const reading most(body_of(4096, 2)), more(body_of(4097, 2));
    REQUIRE(most.got);
    CHECK(most.reader.error() == "");
    std::size_t at = 0;
    mqb_meta entry;
    int entries = 0;
    while (mqb_meta_next(&most.got->message(0).metadata, &at, &entry) == 1) ++entries;
    CHECK(entries == 4096);
    CHECK_FALSE(more.got);
    CHECK(more.reader.error() == "message 1 of 1 has 4097 metadata entries; at most 4096");
    const std::uint32_t half = (8 << 20) - 16;
    const reading largest(body_of(2, half)), larger(body_of(2, half + 1));
    REQUIRE(largest.got);
    CHECK(largest.got->message(0).metadata.size == MQB_META_MAX_SIZE);
    CHECK_FALSE(larger.got);
    CHECK(larger.reader.error() == "message 1 of 1 has 16777218 bytes of metadata; at most 16777216");
}
