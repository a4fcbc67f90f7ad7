// Where a group begins of whose file nothing is known: it was empty, or not there, or nothing of it is settled yet.
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const std::string group = R"("mode":"group_subscribe","group_id":"g")", tail = group + R"(,"read_from_tail":true)";

struct reader : consumer_under_test {
    explicit reader(const scratch& dir, const std::string& mode = group)
        : consumer_under_test(R"({"path":")" + (dir / "in.log") + R"(","format":"raw",)" + mode + "}", false) {}
    // All that there is, settled.
    texts rest() {
        texts given;
        for (int round = 0; round < 3; ++round) {
            for (std::string& one : all()) given.push_back(std::move(one));
            host.time += 1'000'000'000;
        }
        return given;
    }
};

// What a group reads in a run of its own.
texts rest(const scratch& dir, const std::string& mode = group) {
    reader c(dir, mode);
    CHECK(c.connect() == "");
    texts given = c.rest();
    CHECK(c.host.warnings.empty());
    return given;
}

// What a log rotator does.
void rotate(const scratch& dir, bool copies) {
    for (int number = 5; number > 1; --number) {
        const std::string from = dir / "in.log." + std::to_string(number - 1);
        if (fs::exists(from)) fs::rename(from, dir / "in.log." + std::to_string(number));
    }
    if (copies) {
        fs::copy_file(dir / "in.log", dir / "in.log.1");
        write_file(dir / "in.log", "");
    } else {
        fs::rename(dir / "in.log", dir / "in.log.1");
    }
}

// The times of files of a test may be the same: these are the oldest.
void write_old(const scratch& dir) {
    for (const char* name : {"in.log.1", "in.log-20250101"}) {
        write_file(dir / name, "old\n");
        const timespec times[]{{0, UTIME_OMIT}, {1'700'000'000, 0}};
        REQUIRE(::utimensat(AT_FDCWD, (dir / name).c_str(), times, 0) == 0);
    }
}

}  // namespace

TEST_CASE("a group that began with an empty file reads all that had its name before the next start") {
    for (const std::string& mode : {group, tail})
        for (const bool copies : {false, true})
            for (const int rotations : {0, 1, 2, 3}) {
                CAPTURE(mode);
                CAPTURE(copies);
                CAPTURE(rotations);
                scratch dir;
                write_old(dir);
                write_file(dir / "in.log", "");
                CHECK(rest(dir, mode).empty());
                CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000000");
                texts expected;
                for (int number = 0; number <= rotations; ++number) {
                    if (number > 0) rotate(dir, copies);
                    const std::string text = "file " + std::to_string(number);
                    write_file(dir / "in.log", text + "\n" + text + " end\n", true);
                    expected.insert(expected.end(), {text, text + " end"});
                }
                CHECK(rest(dir, mode) == expected);
                CHECK(rest(dir, mode).empty());
                write_file(dir / "in.log", "more\n", true);
                rotate(dir, copies);
                CHECK(rest(dir, mode) == texts{"more"});
            }
}

TEST_CASE("a group that began without a file reads all that had the name since from its beginning, at its tail too") {
    for (const std::string& mode : {group, tail})
        for (const bool is_same_run : {false, true})
            for (const bool copies : {false, true})
                for (const int rotations : {0, 1, 2}) {
                    CAPTURE(mode);
                    CAPTURE(is_same_run);
                    CAPTURE(copies);
                    CAPTURE(rotations);
                    scratch dir;
                    write_old(dir);
                    std::optional<reader> c(std::in_place, dir, mode);
                    for (int attempt = 0; attempt < 2; ++attempt)
                        CHECK(c->connect() == std::to_string(MQB_RETRY) + ": cannot open file source '" + (dir / "in.log") +
                                                  "': No such file or directory");
                    texts expected;
                    for (int number = 0; number <= rotations; ++number) {
                        if (number > 0) rotate(dir, copies);
                        write_file(dir / "in.log", std::to_string(number) + "\n", true);
                        expected.push_back(std::to_string(number));
                    }
                    if (!is_same_run) c.emplace(dir, mode);
                    CHECK(c->connect() == "");
                    CHECK(c->rest() == expected);
                    CHECK(c->host.warnings.empty());
                }
}

TEST_CASE("a group that began without a file goes on with what was renamed while there is no next one") {
    scratch dir;
    CHECK(reader(dir, tail).connect() != "");
    write_file(dir / "in.log", "1\n");
    rotate(dir, false);
    reader c(dir, tail);
    CHECK(c.connect() == "");
    CHECK(c.rest() == texts{"1"});
    write_file(dir / "in.log", "2\n");
    CHECK(c.rest() == texts{"2"});
}

TEST_CASE("a tail without a folder begins at the beginning when both come") {
    scratch dir;
    reader c(dir, R"("mode":"group_subscribe","group_id":"g","read_from_tail":true)");
    fs::remove(dir.path);
    CHECK(c.connect() != "");
    fs::create_directory(dir.path);
    write_file(dir / "in.log", "1\n");
    CHECK(c.connect() == "");
    CHECK(c.rest() == texts{"1"});
}

TEST_CASE("a subscriber, and who reads a file as a whole, get what had the name since the first look at it") {
    for (const std::string mode : {R"("mode":"subscribe")", R"("mode":"consume")"}) {
        for (const bool copies : {false, true})
            for (const bool is_empty : {false, true}) {
                CAPTURE(mode);
                CAPTURE(copies);
                CAPTURE(is_empty);
                scratch dir;
                write_old(dir);
                if (is_empty) write_file(dir / "in.log", "");
                reader c(dir, mode);
                CHECK((c.connect() == "") == is_empty);
                for (const std::string text : {"1\n", "2\n", "3\n"}) {
                    if (text != "1\n") rotate(dir, copies);
                    write_file(dir / "in.log", text, true);
                }
                CHECK(c.connect() == "");
                CHECK(c.rest() == texts{"1", "2", "3"});
            }
    }
}

TEST_CASE("what a group has read of a file is known before any of it is given, and of the next file too") {
    for (const bool is_next : {false, true}) {
        CAPTURE(is_next);
        scratch dir;
        write_file(dir / "in.log", is_next ? "first\n" : "");
        std::optional<reader> c(std::in_place, dir);
        CHECK(c->connect() == "");
        CHECK(c->rest() == (is_next ? texts{"first"} : texts{}));
        if (is_next) rotate(dir, true);
        write_file(dir / "in.log", "1\n2\n", true);
        for (c->got.clear(); c->got.empty(); c->host.time += 1'000'000'000) CHECK(c->receive() == MQB_OK);
        CHECK(c->got.front().payload == "1");
        c.reset();  // nothing of it is settled
        if (is_next) fs::remove(dir / "in.log.1");
        rotate(dir, true);
        for (const char* name : {"in.log.1"}) {  // as a copy that keeps the time of something else
            const timespec times[]{{0, UTIME_OMIT}, {1'700'000'000, 0}};
            REQUIRE(::utimensat(AT_FDCWD, (dir / name).c_str(), times, 0) == 0);
        }
        write_file(dir / "in.log", "3\n");
        CHECK(rest(dir) == texts{"1", "2", "3"});
    }
}

TEST_CASE("a kill at any step of a start, with a position that was in the file before, costs nothing") {
    for (const char* blocked : {"in.log.g.offset.tmp", "in.log.g.offset.fingerprint.tmp"})
        for (const bool copies : {false, true}) {
            CAPTURE(blocked);
            CAPTURE(copies);
            scratch dir;
            write_file(dir / "in.log", "1\n2\n3\n");
            {
                reader c(dir);
                CHECK(c.connect() == "");
                CHECK(c.rest() == texts{"1", "2", "3"});
                rotate(dir, copies);
                write_file(dir / "in.log", "4\n5\n", true);
                for (c.got.clear(); c.got.empty(); c.host.time += 1'000'000'000) CHECK(c.receive(1) == MQB_OK);
                CHECK(c.got.front().payload == "4");
            }
            CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000006");
            fs::create_directory(dir / blocked);  // as far as that
            CHECK(reader(dir).connect().find("cannot write") != std::string::npos);
            fs::remove(dir / blocked);
            rotate(dir, copies);
            write_file(dir / "in.log", "6\n", true);
            CHECK(rest(dir) == texts{"4", "5", "6"});
        }
}

TEST_CASE("a damaged position of a file that was renamed, or copied and cut, passes over nothing of it") {
    for (const bool copies : {false, true}) {
        CAPTURE(copies);
        scratch dir;
        write_file(dir / "in.log", "1\n2\n3\n");
        {
            reader c(dir);
            CHECK(c.connect() == "");
            for (int number = 0; number < 2; ++number) {
                CHECK(c.receive(1) == MQB_OK);
                CHECK(c.settle(1) == 1);
                c.free_batch();
            }
        }
        rotate(dir, copies);
        write_file(dir / "in.log", "4\n", true);
        write_file(dir / "in.log.g.offset", "damaged");
        reader c(dir);
        CHECK(c.connect() == "");
        CHECK(c.rest() == texts{"2", "3", "4"});
        CHECK(c.host.warnings.size() == 1);
    }
}

TEST_CASE("of a file of which the copy is gone, what had the name since is read all the same") {
    for (const bool copies : {false, true}) {
        CAPTURE(copies);
        scratch dir;
        write_old(dir);
        write_file(dir / "in.log", "1\n");
        CHECK(rest(dir) == texts{"1"});
        for (const std::string text : {"2\n", "3\n", "4\n"}) {
            rotate(dir, copies);
            write_file(dir / "in.log", text);
        }
        fs::remove(dir / "in.log.3");  // it was packed
        {
            reader c(dir);
            CHECK(c.connect() == "");
            CHECK(c.rest() == texts{"2", "3", "4"});
            CHECK(c.host.warnings.size() == 1);
        }
        CHECK(rest(dir).empty());
    }
}

TEST_CASE("a copy that was made while a file was still read is not read again when the file was cut") {
    scratch dir;
    std::string text;
    texts all;
    for (int number = 1000; number < 1500; ++number) {
        all.push_back(std::to_string(number));
        text += all.back() + "\n";
    }
    write_file(dir / "in.log", text);
    CHECK(rest(dir) == all);
    fs::copy_file(dir / "in.log", dir / "in.log.1");
    write_file(dir / "in.log", "late\n", true);
    CHECK(rest(dir) == texts{"late"});
    write_file(dir / "in.log", "new\n");
    reader c(dir);
    CHECK(c.connect() == "");
    CHECK(c.rest() == texts{"new"});
    CHECK(c.host.warnings.size() == 1);  // nobody knows what came between the copy and the cut
}

TEST_CASE("a fingerprint of before, without what stood beside the file, is taken") {
    scratch dir;
    write_file(dir / "in.log", "1\n2\n");
    write_file(dir / "in.log.g.offset", "00000000000000000002");
    struct stat is {};
    REQUIRE(::stat((dir / "in.log").c_str(), &is) == 0);
    const auto sum = [](std::string_view bytes) {
        std::uint64_t of = 0xcbf29ce484222325ULL;
        for (const char byte : bytes) of = (of ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
        return std::to_string(of);
    };
    const std::string print =
        "2 0 0 2 " + std::to_string(is.st_dev) + " " + std::to_string(is.st_ino) + " 4 " + sum("1\n2\n") + " 2 " + sum("1\n") + " ";
    write_file(dir / "in.log.g.offset.fingerprint", print + sum(print) + "\n");
    CHECK(rest(dir) == texts{"2"});
    CHECK(read_file(dir / "in.log.g.offset.fingerprint").starts_with("3 "));
    rotate(dir, false);
    write_file(dir / "in.log.g.offset.fingerprint", print + sum(print) + "\n");
    write_file(dir / "in.log.g.offset", "00000000000000000002");
    CHECK(rest(dir) == texts{"2"});
}
