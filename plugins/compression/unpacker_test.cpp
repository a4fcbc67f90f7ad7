#include "unpacker.hpp"

#include "packed_bytes_test.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace mqb::compressing;
namespace codec = mqb::codec;

namespace {

constexpr std::uint64_t plenty = 64 << 20;

struct unpacked {
    std::string text, why;
    bool is_whole = false;
};
unpacked unpack(codec::compression kind, std::string_view bytes, std::uint64_t most = plenty) {
    unpacker one(kind, most);
    unpacked out;
    if (const auto block = one.unpack(bytes, out.why)) {
        out.text = block->text();
        out.is_whole = true;
    }
    return out;
}

}  // namespace

TEST_CASE("what was compressed comes out as it was, of every size and again and again") {
    std::minstd_rand random{7};
    for (const codec::compression kind : all_formats) {
        unpacker one(kind, plenty);
        for (const std::size_t size : {0u, 1u, 100u, 4096u, 4097u, 1'000'000u}) {
            std::string text(size, ' ');
            for (char& c : text) c = static_cast<char>('a' + random() % 4);
            std::string why;
            const auto out = one.unpack(packed(kind, text), why);
            REQUIRE(out);
            CHECK((out->text() == text));
        }
    }
}

TEST_CASE("C098: of 1 GiB of zeros comes no more than the limit, ten times, and what follows is fine") {
    for (const codec::compression kind : all_formats) {
        const std::string bomb = packed_zeros(kind, std::uint64_t{1} << 30);
        unpacker one(kind, 1 << 20);
        for (int i = 0; i < 10; ++i) {
            std::string why;
            CHECK_FALSE(one.unpack(bomb, why));
            CHECK(why == "more than 1048576 bytes come out of the payload (max_decompressed_bytes)");
        }
        std::string why;
        CHECK(one.unpack(packed(kind, "fine"), why)->text() == "fine");
    }
}

TEST_CASE("the limit is the last size that passes") {
    for (const codec::compression kind : all_formats) {
        CHECK(unpack(kind, packed_zeros(kind, 5000), 5000).text == std::string(5000, '\0'));
        CHECK_FALSE(unpack(kind, packed_zeros(kind, 5001), 5000).is_whole);
        CHECK(unpack(kind, packed(kind, ""), 1).is_whole);
        CHECK_FALSE(unpack(kind, packed(kind, "ab"), 1).is_whole);
        CHECK(unpack(kind, packed(kind, "ab"), UINT64_MAX).text == "ab");
    }
}

TEST_CASE("C098: of a member in a member one layer is taken off") {
    for (const codec::compression kind : all_formats) {
        const std::string inner = packed(kind, "inside");
        CHECK(unpack(kind, packed(kind, inner)).text == inner);
    }
    // Nested bombs: the outer one is small.
    const std::string bomb = packed_zeros(codec::compression::gzip, std::uint64_t{1} << 30);
    CHECK(unpack(codec::compression::gzip, packed(codec::compression::gzip, bomb), 2 << 20).text == bomb);
}

TEST_CASE("C098: a zstd frame that announces 4 GiB is an error of its message") {
    // magic, a single segment with 8 bytes of content size, 4 GiB, and one raw block of a few bytes
    const std::string frame{"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x29\x00\x00hello", 21};
    const auto out = unpack(codec::compression::zstd, frame);
    CHECK_FALSE(out.is_whole);
    CHECK(out.why.find("zstd") != std::string::npos);
    // A window of 128 MiB that holds next to nothing.
    const std::string window{"\x28\xb5\x2f\xfd\x00\x88\x29\x00\x00hello", 14};
    const auto small = unpack(codec::compression::zstd, window);
    CHECK((small.text == "hello" || !small.is_whole));
}

TEST_CASE("C098: what is not compressed, or in another format, is an error, never passed on") {
    for (const codec::compression kind : all_formats) {
        for (const std::string& text : {std::string{"plain text"}, std::string{"{}"}, std::string(1, '\0'), std::string(100'000, 'x')}) {
            const auto out = unpack(kind, text);
            CHECK_FALSE(out.is_whole);
            CHECK_FALSE(out.why.empty());
        }
        CHECK(unpack(kind, "").why == "the " + std::string{codec::name_of(kind)} + " data of the payload are cut off");
        for (const codec::compression other : all_formats)
            if (other != kind) CHECK_FALSE(unpack(kind, packed(other, "text")).is_whole);
    }
}

TEST_CASE("C098: what is cut off at any byte is an error, and so is a flipped bit where the format can see it") {
    for (const codec::compression kind : all_formats) {
        const std::string whole = packed(kind, "a text that is long enough to be cut off, long enough to be cut off at many places");
        for (std::size_t size = 0; size < whole.size(); ++size) {
            INFO(codec::name_of(kind), " cut at ", size);
            CHECK_FALSE(unpack(kind, std::string_view{whole}.substr(0, size)).is_whole);
        }
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
            const auto out = unpack(kind, flipped);
            INFO(codec::name_of(kind), " flipped at ", at);
            // gzip does not protect its header: time, system and flags.
            if (out.is_whole) CHECK(out.text == unpack(kind, whole).text);
        }
    }
}

TEST_CASE("bytes behind the end are an error") {
    for (const codec::compression kind : all_formats) {
        const auto out = unpack(kind, packed(kind, "text") + "more");
        CHECK(out.why == "there are 4 bytes behind the " + std::string{codec::name_of(kind)} + " data of the payload");
        CHECK_FALSE(unpack(kind, packed(kind, "one") + packed(kind, "two")).is_whole);
    }
}
