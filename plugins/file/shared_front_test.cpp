#include "shared_front.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

std::string config(const scratch& dir, const std::string& more = R"("format":"raw")") {
    return R"({"path":")" + (dir / "in") + R"(","delete":true,)" + more + "}";
}

struct reader : consumer_under_test {
    explicit reader(const scratch& dir, const std::string& more = R"("format":"raw")", bool drain = true)
        : consumer_under_test(config(dir, more), drain) {
        REQUIRE(connect() == "");
    }
    // What comes until nothing does for a while of the host's clock.
    texts rest(std::uint32_t most = 512) {
        texts given;
        for (int quiet = 0; quiet < 3 && last != MQB_END;) {
            const texts some = all(most);
            given.insert(given.end(), some.begin(), some.end());
            quiet = some.empty() ? quiet + 1 : 0;
            host.time += 200'000'000;
        }
        return given;
    }
    bool is_warned_of(const std::string& text) const {
        return std::ranges::any_of(host.warnings, [&](const std::string& one) { return one.find(text) != one.npos; });
    }
};

int count_files(const scratch& dir) { return static_cast<int>(std::distance(fs::directory_iterator(dir.path), {})); }

}  // namespace

TEST_CASE("what is acknowledged is deleted, a last record without delimiter too") {
    scratch dir;
    write_file(dir / "in", "1\n2\n3");
    {
        reader c(dir);
        CHECK(c.all() == texts{"1", "2"});
        CHECK(c.last == MQB_OK);
        c.host.time += 99'999'999;
        CHECK(c.all().empty());
        CHECK(c.last == MQB_OK);  // somebody may be writing it
        write_file(dir / "in", "3", true);
        CHECK(c.all().empty());
        c.host.time += 100'000'000;
        CHECK(c.all() == texts{"33"});
        CHECK(c.last == MQB_END);
    }
    CHECK(read_file(dir / "in").empty());
    CHECK(count_files(dir) == 1);
}

TEST_CASE("a last record that is too long and lacks its delimiter is taken when nothing comes to it, not before") {
    for (const bool drains : {true, false}) {
        scratch dir;
        write_file(dir / "in", "1\n0123456789");
        {
            reader c(dir, R"("format":"raw","max_record_bytes":4)", drains);
            CHECK(c.all() == texts{"1"});
            CHECK(c.last == MQB_OK);
            write_file(dir / "in", "abc", true);
            c.host.time += 99'999'999;
            CHECK(c.all().empty());
            c.host.time += 100'000'000;
            CHECK(c.all() == texts{"0123"});
            CHECK(c.host.counts["records_refused"] == 1);
        }
        CHECK(read_file(dir / "in").empty());
    }
}

TEST_CASE("what is not acknowledged stays, and comes to the next reader") {
    scratch dir;
    ::umask(0022);
    write_file(dir / "in",
               "\xef\xbb\xbf"
               "1\n2\n3\n4\n");
    ::chmod((dir / "in").c_str(), 0640);
    {
        reader c(dir);
        c.receive(3);
        CHECK(c.got[0].payload == "1");
        CHECK(c.settle(2) == 2);
        c.free_batch();
        CHECK(read_file(dir / "in.consumed") == "00000000000000000007");
    }
    CHECK(read_file(dir / "in") == "3\n4\n");
    struct stat is {};
    REQUIRE(::stat((dir / "in").c_str(), &is) == 0);
    CHECK((is.st_mode & 07777) == 0640);
    reader c(dir);
    CHECK(c.all(1) == texts{"3", "4"});
}

TEST_CASE("the header of a CSV file stays") {
    scratch dir;
    for (const std::string header : {"a,b\n", "\xef\xbb\xbf\r\n\"a\n\",b\r\n"}) {
        write_file(dir / "in", header + "1,2\n3,4\n5,6\n");
        const std::string csv = R"("format":"csv")";
        {
            reader c(dir, csv);
            c.receive(1);
            c.settle(1);
            c.free_batch();
        }
        CHECK(read_file(dir / "in") == header + "3,4\n5,6\n");
        {
            reader c(dir, csv);
            CHECK(c.rest(1).size() == 2);
        }
        CHECK(read_file(dir / "in") == header);
        CHECK(reader(dir, csv).rest().empty());
        CHECK(read_file(dir / "in") == header);
        write_file(dir / "in", "7,8\n", true);
        CHECK(reader(dir, csv).rest().size() == 1);
        CHECK(read_file(dir / "in") == header);
        CHECK(count_files(dir) == 1);
    }
}

TEST_CASE("a file is cut when at least half of it and 16 MiB are settled, and costs no more than that") {
    scratch dir;
    std::string text;
    for (int i = 0; i < 500'000; ++i) text += std::to_string(1'000'000 + i) + std::string(93, 'x') + "\n";
    write_file(dir / "in", text);
    reader c(dir);
    int number = 0, cuts = 0;
    std::uintmax_t size = fs::file_size(dir / "in"), copied = 0;
    for (; c.receive(5000) == MQB_OK && c.batch != nullptr; c.free_batch()) {
        for (const letter& one : c.got) REQUIRE(one.payload.starts_with(std::to_string(1'000'000 + number++)));
        c.settle(static_cast<std::uint32_t>(c.got.size()));
        const std::uintmax_t now = fs::file_size(dir / "in");
        if (now != size) {
            ++cuts;
            copied += now;
            CHECK(size - now >= std::max<std::uintmax_t>(now, 16 << 20));
        }
        size = now;
    }
    CHECK(number == 500'000);
    CHECK(cuts == 2);
    CHECK(copied <= text.size());
    CHECK(c.host.warnings.empty());
}

TEST_CASE("a reader that has come to the end cuts once a second, and goes on with what comes") {
    scratch dir;
    write_file(dir / "in", "1\n2\nha");
    reader c(dir, R"("format":"raw")", false);
    CHECK(c.all() == texts{"1", "2"});
    c.host.time += 1'000'000'000;
    CHECK(c.all() == texts{"ha"});  // and nothing came to it meanwhile
    c.host.time += 1'000'000'000;
    CHECK(c.all().empty());
    CHECK(read_file(dir / "in") == "");
    write_file(dir / "in", "3\n4", true);
    CHECK(c.all() == texts{"3"});
    CHECK(read_file(dir / "in") == "3\n4");
    c.host.time += 50'000'000;
    write_file(dir / "in", "4\n5\n", true);
    CHECK(c.all() == texts{"44", "5"});
    c.host.time += 1'000'000'000;
    CHECK(c.all().empty());
    CHECK(read_file(dir / "in") == "");
    CHECK(read_file(dir / "in.consumed") == "00000000000000000000");
}

TEST_CASE("what a writer puts into the old file, before or after it was cut, is not lost") {
    scratch dir;
    write_file(dir / "in", "1\n");
    std::ofstream writer(dir / "in", std::ios::app);
    {
        reader c(dir, R"("format":"raw")", false);
        CHECK(c.all() == texts{"1"});
        c.host.time += 1'000'000'000;
        CHECK(c.all().empty());
        CHECK(read_file(dir / "in") == "");
        writer << "2\n" << std::flush;
        CHECK(c.all() == texts{"2"});
        writer << "3\n" << std::flush;
        write_file(dir / "in", "4\n", true);
        CHECK(c.all() == texts{"4", "3"});
        CHECK(c.host.warnings.empty());
        writer << "5\n" << std::flush;
    }
    // Also when the reader ends.
    CHECK(reader(dir).rest() == texts{"5"});
}

TEST_CASE("a kill before, in the middle of and after a cut loses nothing, and what was cut does not come again") {
    scratch dir;
    write_file(dir / "in", "x\nx\nx\nx\nx\nx\n");  // nothing but the file itself tells one place from another
    {
        reader c(dir);
        c.receive(2);
        c.settle(2);
        c.free_batch();
        // As a kill leaves it: settled and not cut.
        fs::copy(dir.path, dir.path + "-killed", fs::copy_options::recursive);
    }
    CHECK(read_file(dir / "in") == "x\nx\nx\nx\n");
    fs::remove_all(dir.path + "-killed");

    // Between the new file and the new position.
    write_file(dir / "in", "x\nx\nx\nx\nx\nx\n");
    {
        reader c(dir);
        c.receive(2);
        c.settle(2);
        c.free_batch();
        for (const char* name : {"in.consumed", "in.consumed.fingerprint"}) fs::copy_file(dir / name, dir / name + ".kept");
    }
    for (const char* name : {"in.consumed", "in.consumed.fingerprint"}) fs::rename(dir / name + ".kept", dir / name);
    write_file(dir / "in.rest.tmp", "half of");
    reader c(dir);
    CHECK(c.rest(1).size() == 4);
    CHECK(c.host.warnings.empty());
    CHECK_FALSE(fs::exists(dir / "in.rest.tmp"));
}

TEST_CASE("a kill after the settle and before the cut does not give what was settled again") {
    scratch dir;
    write_file(dir / "in", "1\n2\n3\n");
    {
        reader c(dir);
        c.receive(2);
        c.settle(2);
        c.free_batch();
        fs::create_directory(dir / "in.rest.tmp");  // so that it cannot be cut at its end
    }
    fs::remove(dir / "in.rest.tmp");
    { reader only_connects(dir); }
    fs::create_directory(dir / "in.rest.tmp");
    CHECK(read_file(dir / "in") == "1\n2\n3\n");
    CHECK(read_file(dir / "in.consumed") == "00000000000000000004");
    {
        reader c(dir);
        CHECK(c.rest() == texts{"3"});
        CHECK(c.is_warned_of("cannot cut '" + (dir / "in") + "': Is a directory"));
    }
    fs::remove(dir / "in.rest.tmp");
    CHECK(reader(dir).rest().empty());
    CHECK(read_file(dir / "in") == "");
}

TEST_CASE("what is freed unsettled comes again though the file was cut meanwhile") {
    scratch dir;
    std::string text;
    for (int i = 0; i < 20; ++i) text += std::to_string(100 + i) + std::string(2 << 20, 'x') + "\n";
    write_file(dir / "in", text);
    reader c(dir);
    int number = 0;
    for (; number < 12; ++number) {
        REQUIRE(c.receive(1) == MQB_OK);
        REQUIRE(c.got[0].payload.starts_with(std::to_string(100 + number)));
        CHECK(c.settle(1) == 1);
        c.free_batch();
    }
    CHECK(fs::file_size(dir / "in") < text.size());
    for (const int most : {2, 8}) {
        c.receive(static_cast<std::uint32_t>(most));
        REQUIRE(c.got[0].payload.starts_with(std::to_string(100 + number)));
        if (most == 2) c.settle(1), ++number;
        c.free_batch();
    }
    const texts rest = c.rest(1);
    REQUIRE(rest.size() == 7);
    for (const std::string& one : rest) CHECK(one.starts_with(std::to_string(100 + number++)));
}

TEST_CASE("a file that was renamed is not cut, and the one that has the path is") {
    scratch dir;
    write_file(dir / "in", "1\n2\n");
    {
        reader c(dir, R"("format":"raw")", false);
        c.receive(1);
        c.settle(1);
        c.free_batch();
        fs::rename(dir / "in", dir / "in.1");
        write_file(dir / "in", "3\n4\n");
        CHECK(c.all(1) == texts{"2"});
        c.host.time += 1'000'000'000;
        CHECK(c.all(1) == texts{"3", "4"});
    }
    CHECK(read_file(dir / "in.1") == "1\n2\n");
    CHECK(read_file(dir / "in") == "");
}

TEST_CASE("what is freed unsettled over a rotation comes again, and is deleted in the end") {
    scratch dir;
    write_file(dir / "in", "1\n2\n");
    {
        reader c(dir, R"("format":"raw")", false);
        c.receive();
        void* const first = c.batch;
        fs::rename(dir / "in", dir / "in.1");
        write_file(dir / "in", "3\n4\n");
        CHECK(c.all().empty());
        c.host.time += 1'000'000'000;
        c.receive(1);
        CHECK(c.got[0].payload == "3");
        c.free_batch();
        c.batch = first;
        c.free_batch();
        CHECK(c.all(1) == texts{"1", "2", "3", "4"});
    }
    CHECK(read_file(dir / "in.1") == "1\n2\n");
    CHECK(read_file(dir / "in") == "");
}

TEST_CASE("a record goes when every subscriber of the process has acknowledged it") {
    scratch dir;
    const std::string subscribe = R"("format":"raw","mode":"subscribe")";
    write_file(dir / "in", "old\n");
    {
        reader slow(dir, subscribe, false), quick(dir, subscribe, false);
        write_file(dir / "in", "1\n2\n3\n", true);
        CHECK(quick.all() == texts{"1", "2", "3"});
        slow.receive(2);
        CHECK(slow.got[0].payload == "1");
        quick.host.time += 2'000'000'000;
        CHECK(quick.all().empty());
        CHECK(read_file(dir / "in") == "old\n1\n2\n3\n");
        CHECK(slow.settle(2) == 2);
        slow.free_batch();
        quick.host.time += 2'000'000'000;
        CHECK(quick.all().empty());
        CHECK(read_file(dir / "in") == "old\n3\n");
        CHECK(slow.all() == texts{"3"});
        write_file(dir / "in", "4\n", true);
        CHECK(slow.all() == texts{"4"});
        CHECK(quick.all() == texts{"4"});
        reader late(dir, subscribe, false);
        write_file(dir / "in", "5\n", true);
        CHECK(late.all() == texts{"5"});
        CHECK(slow.all() == texts{"5"});
        slow.host.time += 4'000'000'000;
        CHECK(slow.all().empty());
        CHECK(read_file(dir / "in") == "old\n5\n");
        CHECK(quick.all() == texts{"5"});
    }
    CHECK(read_file(dir / "in") == "old\n");
    { reader none(dir, subscribe, false); }
    CHECK(read_file(dir / "in") == "old\n");  // what was there before is nobody's
    CHECK(count_files(dir) == 1);
}

TEST_CASE("deleting is for one reader of a file that can be deleted from") {
    const auto refused = [](const std::string& configuration) {
        try {
            consumer_under_test c(configuration);
            return std::string();
        } catch (const std::runtime_error& e) { return std::string(e.what()); }
    };
    CHECK(refused(R"({"path":"/dev/stdin","delete":true})") == "delete: nothing can be deleted of /dev/stdin");
    CHECK(refused(R"({"path":"in","delete":true,"mode":"group_subscribe","group_id":"g"})") ==
          "delete: a group saves its position; records are deleted with `mode: consume` or `subscribe`");
    CHECK(refused(R"({"path":"in","delete":true,"mode":"subscribe","format":"csv"})") ==
          "delete: with `mode: subscribe` it is not for `format: csv`");
    scratch dir;
    write_file(dir / "in", "1\n");
    reader first(dir);
    consumer_under_test second(config(dir));
    CHECK(second.connect() == "4: '" + (dir / "in.consumed") + "' has a reader already, process " + std::to_string(::getpid()) +
                                  ", this one: where records are deleted there is one");
}
