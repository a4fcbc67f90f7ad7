#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "output_file.hpp"
#include "rolled_files.hpp"
#include "sync_under_test.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;
using names = std::vector<std::string>;

namespace {

constexpr std::int64_t hour_ms = 3600'000;

std::string config(const std::string& path, const std::string& rolling, const std::string& format = "raw", const std::string& more = "") {
    return R"({"path":")" + path + R"(","format":")" + format + R"(","rolling":{)" + rolling + "}" + more + "}";
}

struct rolling_publisher : publisher_under_test {
    explicit rolling_publisher(const std::string& configuration) : publisher_under_test(configuration) { at(hour_ms); }
    void at(std::int64_t ms) { host.wall = static_cast<std::uint64_t>(ms) * 1000000; }
};

std::int64_t real_now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The files in the order of their names, without that of who writes.
std::vector<std::string> contents(const scratch& dir) {
    std::vector<std::string> all;
    for (const std::string& name : files_of(dir))
        if (!name.ends_with(".writing")) all.push_back(read_file(dir / name.c_str()));
    return all;
}

}  // namespace

TEST_CASE("rolling: the record that has no room begins the next file, also inside a batch") {
    scratch dir;
    rolling_publisher p(config(dir / "out.txt", R"("max_bytes":10)"));
    p.connect();
    CHECK(p.send({"aaaa", "bbbb", "c", "dddddddddddddddd", "", "e"}) == MQB_OK);
    CHECK(p.outcomes == results(6, MQB_DONE));
    CHECK(contents(dir) == names{"aaaa\nbbbb\n", "c\n", "dddddddddddddddd\n", "\ne\n"});
    CHECK(files_of(dir) == names{"out-19700101T010000.000Z.txt", "out-19700101T010000.001Z.txt", "out-19700101T010000.002Z.txt", "out.txt",
                                 "out.txt.writing"});
    p.send({"1234567"});
    CHECK(contents(dir).back() == "1234567\n");
    p.send({"8"});
    CHECK(contents(dir).back() == "1234567\n8\n");
    CHECK(p.host.warnings.empty());
}

TEST_CASE("rolling: large records and large batches are in one file each, whole") {
    scratch dir;
    std::vector<std::string> payloads;
    std::string expected;
    for (int i = 0; i < 200; ++i) {
        payloads.emplace_back(static_cast<std::size_t>(i * i * 11 % 400000), static_cast<char>('a' + i % 26));
        expected += payloads.back() + "\n";
    }
    rolling_publisher p(config(dir / "out", R"("max_bytes":"600k")"));
    p.connect();
    CHECK(p.send(payloads) == MQB_OK);
    std::string all;
    const auto files = contents(dir);
    CHECK(files.size() > 30);
    for (std::size_t i = 0; i < files.size(); ++i) {
        CHECK(files[i].size() <= 600000);
        CHECK(files[i].ends_with('\n'));
    }
    // "out" sorts before "out-…": it is the last.
    for (std::size_t i = 1; i < files.size(); ++i) all += files[i];
    CHECK(all + files[0] == expected);
}

TEST_CASE("rolling: every csv file has the header, and the same columns") {
    scratch dir;
    rolling_publisher p(config(dir / "out.csv", R"("max_bytes":14)", "csv"));
    p.connect();
    CHECK(p.send({R"({"a":1,"b":"xxxx"})", "{}", R"({"b":"yyyy","a":2})", R"({"b":"zz","a":3})", R"({"a":4,"b":5})"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_DONE, MQB_REFUSED, MQB_DONE, MQB_DONE, MQB_DONE});
    CHECK(contents(dir) == names{"a,b\n1,xxxx\n", "a,b\n2,yyyy\n", "a,b\n3,zz\n4,5\n"});
}

TEST_CASE("rolling: the first record of a period begins the next file, whenever the program was started") {
    scratch dir;
    const std::int64_t now = real_now_ms() / hour_ms * hour_ms;  // the hour that a file which is written here belongs to
    {
        rolling_publisher p(config(dir / "out", R"("every":"1h")"));
        p.connect();
        p.at(now);
        p.send({"a"});
        p.at(now + hour_ms - 1);
        p.send({"b"});
        CHECK(files_of(dir).size() == 2);
        p.at(now + hour_ms);
        p.send({"c"});
        CHECK(contents(dir) == names{"c\n", "a\nb\n"});
        p.at(now + hour_ms - 1);  // the clock is set back a little, and on again
        p.send({"d"});
        p.at(now + hour_ms);
        p.send({"e"});
        CHECK(contents(dir) == names{"c\nd\ne\n", "a\nb\n"});
        p.at(now - 100 * hour_ms);  // and by days
        p.send({"f"});
        p.send({"g"});
        CHECK(contents(dir) == names{"f\ng\n", "a\nb\n", "c\nd\ne\n"});
    }
    rolling_publisher later(config(dir / "out", R"("every":"1h")"));
    later.connect();
    later.at(real_now_ms());
    later.send({"h"});
    CHECK(read_file(dir / "out") == "f\ng\nh\n");  // written a moment ago
    later.at(real_now_ms() + 5 * hour_ms);
    later.send({"i"});
    CHECK(contents(dir) == names{"i\n", "a\nb\n", "c\nd\ne\n", "f\ng\nh\n"});
}

TEST_CASE("rolling: the oldest files are removed") {
    scratch dir;
    write_file(dir / "out-of-this", "theirs");
    rolling_publisher p(config(dir / "out", R"("max_bytes":1,"keep":2)"));
    p.connect();
    p.send({"a", "b", "c", "d", "e"});
    CHECK(contents(dir) == names{"e\n", "c\n", "d\n", "theirs"});
}

TEST_CASE("rolling: a file that cannot be renamed is written on, and that is said once for each send") {
    scratch dir;
    rolling_publisher p(config(dir / "out", R"("max_bytes":2)"));
    p.connect();
    p.send({"a"});
    REQUIRE(::chmod(dir.path.c_str(), 0500) == 0);
    if (::access(dir.path.c_str(), W_OK) != 0) {  // not for root
        CHECK(p.send({"b", "c"}) == MQB_OK);
        CHECK(p.host.warnings == names{"file target '" + (dir / "out") + "' is written on: it cannot be renamed: Permission denied"});
        CHECK(read_file(dir / "out") == "a\nb\nc\n");
    }
    REQUIRE(::chmod(dir.path.c_str(), 0700) == 0);
    CHECK(p.send({"d"}) == MQB_OK);
    CHECK(read_file(dir / "out") == "d\n");
}

TEST_CASE("rolling: when the disk is full in the second file of a batch, what the first has is done and only the rest is taken back") {
    scratch dir;
    rolling_publisher p(config(dir / "out", R"("max_bytes":1000)"));
    p.connect();
    const std::vector<std::string> payloads{std::string(900, 'a'), std::string(900, 'b'), std::string(2000, 'c'), "d"};
    {
        const file_size_limit limit(1500);
        CHECK(p.send(payloads) == MQB_RETRY);
        CHECK(p.outcomes == results{MQB_DONE, MQB_DONE, MQB_AGAIN, MQB_UNSENT});
        CHECK(read_file(dir / "out") == "");
    }
    CHECK(p.send({payloads[2], payloads[3]}) == MQB_OK);
    CHECK(contents(dir) == names{"d\n", payloads[0] + "\n", payloads[1] + "\n", payloads[2] + "\n"});
}

TEST_CASE("rolling: a kill between any two steps loses and cuts nothing") {
    for (const int steps : {0, 1, 2}) {
        scratch dir;
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            auto* const file = new mqb::file::output_file(dir / "out");
            file->open('\n', false);
            file->begin_batch();
            if (file->write("a\nb\n") != 0) ::_exit(1);
            if (steps >= 1) std::filesystem::rename(dir / "out", dir / "out-19700101T010000.000Z");
            if (steps >= 2) write_file(dir / "out", "");
            ::_exit(0);
        }
        int ended = -1;
        REQUIRE(::waitpid(child, &ended, 0) == child);
        REQUIRE(ended == 0);
        rolling_publisher p(config(dir / "out", R"("max_bytes":4)"));
        CHECK(p.connect() == "");
        CHECK(p.send({"c"}) == MQB_OK);
        CHECK(p.host.warnings.empty());
        CHECK(contents(dir) == names{"c\n", "a\nb\n"});
    }
}

TEST_CASE("rolling: a last record that was there before is ended before its file is left") {
    scratch dir;
    write_file(dir / "out", "theirs");
    rolling_publisher p(config(dir / "out", R"("max_bytes":5)"));
    p.connect();
    p.send({"ours"});
    CHECK(contents(dir) == names{"ours\n", "theirs\n"});
}

TEST_CASE("a file that is moved away under the publisher is left, and a new one is begun") {
    scratch dir;
    publisher_under_test p(R"({"path":")" + (dir / "out") + R"(","format":"csv"})");
    p.connect();
    p.send({R"({"a":1})"});
    std::filesystem::rename(dir / "out", dir / "out.1");
    CHECK(p.send({R"({"a":2})"}) == MQB_OK);
    std::filesystem::rename(dir / "out", dir / "out.2");
    write_file(dir / "out", "");  // as logrotate with `create`
    CHECK(p.send({R"({"a":3})"}) == MQB_OK);
    std::filesystem::rename(dir / "out", dir / "out.3");
    write_file(dir / "out", "b,a\n");
    CHECK(p.send({R"({"a":4})"}) == MQB_OK);
    CHECK(contents(dir) == names{"b,a\n,4\n", "a\n1\n", "a\n2\n", "a\n3\n"});
}

TEST_CASE("where no new file can be made, the messages wait") {
    scratch dir;
    std::filesystem::create_directory(dir / "logs");
    publisher_under_test p(R"({"path":")" + (dir / "logs/out") + R"(","format":"raw"})");
    p.connect();
    p.send({"a"});
    std::filesystem::rename(dir / "logs", dir / "old");
    CHECK(p.send({"b"}) == MQB_RETRY);
    CHECK(p.why == "cannot open file target '" + (dir / "logs/out") + "': No such file or directory");
    CHECK(p.outcomes == results{MQB_UNSENT});
    std::filesystem::create_directory(dir / "logs");
    CHECK(p.send({"b"}) == MQB_OK);
    CHECK(read_file(dir / "logs/out") == "b\n");
    CHECK(read_file(dir / "old/out") == "a\n");
}

TEST_CASE("a new file that cannot be appended to is left alone however often it is tried") {
    const std::string ways[][2] = {{R"("format":"csv","csv":{"columns":["a"],"on_mismatch":"fail"})", "b\n1\n"},
                                   {R"("format":"raw","compression":"gzip")", "a line\n"}};
    for (const auto& [way, other] : ways) {
        scratch dir;
        publisher_under_test p(R"({"path":")" + (dir / "out") + "\"," + way + "}");
        CHECK(p.connect() == "");
        CHECK(p.send({R"({"a":1})"}) == MQB_OK);
        std::filesystem::rename(dir / "out", dir / "old");
        write_file(dir / "out", other);
        for (int attempt = 0; attempt < 3; ++attempt) CHECK(p.send({R"({"a":2})"}) == MQB_RETRY);
        CHECK(read_file(dir / "out") == other);
        std::filesystem::remove(dir / "out");
        CHECK(p.send({R"({"a":2})"}) == MQB_OK);
        CHECK(std::filesystem::file_size(dir / "out") == std::filesystem::file_size(dir / "old"));
    }
}

TEST_CASE("rolling with fsync: nothing is written into a new file whose folder is not synchronised") {
    scratch dir;
    sync_under_test syncs;
    rolling_publisher p(config(dir / "out", R"("max_bytes":4)", "raw", R"(,"fsync":"batch")"));
    CHECK(p.connect() == "");
    syncs.fail_folders(EIO);
    for (int attempt = 0; attempt < 2; ++attempt) {
        CHECK(p.send({"a", "b", "c"}) == MQB_RETRY);
        CHECK(p.outcomes == (attempt == 0 ? results{MQB_DONE, MQB_DONE, MQB_UNSENT} : results(3, MQB_UNSENT)));
        CHECK(read_file(dir / "out").empty());
    }
    syncs.fail_folders(0);
    CHECK(p.send({"c"}) == MQB_OK);
    CHECK(contents(dir) == names{"c\n", "a\nb\n"});
}
