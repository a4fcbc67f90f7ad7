#include "rotation.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using texts = std::vector<std::string>;

namespace {

void make(const scratch& dir, const std::string& name, long changed) {
    write_file(dir / name.c_str(), name);
    const timespec times[2]{{changed, 0}, {changed, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (dir / name.c_str()).c_str(), times, 0) == 0);
}

// The names that follow `first`, and "gap".
texts since(const scratch& dir, const std::string& first) {
    const auto all = rotated_files(dir / "app.log");
    const auto at = std::ranges::find_if(all, [&](const rotated_file& one) { return one.path == dir / first.c_str(); });
    REQUIRE(at != all.end());
    texts names;
    const rotations found = rotated_since(*at, all, dir / "app.log");
    for (const rotated_file& one : found.files) names.push_back(std::filesystem::path(one.path).filename().string());
    if (found.has_gap) names.push_back("gap");
    return names;
}

}  // namespace

TEST_CASE("a rotated name has a number or a date behind it or before its extension, and nothing else") {
    for (const char* name : {"app.log.1", "app.log-20260102", "app.log.2026-01-02_03", "app.log.20260102T030405Z", "app-2026-01-02.log",
                             "app.3.log", "app_1.log"})
        CHECK_MESSAGE(is_rotated_name(name, "app.log"), name);
    for (const char* name : {"app.log", "app.log.gz", "app.log.1.gz", "app.log.bak", "app.log~", "app.log.g.offset", "app.log.1.offset",
                             "app.log.writing", "other.log.1", "app.log1", "app.log.", "app1.log", "bapp.log.1", ""})
        CHECK_FALSE_MESSAGE(is_rotated_name(name, "app.log"), name);
    CHECK(is_rotated_name("app.1", "app"));
    for (const char* name : {"orders-20261130T112347.123Z.csv.gz", "orders.1.csv.gz", "orders.csv.gz.1", "orders.csv-20260102.gz"})
        CHECK_MESSAGE(is_rotated_name(name, "orders.csv.gz"), name);
    CHECK(is_rotated_name("orders-20261130T112347.123Z.jsonl.zst.enc", "orders.jsonl.zst.enc"));
    CHECK(is_rotated_name("orders-20261130T112347.123Z.enc", "orders.enc"));
    for (const char* name : {"orders.csv.gz", "orders-20260102.csv", "orders-20260102.gz", "orders-x.csv.gz", ".csv.gz", ".gz"})
        CHECK_FALSE_MESSAGE(is_rotated_name(name, "orders.csv.gz"), name);
}

TEST_CASE("numbered files follow one another down to 1, and a missing number is a gap") {
    scratch dir;
    for (int number = 1; number <= 12; ++number) make(dir, "app.log." + std::to_string(number), 1000 - number);
    make(dir, "app.log-20260102", 2000);  // of another scheme
    CHECK(since(dir, "app.log.1") == texts{});
    CHECK(since(dir, "app.log.11") == texts{"app.log.10", "app.log.9", "app.log.8", "app.log.7", "app.log.6", "app.log.5", "app.log.4",
                                            "app.log.3", "app.log.2", "app.log.1"});
    for (int number = 1; number <= 12; ++number) make(dir, "app.log." + std::to_string(number), 1000);  // all within one tick
    CHECK(since(dir, "app.log.3") == texts{"app.log.2", "app.log.1"});
    std::filesystem::remove(dir / "app.log.2");
    write_file(dir / "app.log.2.gz", "");
    CHECK(since(dir, "app.log.3") == texts{"app.log.1", "gap"});
    CHECK(since(dir, "app.log.1") == texts{});
}

TEST_CASE("numbers that rise and dates follow one another in their order") {
    scratch dir;
    for (int number = 1; number <= 3; ++number) make(dir, "app." + std::to_string(number) + ".log", 1000 + number);
    CHECK(since(dir, "app.1.log") == texts{"app.2.log", "app.3.log"});
    CHECK(since(dir, "app.3.log") == texts{});
    make(dir, "app.log-20260101", 5);
    make(dir, "app.log-20260102", 6);
    make(dir, "app.log-20260103", 6);
    CHECK(since(dir, "app.log-20260101") == texts{"app.log-20260102", "app.log-20260103"});
    CHECK(since(dir, "app.log-20260102") == texts{"app.log-20260103"});
}

TEST_CASE("only regular files count, and a folder that is not there has none") {
    scratch dir;
    std::filesystem::create_directory(dir / "app.log.1");
    std::filesystem::create_symlink("app.log.3", dir / "app.log.2");
    make(dir, "app.log.3", 1);
    const auto all = rotated_files(dir / "app.log");
    REQUIRE(all.size() == 1);
    CHECK(all[0].path == dir / "app.log.3");
    CHECK(rotated_files("/nowhere/app.log").empty());
}
