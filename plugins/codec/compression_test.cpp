#include "codec/compression.hpp"

#include "codec/compressor.hpp"
#include "codec/decompressor.hpp"
#include "codec/test_bytes.hpp"

using namespace mqb::codec;
using namespace mqb::codec::testing;

TEST_CASE("names and magic numbers") {
    CHECK(name_of(compression::zstd) == "zstd");
    CHECK(compression_of_name("a/b.jsonl.gz") == compression::gzip);
    CHECK(compression_of_name("b.zst") == compression::zstd);
    CHECK(compression_of_name("b.lz4.enc") == compression::lz4);
    CHECK(compression_of_name("b.enc") == compression::none);
    CHECK(compression_of_name("gz") == compression::none);
    CHECK(compression_of_name("a.gz/b") == compression::none);
    for (const compression kind : {compression::gzip, compression::lz4, compression::zstd}) {
        const std::string member = member_of(kind, "x");
        CHECK(compression_of_bytes(member) == kind);
        for (std::size_t size = 0; size < 5; ++size) CHECK(may_begin(kind, member.substr(0, size)));
        CHECK_FALSE(may_begin(kind, "\x1f\x8c"));
        CHECK_FALSE(may_begin(kind, "{"));
        CHECK(may_begin(kind, "\x5f\x2a\x4d\x18") == (kind != compression::gzip));
    }
    CHECK(compression_of_bytes("\x1f") == compression::none);
    CHECK(compression_of_bytes("text") == compression::none);
}

TEST_CASE("a member is the same text again, however it is cut into pieces, and its compressor is used again") {
    for (const compression kind : {compression::gzip, compression::lz4, compression::zstd}) {
        const auto compressor = make_compressor(kind);
        const auto decompressor = make_decompressor(kind);
        for (const std::size_t size : {0, 1, 100, 65536, 262144, 262145, 1000000}) {
            for (const std::size_t piece : {0, 1000, 262144, 300000}) {
                const std::string text = words(size, static_cast<unsigned>(size)), member = member_of(*compressor, text, piece);
                CHECK(member.size() < size / 2 + 100);
                decompressor->begin();
                std::string again(size + 1, '\0');
                std::size_t taken = 0, given = 0;
                bool ended = false;
                while (!ended) {
                    const std::string_view some = std::string_view(member).substr(taken, 10007);
                    const auto made = decompressor->run(some, std::span(again).subspan(given));
                    REQUIRE((made.ended || made.taken > 0 || made.given > 0));
                    taken += made.taken;
                    given += made.given;
                    ended = made.ended;
                }
                CHECK(taken == member.size());
                again.resize(given);
                CHECK(again == text);
            }
        }
    }
}

TEST_CASE("a member is given up when nobody takes it, and the next one is whole") {
    struct full final : sink {
        int take(std::string_view) override { return 28; }
    } nowhere;
    std::string noise;
    for (std::size_t i = 0; i < 3000000; ++i) noise += static_cast<char>(i * i * 2654435761u >> 13);
    for (const compression kind : {compression::gzip, compression::lz4, compression::zstd}) {
        const auto compressor = make_compressor(kind);
        const std::string whole = member_of(*compressor, "whole");
        compressor->begin();
        CHECK(compressor->add(noise, false, nowhere) == 28);
        compressor->begin();
        CHECK(compressor->add("short", true, nowhere) == 28);
        CHECK(member_of(*compressor, "whole") == whole);
    }
}

TEST_CASE("output comes only as far as there is room") {
    for (const compression kind : {compression::gzip, compression::lz4, compression::zstd}) {
        const std::string member = member_of(kind, std::string(1 << 24, '\0'));
        CHECK(member.size() < 100000);
        const auto decompressor = make_decompressor(kind);
        decompressor->begin();
        std::string room(1000, 'x');
        std::size_t taken = 0, given = 0;
        for (int i = 0; i < 1000; ++i) {
            const auto made = decompressor->run(std::string_view(member).substr(taken), room);
            REQUIRE(made.given <= room.size());
            CHECK_FALSE(made.ended);
            taken += made.taken;
            given += made.given;
        }
        CHECK(given > 100000);
        CHECK(given <= 1000000);
    }
}
