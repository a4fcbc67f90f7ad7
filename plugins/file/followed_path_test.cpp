#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const std::string modes[]{R"("mode":"consume")", R"("mode":"group_subscribe","group_id":"g")"};

struct tail : consumer_under_test {
    tail(const scratch& dir, const std::string& mode, const std::string& more = R"("format":"raw")", bool drain = false)
        : consumer_under_test(R"({"path":")" + (dir / "in.log") + "\"," + mode + "," + more + "}", drain) {
        REQUIRE(connect() == "");
    }
    // Over the moments for which it looks at the old file and at the folder.
    texts all(std::uint32_t most = 512) {
        texts given;
        for (int round = 0; round < 3; ++round) {
            const texts some = consumer_under_test::all(most);
            given.insert(given.end(), some.begin(), some.end());
            if (!drains) host.time += 1'000'000'000;
        }
        return given;
    }
    bool is_warned_of(const std::string& text) const {
        return std::ranges::any_of(host.warnings, [&](const std::string& one) { return one.find(text) != one.npos; });
    }
};

void rename_all(const scratch& dir, int count = 5) {
    for (int number = count; number > 0; --number) {
        const std::string from = dir / "in.log" + (number == 1 ? "" : "." + std::to_string(number - 1));
        if (fs::exists(from)) fs::rename(from, dir / "in.log" + "." + std::to_string(number));
    }
}

}  // namespace

TEST_CASE("C061 a file that is renamed is read to its end, and then the next one from its beginning") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "1\n2\n");
        tail c(dir, mode);
        CHECK(c.all() == texts{"1", "2"});
        write_file(dir / "in.log", "3\n", true);
        rename_all(dir);
        CHECK(c.all() == texts{"3"});  // also while there is no next one
        write_file(dir / "in.log.1", "4\n", true);
        CHECK(c.all() == texts{"4"});
        write_file(dir / "in.log", "");
        write_file(dir / "in.log.1", "5\n6", true);  // its writer has not gone over
        CHECK(c.all() == texts{"5"});
        write_file(dir / "in.log", "7\n", true);
        CHECK(c.all() == texts{"6", "7"});
        CHECK(c.last == MQB_OK);
        CHECK(c.host.warnings.empty());
    }
}

TEST_CASE("C061 a writer that goes over later than another one is waited for, and one that never does is told of") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "1\n");
        tail c(dir, mode);
        CHECK(c.all() == texts{"1"});
        rename_all(dir);
        write_file(dir / "in.log", "new 1\n");
        for (const char* late : {"2", "3", "4"}) {
            CHECK(c.consumer_under_test::all().empty());
            c.host.time += 999'999'999;
            write_file(dir / "in.log.1", late + std::string("\n"), true);
            CHECK(c.consumer_under_test::all() == texts{late});
        }
        CHECK(c.all() == texts{"new 1"});
        CHECK(c.host.warnings.empty());
        write_file(dir / "in.log.1", "5\n", true);
        CHECK(c.all().empty());
        CHECK(c.all().empty());
        CHECK(c.host.warnings.size() == 1);
        CHECK(c.is_warned_of("was renamed, and 2 bytes came to it when the next one had been begun: they are not read"));
    }
}

TEST_CASE("C061 of several rotations between two looks all that are there are read in order") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "1\n");
        tail c(dir, mode);
        CHECK(c.all() == texts{"1"});
        write_file(dir / "in.log", "2\n", true);
        for (int number = 3; number < 7; ++number) {
            rename_all(dir);
            write_file(dir / "in.log", std::to_string(number) + "\n");
        }
        CHECK(c.all(1) == texts{"2", "3", "4", "5", "6"});
        CHECK(c.host.warnings.empty());
        // One of them is compressed.
        for (int number = 7; number < 10; ++number) {
            rename_all(dir);
            write_file(dir / "in.log", std::to_string(number) + "\n");
        }
        fs::rename(dir / "in.log.2", dir / "in.log.2.gz");
        CHECK(c.all() == texts{"8", "9"});
        CHECK(c.host.warnings.size() == 1);
        CHECK(c.is_warned_of("what stood between is missing"));
    }
}

TEST_CASE("C061 a file that is removed or replaced is read to its end, and a gap is told") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "1\n");
        tail c(dir, mode);
        CHECK(c.all() == texts{"1"});
        write_file(dir / "in.log", "2\n", true);
        fs::remove(dir / "in.log");
        CHECK(c.all() == texts{"2"});
        CHECK(c.all().empty());
        CHECK(c.host.warnings.size() == 1);
        CHECK(c.is_warned_of("is gone"));
        write_file(dir / "in.log", "3\n");
        CHECK(c.all() == texts{"3"});
        CHECK(c.is_warned_of("The one before was removed"));
        write_file(dir / "next", "4\n");
        fs::rename(dir / "next", dir / "in.log");
        CHECK(c.all() == texts{"4"});
    }
}

TEST_CASE("C061 a file that is cut in place is read again from its beginning, and that is told") {
    for (const std::string& mode : modes)
        for (const std::string now : {"new\n", "new 1\nnew 2\n", "new 1\nnew 2\nnew 3\n"}) {
            scratch dir;
            write_file(dir / "in.log", "line 1\nline 2");
            tail c(dir, mode);
            CHECK(c.all() == texts{"line 1"});
            write_file(dir / "in.log", now);
            const texts got = c.all();
            CHECK(got.front() == "line 2");  // it had no delimiter, and it ended so
            CHECK(got.back() == now.substr(now.size() - (now.size() > 4 ? 6 : 4), now.size() > 4 ? 5 : 3));
            CHECK(got.size() == 1 + static_cast<std::size_t>(std::ranges::count(now, '\n')));
            CHECK(c.host.warnings.size() == 1);
            CHECK(c.is_warned_of("was truncated"));
        }
}

TEST_CASE("C061 the rest of a file that was copied and then cut is read from the copy") {
    for (const std::string& mode : modes)
        for (const std::string now : {"", "new 1\n", "new 1\nnew 2\nnew 3\n"}) {
            scratch dir;
            write_file(dir / "in.log", "line 1\nli");
            tail c(dir, mode);
            CHECK(c.all() == texts{"line 1"});
            write_file(dir / "in.log", "ne 2\nline 3\n", true);
            fs::copy_file(dir / "in.log", dir / "in.log.1");
            write_file(dir / "in.log", now);
            texts expected{"line 2", "line 3"};
            for (int number = 1; number <= std::ranges::count(now, '\n'); ++number) expected.push_back("new " + std::to_string(number));
            CHECK(c.all(1) == expected);
            CHECK(c.host.warnings.empty());
            write_file(dir / "in.log", "more\n", true);
            CHECK(c.all() == texts{"more"});
        }
}

TEST_CASE("C061 files between that are empty or came while others were read are not passed over") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "1\n");
        tail c(dir, mode);
        CHECK(c.all() == texts{"1"});
        rename_all(dir);
        write_file(dir / "in.log", "2\n");
        rename_all(dir);
        write_file(dir / "in.log", "");
        CHECK(c.all() == texts{"2"});
        write_file(dir / "in.log", "3\n", true);
        CHECK(c.all() == texts{"3"});
        // Copied and cut more than once before it is looked at.
        write_file(dir / "in.log", "4\n", true);
        for (int number = 5; number < 9; ++number) {
            fs::remove(dir / "in.log.2");
            if (fs::exists(dir / "in.log.1")) fs::rename(dir / "in.log.1", dir / "in.log.2");
            fs::copy_file(dir / "in.log", dir / "in.log.1");
            write_file(dir / "in.log", std::to_string(number) + "\n");
            if (number == 5) {
                c.receive(1);  // of the copy; the file itself is open from here on
                CHECK(c.got[0].payload == "4");
                c.settle(1);
                c.free_batch();
            }
            if (number == 6) CHECK(c.receive(1) == MQB_OK);
            if (number == 6) {
                CHECK(c.got[0].payload == "5");
                c.settle(1);
                c.free_batch();
            }
            if (number == 7) break;
        }
        CHECK(c.all(1) == texts{"6", "7"});
        CHECK(c.host.warnings.empty());
    }
}

TEST_CASE("C061 a group finds after a restart what was renamed, and all that came between") {
    for (const int read : {0, 1, 2}) {
        scratch dir;
        write_file(dir / "in.log", "1\n2\n");
        {
            tail c(dir, modes[1]);
            for (int i = 0; i < read; ++i) {
                c.receive(1);
                CHECK(c.settle(1) == 1);
                c.free_batch();
            }
        }
        texts expected{"1", "2"};
        expected.erase(expected.begin(), expected.begin() + read);
        rename_all(dir);
        tail(dir, modes[1]).all();  // takes the rest while there is no file of the name
        CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000004");
        write_file(dir / "in.log.1", "3\n", true);
        for (int number = 4; number < 7; ++number) {
            write_file(dir / "in.log", std::to_string(number) + "\n");
            if (number < 6) rename_all(dir);
        }
        {
            tail c(dir, modes[1]);
            CHECK(c.all(1) == texts{"3", "4", "5", "6"});
            CHECK(c.host.warnings.empty());
        }
        CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000002");
        CHECK(tail(dir, modes[1], R"("format":"raw")", true).all().empty());
    }
}

TEST_CASE("C061 a group that restarts after a cut repeats nothing, and says what happened") {
    scratch dir;
    for (const std::string now : {"new\n", "new 1\nnew 2\nnew 3\n"}) {
        write_file(dir / "in.log", "line 1\nline 2\n");
        fs::remove(dir / "in.log.g.offset");
        CHECK(tail(dir, modes[1]).all().size() == 2);
        write_file(dir / "in.log", now);
        tail c(dir, modes[1]);
        CHECK(c.all().size() == static_cast<std::size_t>(std::ranges::count(now, '\n')));
        CHECK(c.host.warnings.size() == 1);
        CHECK(c.is_warned_of("was truncated"));
    }
    // With a copy nothing is missing either.
    write_file(dir / "in.log", "line 1\nline 2\n");
    fs::remove(dir / "in.log.g.offset");
    CHECK(tail(dir, modes[1]).all().size() == 2);
    write_file(dir / "in.log", "line 3\n", true);
    fs::copy_file(dir / "in.log", dir / "in.log.1");
    write_file(dir / "in.log", "new 1\nnew 2\n");
    tail c(dir, modes[1]);
    CHECK(c.all() == texts{"line 3", "new 1", "new 2"});
    CHECK(c.host.warnings.empty());
}

TEST_CASE("the position of a group goes over to the next file when all of the one before is settled") {
    scratch dir;
    write_file(dir / "in.log", "1\n2\n");
    tail c(dir, modes[1]);
    c.receive(1);
    void* const first = c.batch;
    c.receive(1);
    void* const second = c.batch;
    rename_all(dir);
    write_file(dir / "in.log", "33\n");
    c.receive(1);
    CHECK(c.got.empty());
    c.host.time += 1'000'000'000;
    c.receive(1);
    void* const third = c.batch;
    CHECK(c.got[0].payload == "33");
    CHECK(c.got[0].lane == 0);
    const std::pair<void*, const char*> settled[]{
        {first, "00000000000000000002"}, {second, "00000000000000000004"}, {third, "00000000000000000003"}};
    for (const auto& [batch, position] : settled) {
        c.batch = batch;
        CHECK(c.settle(1) == 1);
        CHECK(read_file(dir / "in.log.g.offset") == position);
        c.free_batch();
    }
}

TEST_CASE("what is freed unsettled comes again over a rotation") {
    scratch dir;
    write_file(dir / "in.log", "1\n2\n");
    tail c(dir, modes[1]);
    c.receive(1);
    CHECK(c.settle(1) == 1);
    c.free_batch();
    c.receive();
    void* const old = c.batch;
    rename_all(dir);
    write_file(dir / "in.log", "3\n");
    c.receive();
    c.host.time += 1'000'000'000;
    c.receive();
    CHECK(c.got[0].payload == "3");
    c.free_batch();
    c.batch = old;
    CHECK(c.settle(1) == -1);
    c.free_batch();
    CHECK(c.all() == texts{"2", "3"});
    CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000002");
    write_file(dir / "in.log", "4\n", true);
    CHECK(c.all() == texts{"4"});
}

TEST_CASE("a kill between the two files of a position that goes over to the next file costs nothing") {
    scratch dir;
    write_file(dir / "in.log", "1\n2\n3\n");
    CHECK(tail(dir, modes[1]).all().size() == 3);
    rename_all(dir);
    write_file(dir / "in.log", "4\n5\n6\n");
    const std::string before = read_file(dir / "in.log.g.offset");
    CHECK(before == "00000000000000000006");
    {
        tail c(dir, modes[1], R"("format":"raw")", true);
        c.receive(1);
        CHECK(c.got[0].payload == "4");
        CHECK(read_file(dir / "in.log.g.offset") == before);
        CHECK(c.settle(1) == 1);
        CHECK(read_file(dir / "in.log.g.offset") == "00000000000000000002");
        c.free_batch();
    }
    write_file(dir / "in.log.g.offset", before);
    tail c(dir, modes[1]);
    CHECK(c.all() == texts{"4", "5", "6"});
    CHECK(c.host.warnings.empty());
}

TEST_CASE("a drain over a rotation reads both files, and each CSV file has its header") {
    scratch dir;
    write_file(dir / "in.log", "a,b\n1,2\n");
    tail c(dir, modes[0], R"("format":"csv")", true);
    c.receive(1);
    c.free_batch();
    rename_all(dir);
    write_file(dir / "in.log.1", "3,4", true);
    write_file(dir / "in.log", "b,c\n5,6\n");
    CHECK(c.all() == texts{R"({"a":"3","b":"4"})", R"({"b":"5","c":"6"})"});
    CHECK(c.last == MQB_END);
}

TEST_CASE("half a record that is too long is one record in the copy of a file that is cut") {
    for (const std::string& mode : modes) {
        scratch dir;
        write_file(dir / "in.log", "ok 1\n0123456789");
        tail c(dir, mode, R"("format":"raw","max_record_bytes":8)");
        CHECK(c.all() == texts{"ok 1"});
        write_file(dir / "in.log", "abcdef\nok 2\n", true);
        fs::copy_file(dir / "in.log", dir / "in.log.1");
        write_file(dir / "in.log", "new\n");
        CHECK(c.all() == texts{"01234567", "ok 2", "new"});
        CHECK(c.host.counts["records_refused"] == 1);
    }
}
