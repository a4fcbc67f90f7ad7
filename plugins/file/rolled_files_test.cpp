#include "rolled_files.hpp"

#include <sys/stat.h>

#include "rolling_period.hpp"
#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using names = std::vector<std::string>;

TEST_CASE("a time is written so that texts sort as times do") {
    CHECK(rolling_time(0) == "19700101T000000.000Z");
    CHECK(rolling_time(1796037827123) == "20261130T112347.123Z");
    CHECK(rolling_time_of("20261130T112347.123Z") == 1796037827123);
    for (const char* bad :
         {"", "20261130T112347.123", "20261330T112347.123Z", "20260230T112347.123Z", "2026-130T112347.123Z", "20261130T112347,123Z"})
        CHECK_FALSE(rolling_time_of(bad));
}

TEST_CASE("rolled files are named by the time, never before or in the place of another") {
    scratch dir;
    rolled_files rolled(dir / "a.b.csv");
    const auto roll = [&](std::int64_t at) {
        write_file(dir / "a.b.csv", std::to_string(at));
        CHECK(rolled.roll(at) == 0);
    };
    roll(1000);
    roll(1000);  // at the same time
    roll(500);   // the clock was set back
    roll(2000);
    CHECK(files_of(dir) == names{"a.b-19700101T000001.000Z.csv", "a.b-19700101T000001.001Z.csv", "a.b-19700101T000001.002Z.csv",
                                 "a.b-19700101T000002.000Z.csv"});
    CHECK(read_file(dir / "a.b-19700101T000001.002Z.csv") == "500");

    rolled_files later(dir / "a.b.csv");  // a start with the clock set back
    later.look();
    write_file(dir / "a.b.csv", "x");
    CHECK(later.roll(1) == 0);
    CHECK(read_file(dir / "a.b-19700101T000002.001Z.csv") == "x");
}

TEST_CASE("what a file is packed in stays at the end of its name") {
    for (const std::string ending : {".csv.gz", ".jsonl.zst.enc", ".enc"}) {
        scratch dir;
        write_file(dir / "out" + ending, "x");
        rolled_files rolled(dir / "out" + ending);
        CHECK(rolled.roll(1000) == 0);
        CHECK(files_of(dir) == names{"out-19700101T000001.000Z" + ending});
        CHECK(rolled.remove_beyond(0) == 0);
        CHECK(files_of(dir).empty());
    }
}

TEST_CASE("a name that another program has taken is left alone") {
    scratch dir;
    rolled_files rolled(dir / "out");
    write_file(dir / "out-19700101T000001.000Z", "theirs");
    write_file(dir / "out", "ours");
    CHECK(rolled.roll(1000) == 0);
    CHECK(read_file(dir / "out-19700101T000001.000Z") == "theirs");
    CHECK(read_file(dir / "out-19700101T000001.001Z") == "ours");
    CHECK(rolled.roll(3000) == ENOENT);
}

TEST_CASE("a symbolic link stays, and what it means is renamed") {
    scratch dir;
    std::filesystem::create_directory(dir / "there");
    write_file(dir / "there/real.txt", "x");
    std::filesystem::create_symlink("there/real.txt", dir / "out.txt");
    rolled_files rolled(dir / "out.txt");
    rolled.look();
    CHECK(rolled.roll(1000) == 0);
    CHECK(read_file(dir / "there/real-19700101T000001.000Z.txt") == "x");
    write_file(dir / "out.txt", "y");
    CHECK(read_file(dir / "there/real.txt") == "y");
}

TEST_CASE("the oldest are removed, and only what was rolled") {
    scratch dir;
    for (const char* name :
         {"out-19700101T000001.000Z.gz", "out-19700101T000001.000Z.txt", "out-19700101T000009.000Z.txt", "out-19700101T000002.000Z.txt",
          "out-1.txt", "out.txt", "other-19700101T000001.000Z.txt", "out-19700101T000003.000Z.txt"})
        write_file(dir / name, "");
    rolled_files rolled(dir / "out.txt");
    CHECK(rolled.remove_beyond(3) == 0);
    CHECK(rolled.remove_beyond(2) == 0);
    CHECK(files_of(dir) == names{"other-19700101T000001.000Z.txt", "out-1.txt", "out-19700101T000001.000Z.gz",
                                 "out-19700101T000003.000Z.txt", "out-19700101T000009.000Z.txt", "out.txt"});
}

TEST_CASE("the end of a compressed file has two parts") {
    scratch dir;
    write_file(dir / "out.csv.gz", "");
    CHECK(rolled_files(dir / "out.csv.gz").roll(0) == 0);
    CHECK(files_of(dir) == names{"out-19700101T000000.001Z.csv.gz"});
}

TEST_CASE("a duration has a unit") {
    using namespace std::chrono_literals;
    CHECK(duration_of("30s") == 30s);
    CHECK(duration_of("15m") == 15min);
    CHECK(duration_of("1h") == 1h);
    CHECK(duration_of("7d") == 168h);
    for (const char* bad : {"", "1", "h", "0h", "-1h", "1.5h", "1 h", "1w", "1hh", "99999999999h"}) CHECK_FALSE(duration_of(bad));
}

TEST_CASE("a period is over when another has begun, and not when the clock is set back a little") {
    rolling_period hour(std::chrono::hours(1));
    constexpr std::int64_t hour_ms = 3600'000;
    hour.begin(10 * hour_ms);
    CHECK_FALSE(hour.is_over(11 * hour_ms - 1));
    CHECK(hour.is_over(11 * hour_ms));
    CHECK_FALSE(hour.is_over(10 * hour_ms - 1));
    hour.wrote(10 * hour_ms - 1);
    CHECK_FALSE(hour.is_over(10 * hour_ms));  // and there again
    CHECK(hour.is_over(8 * hour_ms));         // another day
    hour.wrote(8 * hour_ms);
    CHECK_FALSE(hour.is_over(8 * hour_ms + 1));
    CHECK(hour.is_over(10 * hour_ms));
}
