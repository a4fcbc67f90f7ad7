#include "codec/member_reader.hpp"

#include "codec/broken.hpp"
#include "codec/test_bytes.hpp"

using namespace mqb::codec;
using namespace mqb::codec::testing;

namespace {

constexpr compression all[] = {compression::gzip, compression::lz4, compression::zstd};

// "hello\n" as the programs gzip, lz4 and zstd of Debian 12 write it.
std::string hello(compression kind) {
    switch (kind) {
        case compression::gzip: return from_hex("1f8b0800000000000003cb48cdc9c9e7020020303a3606000000");
        case compression::lz4: return from_hex("04224d186440a70600008068656c6c6f0a00000000f95b6b94");
        default: return from_hex("28b52ffd045831000068656c6c6f0a5388bd91");
    }
}

struct reading {
    std::string text;
    std::string problem;
    std::string left;  // not taken
    bool is_whole = false, has_garbage = false;
    std::uint64_t begin = 0;
};

// All of it, with so much input and room at a time.
reading read(compression kind, std::string_view bytes, std::size_t step = 1 << 20, std::size_t room = 1 << 16) {
    member_reader reader(kind);
    reading out;
    std::string to(room, '\0');
    std::size_t taken = 0, shown = 0;
    try {
        for (;;) {
            const auto made = reader.read(bytes.substr(taken, shown - taken), to);
            REQUIRE(made.taken <= shown - taken);
            REQUIRE(made.given <= room);
            taken += made.taken;
            out.text.append(to, 0, made.given);
            if (made.taken > 0 || made.given > 0) continue;
            if (shown == bytes.size()) break;
            shown = std::min(bytes.size(), shown + step);
        }
    } catch (const broken& e) { out.problem = e.what(); }
    out.left = bytes.substr(taken);
    out.is_whole = reader.is_between_members();
    out.has_garbage = reader.has_garbage();
    out.begin = reader.begin();
    return out;
}

}  // namespace

TEST_CASE("members one behind the other are one text, with any step and any room") {
    for (const compression kind : all) {
        const std::string big = words(700000, 3), bytes = hello(kind) + member_of(kind, "") + member_of(kind, big) + hello(kind);
        for (const std::size_t step : {std::size_t{1} << 20, std::size_t{1000}, std::size_t{1}}) {
            const reading all_of_it = read(kind, bytes, step, step == 1 ? 1 << 16 : 777);
            CHECK(all_of_it.text == "hello\n" + big + "hello\n");
            CHECK(all_of_it.problem == "");
            CHECK(all_of_it.left == "");
            CHECK(all_of_it.is_whole);
            CHECK_FALSE(all_of_it.has_garbage);
            CHECK(all_of_it.begin == bytes.size() - hello(kind).size());
        }
    }
}

TEST_CASE("nothing is no member and no error; zeros behind and between members are padding") {
    for (const compression kind : all) {
        CHECK(read(kind, "").is_whole);
        for (const std::size_t step : {100000, 1}) {
            const std::string zeros(70000, '\0');
            const reading padded = read(kind, hello(kind) + zeros + hello(kind) + zeros, step);
            CHECK(padded.text == "hello\nhello\n");
            CHECK(padded.is_whole);
            CHECK(padded.left == "");
            CHECK_FALSE(padded.has_garbage);
        }
    }
}

TEST_CASE("what stands behind the last member is passed over and told") {
    for (const compression kind : all) {
        for (const std::string& garbage : {std::string("garbage\n"), std::string(3, '\0') + "x", std::string("\x1f")}) {
            const reading found = read(kind, hello(kind) + hello(kind) + garbage, 1);
            CHECK(found.text == "hello\nhello\n");
            CHECK(found.problem == "");
            // A gzip magic number that is not whole yet is none.
            const bool waits = kind == compression::gzip && garbage == "\x1f";
            CHECK(found.has_garbage != waits);
            CHECK(found.left == (waits ? garbage : ""));
            CHECK(found.is_whole);
        }
    }
}

TEST_CASE("a member that is cut is not whole, wherever the cut is, and what is in front of it is given") {
    for (const compression kind : all) {
        const std::string text = words(5000, 4), bytes = hello(kind) + member_of(kind, text);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const reading cut = read(kind, std::string_view(bytes).substr(0, size), 1);
            const bool between = size == 0 || size == hello(kind).size();
            CHECK((cut.is_whole && cut.left.empty()) == between);
            CHECK(cut.problem == "");
            CHECK(("hello\n" + text).starts_with(cut.text));
            if (size >= hello(kind).size()) CHECK(cut.text.starts_with("hello\n"));
            if (size > hello(kind).size() + 4) CHECK(cut.begin == hello(kind).size());
        }
    }
}

TEST_CASE("a damaged member is told once, after what is in front of it, and nothing else is made of it") {
    for (const compression kind : all) {
        const std::string text = words(3000, 5), good = member_of(kind, text), bytes = hello(kind) + good;
        int told = 0;
        for (std::size_t at = hello(kind).size() + longest_magic; at < bytes.size(); ++at) {
            std::string bad = bytes;
            bad[at] = static_cast<char>(bad[at] ^ 0x40);
            const reading found = read(kind, bad);
            CHECK(found.text.starts_with("hello\n"));
            // Some bytes of a header say nothing about the text, and a length may ask for more than there is.
            if (!found.problem.empty())
                ++told;
            else
                CHECK((found.text == "hello\n" + text || !found.is_whole || found.has_garbage));
        }
        CHECK(told > static_cast<int>(good.size()) * 3 / 4);
    }
}

TEST_CASE("other bytes than a member at the beginning are named") {
    const reading plain = read(compression::gzip, "plain text\n");
    CHECK(plain.problem == "does not begin with a gzip magic header");
    CHECK(read(compression::zstd, hello(compression::gzip)).problem == "does not begin with a zstd magic header but with one of gzip");
    CHECK(read(compression::lz4, hello(compression::zstd)).problem == "does not begin with a lz4 magic header but with one of zstd");
    CHECK(read(compression::gzip, std::string(20, '\0')).problem == "does not begin with a gzip magic header");
}

TEST_CASE("frames without data in front of zstd and lz4 are passed over") {
    const std::string empty_frame = from_hex("502a4d1803000000aabbcc");
    for (const compression kind : {compression::lz4, compression::zstd})
        CHECK(read(kind, empty_frame + hello(kind) + empty_frame + hello(kind), 1).text == "hello\nhello\n");
}

TEST_CASE("a zstd window beyond the bound is refused before memory is taken for it") {
    // A frame header that asks for a window of 1 GiB.
    const reading large = read(compression::zstd, from_hex("28b52ffd00a0") + std::string(20, '\0'));
    CHECK(large.problem == "Frame requires too much memory for decoding");
}
