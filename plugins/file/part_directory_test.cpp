#include "part_directory.hpp"

#include <optional>
#include <set>

#include <mqb/sdk/metadata_writer.hpp>
#include <mqb/sdk/status.hpp>

#include "small_file.hpp"
#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using names = std::vector<std::string>;

namespace {

source_position at(std::uint64_t number, std::string_view source = "s", std::uint64_t partition = 0) { return {source, partition, number}; }

int write_part(part_directory& parts, std::uint64_t first, std::uint64_t last, std::string_view text = "x\n") {
    if (const int error = parts.begin(at(first)); error != 0) return error;
    for (std::uint64_t n = first; n < last; ++n) parts.extend();
    if (const int error = parts.write(text); error != 0) return error;
    return parts.finish();
}

std::string part(const char* numbers) { return std::string("part-s-0000000000-") + numbers + ".bin"; }

}  // namespace

TEST_CASE("a part is named by what it holds, and known from then on") {
    scratch dir;
    part_directory parts(dir / "parts", "bin");
    parts.open();
    CHECK_FALSE(parts.has(at(0)));
    CHECK(parts.begin(at(0)) == 0);
    CHECK(parts.continues(at(1)));
    CHECK_FALSE(parts.continues(at(2)));
    CHECK_FALSE(parts.continues(at(1, "t")));
    CHECK_FALSE(parts.continues(at(1, "s", 1)));
    parts.extend();
    CHECK(parts.has(at(1)));
    CHECK_FALSE(parts.has(at(2)));
    parts.write("a\nb\n");
    CHECK(std::filesystem::exists(dir / "parts/part-s-0000000000-00000000000000000000.tmp"));
    CHECK(parts.finish() == 0);
    const std::string name = part("00000000000000000000-00000000000000000001");
    CHECK(read_file((dir / "parts/") + name) == "a\nb\n");
    CHECK_FALSE(std::filesystem::exists(dir / "parts/part-s-0000000000-00000000000000000000.tmp"));
    CHECK(parts.has(at(1)));
    CHECK_FALSE(parts.has(at(2)));
    CHECK_FALSE(parts.has(at(1, "t")));
    CHECK_FALSE(parts.has(at(1, "s", 1)));
}

TEST_CASE("the next publisher knows what is there, in whatever order, and removes what was not finished") {
    scratch dir;
    {
        part_directory parts(dir / "parts", "bin");
        parts.open();
        for (const auto& [first, last] : {std::pair{20, 29}, {5, 9}, {0, 4}, {40, 40}, {10, 10}})
            CHECK(write_part(parts, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)) == 0);
    }
    write_file(dir / "parts/part-s-0000000000-00000000000000000050.tmp", "half");
    for (const char* other : {"theirs.tmp", "part-", "part-x", "part-s-0000000000-00000000000000000060.bin",
                              "part-s-0000000000-00000000000000000069-00000000000000000060.bin",
                              "part-s-0000000000-0000000000000000006x-00000000000000000069.bin"})
        write_file((dir / "parts/") + other, "");
    part_directory next(dir / "parts", "bin");
    next.open();
    std::string held;
    for (std::uint64_t n = 0; n < 70; ++n) held += next.has(at(n)) ? '1' : '0';
    CHECK(held == std::string(11, '1') + std::string(9, '0') + std::string(10, '1') + std::string(10, '0') + "1" + std::string(29, '0'));
    CHECK_FALSE(std::filesystem::exists(dir / "parts/part-s-0000000000-00000000000000000050.tmp"));
    CHECK(std::filesystem::exists(dir / "parts/theirs.tmp"));
}

TEST_CASE("a part that is there already stays") {
    scratch dir;
    part_directory parts(dir / "parts", "bin");
    parts.open();
    const std::string name = part("00000000000000000000-00000000000000000000");
    write_file((dir / "parts/") + name, "first");
    CHECK(write_part(parts, 0, 0, "second") == 0);
    CHECK(read_file((dir / "parts/") + name) == "first");
    CHECK(parts.has(at(0)));
}

TEST_CASE("what is dropped leaves nothing") {
    scratch dir;
    {
        part_directory parts(dir / "parts", "bin");
        parts.open();
        parts.begin(at(0));
        parts.write("x");
        parts.drop();
        CHECK_FALSE(parts.has(at(0)));
        CHECK(std::filesystem::is_empty(dir / "parts"));
        parts.begin(at(0));
        parts.write("x");
    }
    CHECK(std::filesystem::is_empty(dir / "parts"));
    CHECK(files_of(dir) == names{"parts"});
}

TEST_CASE("one publisher writes into a directory") {
    scratch dir;
    part_directory first(dir / "parts/", "bin"), second(dir / "parts", "bin");
    first.open();
    first.open();
    CHECK_THROWS_WITH_AS(second.open(), ("the directory of parts '" + (dir / "parts") + "' is written by another publisher").c_str(),
                         mqb::sdk::failure);
    write_file(dir / "file", "");
    CHECK_THROWS_AS(part_directory(dir / "file", "bin").open(), mqb::sdk::failure);
}

TEST_CASE("the position of a message is in its metadata") {
    const auto said = [](auto write) {
        mqb::sdk::metadata_block metadata;
        write(metadata);
        position_reader reader;
        const auto found = reader.look(metadata.view());
        return found ? std::string(found->source) + " " + std::to_string(found->partition) + " " + std::to_string(found->number) : "none";
    };
    using writer = mqb::sdk::metadata_block;
    CHECK(said([](writer& m) { m.text("mqb.src.file_path", "/a/in.txt").number("mqb.src.file_record", 7); }) ==
          "file-in.txt-e6d518da1851a7cf 0 7");
    CHECK(said([](writer& m) { m.text("mqb.src.file_path", "/a/in.txt").text("mqb.src.file_record", "7"); }).ends_with(" 0 7"));
    CHECK(said([](writer& m) {
              m.text("mqb.src.kafka_topic", "t").number("mqb.src.kafka_partition", 3).number("mqb.src.kafka_offset", 9);
          }).ends_with(" 3 9"));
    CHECK(said([](writer&) {}) == "none");
    CHECK(said([](writer& m) { m.text("mqb.src.file_path", "x"); }) == "none");
    CHECK(said([](writer& m) { m.text("mqb.src.file_path", "x").number("mqb.src.file_record", -1); }) == "none");
    CHECK(said([](writer& m) { m.text("mqb.src.kafka_topic", "t").number("mqb.src.kafka_offset", 9); }) == "none");
}

TEST_CASE("numbers that begin anew are of another source") {
    position_reader reader;
    const auto source = [&](const char* path, std::optional<std::int64_t> epoch) {
        mqb::sdk::metadata_block m;
        m.text("mqb.src.file_path", path).number("mqb.src.file_record", 1);
        if (epoch) m.number("mqb.src.file_epoch", *epoch);
        return std::string(reader.look(m.view()).value().source);
    };
    const std::string plain = source("/a/in", {}), five = source("/a/in", 5), six = source("/a/in", 6), other = source("/b/in", 5);
    CHECK(plain == source("/a/in", {}));
    CHECK(five == source("/a/in", 5));
    CHECK(std::set{plain, five, six, other}.size() == 4);
    const std::string odd = source(("/x/" + std::string(300, 'y') + "\n").c_str(), {});
    CHECK(odd.size() == 5 + 120 + 17);
    CHECK(source("/x/a\nb", {}).starts_with("file-a_b-"));
}
