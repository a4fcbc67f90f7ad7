// Where reading of one of several files begins, and that it stays there.
#include <algorithm>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

#include "matched_test.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

TEST_CASE("a tail that is killed before anything is settled begins again where it began, of all files") {
    const std::string mode = group + R"(,"read_from_tail":true)";
    scratch dir;
    write_file(dir / "a.log", "old\nha");
    write_file(dir / "b.log", "half");
    write_file(dir / "c.log", "old\n");
    for (const bool is_first : {true, false}) {
        reader c(dir, mode);
        if (is_first) {
            for (const char* name : {"a.log", "b.log", "c.log"}) write_file(dir / name, "lf 1\nnew\n", true);
            c.host.time += 1'000'000'000;
        }
        CHECK(c.receive(1) == MQB_OK);
        REQUIRE(c.got.size() == 1);
        CHECK(c.got[0].payload == "half 1");
    }
    CHECK(reader(dir, mode).next() == texts{"half 1", "new", "halflf 1", "new", "lf 1", "new"});
}

TEST_CASE("a tail whose places cannot be saved at the start begins where it first looked, and saves that when it can") {
    scratch dir;
    write_file(dir / "a.log", "old\n");
    const std::string mode = group + R"(,"read_from_tail":true)";
    {
        consumer_under_test c(R"({"path":")" + (dir / "*.log") + R"(","format":"raw",)" + mode + "}", false);
        {
            const file_size_limit limit(0);
            CHECK(c.connect().starts_with(std::to_string(MQB_RETRY) + ": cannot write"));
        }
        write_file(dir / "a.log", "new\n", true);
        CHECK(c.connect() == "");
        c.receive();
        REQUIRE(c.got.size() == 1);
        CHECK(c.got[0].payload == "new");
    }
    CHECK(reader(dir, mode).next() == texts{"new"});
}

TEST_CASE("a file that has the number of one that is gone is read from its beginning, though it begins like that") {
    for (const std::string& mode : {consume, group})
        for (const bool is_same_run : {true, false})
            for (const std::string next : {"a.log", "b.log"}) {
                if (!is_same_run && (mode == consume || next == "a.log")) continue;  // read as a whole, and taken for one that was restored
                CAPTURE(mode);
                CAPTURE(is_same_run);
                CAPTURE(next);
                scratch dir;
                std::string path = dir / "a.log";
                std::optional<reader> c(std::in_place, dir, mode);
                struct stat before {
                }, now{};
                for (const std::string text : {"go\n", "go\n", "go\ngo\n"}) {
                    if (fs::exists(path)) {
                        write_file(dir / "z.log", "z\n", true);  // so that the reader leaves the other one
                        CHECK(c->next() == texts{"z"});
                        if (!is_same_run) c.reset();
                        fs::remove(path);
                        path = dir / next.c_str();
                    }
                    write_file(path, text);
                    REQUIRE(::stat(path.c_str(), &now) == 0);
                    if (before.st_ino != 0 && now.st_ino != before.st_ino) break;  // numbers are not given again here
                    before = now;
                    const timespec times[]{{0, UTIME_OMIT}, {1'700'000'000, 0}};
                    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
                    if (!c) c.emplace(dir, mode);
                    CHECK(c->next().size() == static_cast<std::size_t>(std::ranges::count(text, '\n')));
                }
                if (c) CHECK(c->host.warnings.empty());
            }
}

TEST_CASE("a tail whose places are damaged passes over nothing") {
    for (const std::string damaged : {"x\n", "half a line", "2 of another version\n"}) {
        CAPTURE(damaged);
        scratch dir;
        write_file(dir / "a.log", "1\n2\n");
        write_file(dir / ".g.offsets", damaged);
        CHECK(reader(dir, group + R"(,"read_from_tail":true)").next() == texts{"1", "2"});
    }
}
