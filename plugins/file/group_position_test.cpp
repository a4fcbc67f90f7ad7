#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group_position.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;

namespace {

std::string config(const std::string& path, const std::string& more = R"("format":"raw")") {
    return R"({"path":")" + path + R"(","mode":"group_subscribe","group_id":"g",)" + more + "}";
}
std::string sidecar(const scratch& dir) { return read_file(dir / "in.g.offset"); }

// One run: what it was given, and what the host was warned of. It settles `most` messages and leaves the rest of their batch.
struct run {
    explicit run(const scratch& dir, std::uint32_t most = 1000, const std::string& more = R"("format":"raw")", bool drain = true) {
        consumer_under_test c(config(dir / "in", more), drain);
        connected = c.connect();
        if (!connected.empty()) return;
        while (c.receive(2) == MQB_OK && c.batch != nullptr) {
            for (const letter& one : c.got) got.push_back(one.payload);
            const auto settled = std::min(most, static_cast<std::uint32_t>(c.got.size()));
            if (settled > 0) c.settle(settled);
            c.free_batch();
            if ((most -= settled) == 0) break;
        }
        warnings = c.host.warnings;
    }
    std::string connected;
    texts got, warnings;
};

std::string said(const scratch& dir, const std::string& what) { return "file source '" + (dir / "in") + "': " + what; }

}  // namespace

TEST_CASE("a group goes on behind what it has settled, and the sidecar is twenty digits") {
    scratch dir;
    write_file(dir / "in",
               "\xef\xbb\xbf"
               "a\nb\n\nc\nd\ne");
    const run first(dir, 1);
    CHECK(first.got == texts{"a", "b"});
    CHECK(sidecar(dir) == "00000000000000000005");
    const run second(dir, 3);
    CHECK(second.got == texts{"b", "c", "d", "e"});
    CHECK(sidecar(dir) == "00000000000000000012");
    CHECK(run(dir).got == texts{"e"});
    CHECK(sidecar(dir) == "00000000000000000013");
    const run last(dir);
    CHECK(last.got.empty());
    CHECK(last.warnings.empty());
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 3);
}

TEST_CASE("a sidecar that another program wrote is taken") {
    scratch dir;
    write_file(dir / "in", "a\nb\nc\n");
    write_file(dir / "in.g.offset", "00000000000000000004");
    const run taken(dir);
    CHECK(taken.got == texts{"c"});
    CHECK(taken.warnings.empty());
    write_file(dir / "in.g.offset", "2\n");  // and one that was set back by hand
    CHECK(run(dir).got == texts{"b", "c"});
}

TEST_CASE("a reader that has just taken the lock of a group is named, though its number is written a moment later") {
    scratch dir;
    write_file(dir / "in", "a\n");
    const int lock = ::open((dir / "in.g.offset.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
    std::string said;
    std::thread second([&] { said = consumer_under_test(config(dir / "in")).connect(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(::pwrite(lock, "77\n", 3, 0) == 3);
    second.join();
    CHECK(said.find("has a reader already, process 77: each group") != std::string::npos);
    ::close(lock);
}

TEST_CASE("a second reader of a group is refused as long as there is the first, and told who that is") {
    scratch dir;
    write_file(dir / "in", "a\nb\n");
    const std::string refused = "4: '" + (dir / "in.g.offset") + "' has a reader already, process ";
    const std::string rest = ": each group of a file has one; give this one another `group_id`";
    {
        consumer_under_test first(config(dir / "in"));
        CHECK(first.connect() == "");
        CHECK(first.connect() == "");
        consumer_under_test second(config(dir / "in"));
        CHECK(second.connect() == refused + std::to_string(::getpid()) + ", this one" + rest);
        CHECK(first.receive(1) == MQB_OK);
        CHECK(first.settle(1) == 1);
        first.free_batch();
        CHECK(read_file(dir / "in.g.offset.lock") == std::to_string(::getpid()) + "\n");
        CHECK(second.connect() != "");
    }
    CHECK_FALSE(std::filesystem::exists(dir / "in.g.offset.lock"));
    write_file(dir / "in.g.offset.lock", "123456789012345678\n");  // of one that was killed
    CHECK(run(dir).got == texts{"b"});
    CHECK_FALSE(std::filesystem::exists(dir / "in.g.offset.lock"));
}

TEST_CASE("a lock that cannot be taken is told, and the group read all the same") {
    scratch dir;
    write_file(dir / "in", "a\n");
    std::filesystem::create_directory(dir / "in.g.offset.lock");
    const run only(dir);
    CHECK(only.got == texts{"a"});
    CHECK(only.warnings == texts{said(dir, "'" + (dir / "in.g.offset.lock") +
                                               "' cannot be locked: Is a directory; another reader of the group would not be noticed")});
}

TEST_CASE("groups do not know of each other") {
    scratch dir;
    write_file(dir / "in", "a\n");
    CHECK(run(dir).got == texts{"a"});
    consumer_under_test other(R"({"path":")" + (dir / "in") + R"(","mode":"group_subscribe","group_id":"h","format":"raw"})");
    other.connect();
    CHECK(other.all() == texts{"a"});
    CHECK(read_file(dir / "in.h.offset") == "00000000000000000002");
}

TEST_CASE("rows of a CSV file keep the names of its header") {
    scratch dir;
    write_file(dir / "in", "\xef\xbb\xbf\r\n\"a\nb\";c\r\n1;\"2\n\"\r\n3;4\r\n");
    const std::string csv = R"("format":"csv","csv":{"separator":"auto"})";
    CHECK(run(dir, 1, csv).got.size() == 2);
    CHECK(run(dir, 1, csv).got == texts{R"({"a\nb":"3","c":"4"})"});
}

TEST_CASE("the position passes a broken record when that is settled, and not before") {
    scratch dir;
    write_file(dir / "in", "a\n" + std::string(40, 'x') + "\nb\n" + std::string(9, 'y') + "\n");
    const std::string bound = R"("format":"raw","max_record_bytes":8)";
    const texts records{"a", "xxxxxxxx", "b", "yyyyyyyy"};
    CHECK(run(dir, 1, bound).got == texts{"a", "xxxxxxxx"});
    CHECK(sidecar(dir) == "00000000000000000002");
    CHECK(run(dir, 1, bound).got == texts{"xxxxxxxx", "b"});
    CHECK(sidecar(dir) == "00000000000000000043");
    CHECK(run(dir, 1000, bound).got == texts{"b", "yyyyyyyy"});
    CHECK(sidecar(dir) == "00000000000000000055");

    consumer_under_test again(config(dir / "in", bound));
    write_file(dir / "in.g.offset", "00000000000000000002");
    again.connect();
    again.receive(1);
    CHECK(again.got[0].payload == "xxxxxxxx");
    again.free_batch();
    again.receive(2);  // what was freed unsettled comes again
    REQUIRE(again.got.size() == 2);
    CHECK(again.got[0].payload == "xxxxxxxx");
    CHECK(again.got[1].payload == "b");
    again.free_batch();
}

TEST_CASE("without a position the tail is where it was at the first start") {
    scratch dir;
    write_file(dir / "in", "old\n");
    const std::string tail = R"("format":"raw","read_from_tail":true)";
    CHECK(run(dir, 1000, tail).got.empty());
    CHECK(sidecar(dir) == "00000000000000000004");
    write_file(dir / "in", "new\n", true);
    CHECK(run(dir, 1000, tail).got == texts{"new"});
    // A record that is being written is a new one.
    std::filesystem::remove(dir / "in.g.offset");
    write_file(dir / "in", "half", true);
    CHECK(run(dir, 1000, tail, false).got.empty());
    write_file(dir / "in", " and half\n", true);
    CHECK(run(dir, 1000, tail).got == texts{"half and half"});
}

TEST_CASE("another file under the same name is read from its beginning, and that is told") {
    scratch dir;
    const auto begin_again = [&](const std::string& text) {
        write_file(dir / "in", "line 1\nline 2\n");
        std::filesystem::remove(dir / "in.g.offset");
        run before(dir);
        write_file(dir / "in", text);
        return run(dir);
    };
    const run cut = begin_again("x\n");
    CHECK(cut.got == texts{"x"});
    CHECK(cut.warnings == texts{said(dir, "was truncated: 14 bytes of it were read and it has 2; it is read from its beginning")});
    const run other = begin_again("line A\nline B\nline C\n");
    CHECK(other.got == texts{"line A", "line B", "line C"});
    CHECK(other.warnings ==
          texts{said(dir, "was truncated and written again since it was read up to byte 14; it is read from its beginning")});
    CHECK(sidecar(dir) == "00000000000000000021");
    CHECK(begin_again("line 1\nline 2\nline 3\n").got == texts{"line 3"});
}

TEST_CASE("a long file that differs only where it was read last is another one") {
    scratch dir;
    const std::string same(5000, 's');
    write_file(dir / "in", same + "\nold\n");
    CHECK(run(dir).got.size() == 2);
    write_file(dir / "in", same + "\nnew\nmore\n");
    CHECK(run(dir).got == texts{same, "new", "more"});
}

TEST_CASE("a damaged sidecar never skips anything") {
    scratch dir;
    write_file(dir / "in", "aa\nbb\ncc\ndd\n");
    CHECK(run(dir, 2).got == texts{"aa", "bb"});
    CHECK(sidecar(dir) == "00000000000000000006");
    const std::string before = read_file(dir / "in.g.offset.fingerprint");
    for (const std::string bad : {"", "0000000000", "00000000000000000009", "x", "00000000900000000006", "99999999999999999999999"}) {
        write_file(dir / "in.g.offset", bad);
        write_file(dir / "in.g.offset.fingerprint", before);
        const run again(dir);
        CHECK(again.got.back() == "dd");
        CHECK(again.got.size() >= 2);
        if (bad != "0000000000")
            CHECK(again.warnings.front().find("in.g.offset' is damaged; reading goes on at byte ") != std::string::npos);
    }
    // Both of them damaged.
    for (const std::string bad : {"", "2 new version", "1 1 1 1 1 1 1 1\n"}) {
        write_file(dir / "in.g.offset", "00000000000000000007");
        write_file(dir / "in.g.offset.fingerprint", bad);
        const run again(dir);
        CHECK(again.got == texts{"aa", "bb", "cc", "dd"});
        CHECK(again.warnings == texts{said(dir, "'" + (dir / "in.g.offset") + "' is damaged; it is read from its beginning")});
    }
    // The fingerprint alone.
    write_file(dir / "in.g.offset", "00000000000000000006");
    write_file(dir / "in.g.offset.fingerprint", before.substr(0, before.size() / 2));
    const run kept(dir);
    CHECK(kept.got == texts{"cc", "dd"});
    CHECK(kept.warnings.size() == 1);
}

TEST_CASE("a position that cannot be written is refused at the start, and is no loss later") {
    scratch dir;
    write_file(dir / "in", "a\nb\n");
    std::filesystem::create_directory(dir / "in.g.offset.fingerprint.tmp");
    CHECK(run(dir).connected == "2: cannot write '" + (dir / "in.g.offset") + "': Is a directory");
    std::filesystem::remove(dir / "in.g.offset.fingerprint.tmp");

    consumer_under_test c(config(dir / "in"));
    CHECK(c.connect() == "");
    c.receive(1);
    std::filesystem::create_directory(dir / "in.g.offset.tmp");
    CHECK(c.settle(1) == -2);
    CHECK(sidecar(dir) == "00000000000000000000");
    std::filesystem::remove(dir / "in.g.offset.tmp");
    CHECK(c.settle(1) == 1);
    CHECK(sidecar(dir) == "00000000000000000002");
    c.free_batch();
}

TEST_CASE("of a file that is cut while a group starts, what is saved stays") {
    scratch dir;
    write_file(dir / "in", "one\ntwo\nthree\n");
    CHECK(run(dir, 2).got == texts{"one", "two"});
    const std::string position = sidecar(dir), print = read_file(dir / "in.g.offset.fingerprint");
    mqb::file::input_file file(dir / "in");
    file.open(true);
    file.go_to(8);
    write_file(dir / "in", "another one, which is longer\n");
    mqb::file::group_position group(dir / "in.g.offset", "");
    group.start_at(file, 8, 0, true);
    CHECK(sidecar(dir) == position);
    CHECK(read_file(dir / "in.g.offset.fingerprint") == print);
    CHECK(group.load(file, '\n').is_other);
}

TEST_CASE("what is freed unsettled comes again in another lane, and nothing behind it is saved before") {
    scratch dir;
    write_file(dir / "in", "1\n2\n3\n4\n5\n6\n");
    consumer_under_test c(config(dir / "in"));
    c.connect();
    c.receive(2);
    const std::uint64_t lane = c.got[0].lane;
    CHECK(c.settle(1) == 1);
    void* const first = c.batch;
    c.receive(2);
    void* const second = c.batch;
    c.batch = first;
    c.free_batch();
    c.batch = second;
    CHECK(c.settle(2) == -1);
    CHECK(sidecar(dir) == "00000000000000000002");
    c.free_batch();
    c.receive(2);
    CHECK(c.got[0].payload == "2");
    CHECK(c.got[0].lane != lane);
    c.settle(2);
    c.free_batch();
    CHECK(c.all() == texts{"4", "5", "6"});
    CHECK(sidecar(dir) == "00000000000000000012");
}

TEST_CASE("a file that is replaced while it is tailed is read from its beginning, and late settles do not move its position") {
    scratch dir;
    write_file(dir / "in", "old 1\nold 2\n");
    consumer_under_test c(config(dir / "in"), false);
    c.connect();
    CHECK(c.receive(1) == MQB_OK);
    CHECK(c.settle(1) == 1);
    c.free_batch();
    CHECK(c.receive() == MQB_OK);
    write_file(dir / "in", "new 1\nnew 2\n");  // in place, and no shorter
    CHECK(c.settle(1) == 1);
    CHECK(sidecar(dir) == "00000000000000000006");
    c.free_batch();
    CHECK(c.all() == texts{"new 1", "new 2"});
    REQUIRE(c.host.warnings.size() == 1);
    CHECK(c.host.warnings[0].starts_with("file source '" + (dir / "in") + "' was truncated and written again; what came to it between "));
    CHECK(sidecar(dir) == "00000000000000000012");
}

TEST_CASE("a group needs a name that can be part of a file's name, and a file") {
    scratch dir;
    const auto refused = [](const std::string& configuration) {
        try {
            consumer_under_test c(configuration);
            return std::string();
        } catch (const std::runtime_error& e) { return std::string(e.what()); }
    };
    CHECK(refused(R"({"path":"in","mode":"group_subscribe"})") == "mode: group_subscribe needs a `group_id`");
    CHECK(refused(R"({"path":"in","mode":"group_subscribe","group_id":""})") == "mode: group_subscribe needs a `group_id`");
    CHECK(refused(R"({"path":"in","mode":"group_subscribe","group_id":"../x"})") ==
          "group_id: a name of at most 128 bytes without \"/\" was expected, not \"../x\"");
    CHECK(refused(R"({"path":"/dev/stdin","mode":"group_subscribe","group_id":"g"})") ==
          "path: /dev/stdin has no position that could be saved; `mode: consume` reads it");
}
