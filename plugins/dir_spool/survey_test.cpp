#include "survey.hpp"

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;

namespace {

survey look(const scratch& in, bool clears, std::string_view pattern = "{seq:03}", shards of = {}) {
    spool_directory directory(in.spool());
    directory.open(false);
    const survey found = look_over(directory, chunk_files("bin", "json"), naming(pattern, of), of, clears);
    CHECK(found.error == 0);
    return found;
}

}  // namespace

TEST_CASE("the highest number of all files of chunks counts, and no other file") {
    const scratch dir;
    dir.write("DONE", "");
    CHECK_FALSE(look(dir, false).highest);
    for (const char* name :
         {"7.bin", "011_5.bin", "012.json", "notes.txt", "99.txt", "x500.bin", "-600.bin", ".bin", "99999999999999999999.bin"})
        dir.write(name, "");
    CHECK(look(dir, false).highest == 12);
    dir.write("013.bin.tmp", "");
    CHECK(look(dir, false).highest == 13);
    dir.write("014.bin.2.refused", "");
    CHECK(look(dir, false).highest == 14);
    dir.write("18446744073709551614.bin", "");
    CHECK(look(dir, false).highest == UINT64_MAX - 1);
    fs::create_directories(dir / "777");
    dir.write("777/1.bin", "");  // no shard of a flat spool
    CHECK(look(dir, false).highest == UINT64_MAX - 1);
}

TEST_CASE("the digits of the directories belong to the number") {
    const scratch dir;
    dir.write("000/041.bin", "");
    dir.write("002/7_1700.bin", "");  // 2, 7
    dir.write("0001/999.bin", "");
    CHECK(look(dir, false, "{seq:06}", {1, 3}).highest == 41);
    dir.write("012/345.json.tmp", "");
    CHECK(look(dir, false, "{seq:06}", {1, 3}).highest == 12345);
    dir.write("013/000/1.bin", "");
    CHECK(look(dir, false, "{seq:09}", {2, 3}).highest == 130001);
}

TEST_CASE("what is left over is removed where a producer of this pattern may have made it") {
    const scratch dir;
    for (const char* name : {"000.bin", "000.json", "001.bin.tmp", "001.json.tmp", "002.json", "003.bin"}) dir.write(name, "");
    const texts foreign{"1.json", "2024-report.json", "PRODUCER", "draft.json.tmp", "settings.json"};
    for (const std::string& name : foreign) dir.write(name, "");
    const survey before = look(dir, false);
    CHECK(before.unfinished + before.without_payload == 0);
    CHECK(dir.files().size() == 11);
    const survey found = look(dir, true);
    CHECK(found.unfinished == 2);
    CHECK(found.without_payload == 1);
    CHECK(found.highest == 2024);
    CHECK(dir.files() ==
          texts{"000.bin", "000.json", "003.bin", "1.json", "2024-report.json", "PRODUCER", "draft.json.tmp", "settings.json"});
}

TEST_CASE("what is left over in shards is removed too") {
    const scratch dir;
    for (const char* name : {"00/1.bin", "00/1.json", "00/2.json", "01/0.bin.tmp"}) dir.write(name, "");
    const survey found = look(dir, true, "{seq:03}", {1, 2});
    CHECK(found.unfinished == 1);
    CHECK(found.without_payload == 1);
    CHECK(found.highest == 10);
    CHECK(dir.files() == texts{"00/", "00/1.bin", "00/1.json", "01/"});
}
