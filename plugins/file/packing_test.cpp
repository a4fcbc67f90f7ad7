#include <fcntl.h>
#include <unistd.h>

#include "packed_test.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using mqb::codec::compression;

namespace {

std::uint64_t end_of(const std::string& path, std::uint64_t from, packing how) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    const std::uint64_t end = end_of_batches(file, from, std::filesystem::file_size(path), how);
    ::close(file);
    return end;
}

}  // namespace

TEST_CASE("the end of the whole batches, from any batch on") {
    scratch dir;
    const std::string path = dir / "file", block = block_of(keys_of(key_a, "k1"), "some text\n");
    for (const compression kind : every_compression) {
        const packing how{kind, false};
        std::string big;
        for (int i = 0; i < 200000; ++i) big += std::to_string(i);
        const std::string one = member_of(kind, "one\n"), large = member_of(kind, big), whole = one + large + one;
        for (const std::string& tail :
             {std::string(), std::string("\x1f"), std::string("garbage"), one.substr(0, 7), large.substr(0, large.size() - 1)}) {
            write_file(path, whole + tail);
            CHECK(end_of(path, 0, how) == whole.size());
            CHECK(end_of(path, one.size(), how) == whole.size());
            CHECK(end_of(path, whole.size(), how) == whole.size());
        }
        std::string damaged = whole;
        damaged[one.size() + large.size() - 2] = static_cast<char>(damaged[one.size() + large.size() - 2] ^ 1);
        write_file(path, damaged);
        CHECK(end_of(path, 0, how) == one.size());
        write_file(path, std::string(300, '\0'));
        CHECK(end_of(path, 0, how) == 0);
        write_file(path, one + std::string(300, '\0'));
        CHECK(end_of(path, 0, how) == one.size() + 300);
    }
    const packing sealed{compression::none, true};
    for (const std::string& tail :
         {std::string(), block.substr(0, 5), block.substr(0, 20), block.substr(0, block.size() - 1), std::string(40, '\0')}) {
        write_file(path, block + block + tail);
        CHECK(end_of(path, 0, sealed) == 2 * block.size());
        CHECK(end_of(path, 2 * block.size(), sealed) == 2 * block.size());
    }
}

TEST_CASE("a sealed file is known by its first bytes, and a text is none") {
    const std::string block = block_of(keys_of(key_a, "k1"), "some text\n");
    for (std::size_t size = 0; size <= longest_beginning; ++size) CHECK(looks_sealed(block.substr(0, size)));
    CHECK(looks_sealed(block));
    for (const std::string& other :
         {std::string("{\"a\":1}\n"), std::string(100, '\0'), std::string("\x00\x00\x00\x00\x00\x00\x00\x10\x01\x00\x02k", 12),
          std::string("\x00\x00\x00\x01\x00\x00\x00\x50\x01\x00\x02k", 12)})
        CHECK_FALSE(looks_sealed(other));
}
