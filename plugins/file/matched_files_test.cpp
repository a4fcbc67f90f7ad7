#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "matched_test.hpp"
#include "packed_test.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

TEST_CASE("a drain reads all that match in the order of their names, each to its end") {
    scratch dir;
    fs::create_directory(dir / "d.log");
    write_file(dir / "b.log", "3\n4");
    write_file(dir / "a.log", "1\n2\n");
    write_file(dir / "c.log", "");
    write_file(dir / "z.log", "5\n");
    write_file(dir / "other.txt", "x\n");
    for (const std::string& mode : {consume, group}) {
        reader c(dir, mode, true);
        CHECK(c.all(1) == texts{"1", "2", "3", "4", "5"});
        CHECK(c.last == MQB_END);
        CHECK(c.host.warnings.empty());
    }
    CHECK(reader(dir, group, true).all().empty());
    reader folder(dir, consume, true, "");
    CHECK(folder.all() == texts{"1", "2", "3", "4", "x", "5"});
    reader none(dir, consume, true, "none*");
    CHECK(none.all().empty());
    CHECK(none.last == MQB_END);
}

TEST_CASE("while it runs new files and what comes to the others is read") {
    scratch dir;
    for (const std::string& mode : {consume, group}) {
        for (const auto& one : fs::directory_iterator(dir.path)) fs::remove(one);
        reader c(dir, mode);
        CHECK(c.all().empty());
        write_file(dir / "b.log", "1\n2");
        CHECK(c.next() == texts{"1"});
        write_file(dir / "a.log", "3\n");
        CHECK(c.next() == texts{"3"});
        write_file(dir / "b.log", "2\n", true);
        CHECK(c.next() == texts{"22"});
        write_file(dir / "b.log", "4\n", true);
        write_file(dir / "a.log", "5\n", true);
        write_file(dir / "c.log", "6\n");
        CHECK(c.next() == texts{"4", "5", "6"});  // the one that is read first, then by name
        CHECK(c.next().empty());
        // Renamed, within the pattern and out of it.
        fs::rename(dir / "a.log", dir / "d.log");
        fs::rename(dir / "b.log", dir / "b.old");
        write_file(dir / "d.log", "7\n", true);
        CHECK(c.next() == texts{"7"});
        CHECK(c.host.warnings.empty());
    }
}

TEST_CASE("half a record that is too long is one record when the rest of it comes, though another file was read between") {
    for (const std::string& mode : {consume, group}) {
        scratch dir;
        write_file(dir / "a.log", "ok 1\n0123456789");
        reader c(dir, mode, false, "*.log", R"("format":"raw","max_record_bytes":8)");
        CHECK(c.next() == texts{"ok 1"});
        write_file(dir / "b.log", "b\n");
        CHECK(c.next() == texts{"b"});
        write_file(dir / "a.log", "abcdef\nok 2\n", true);
        CHECK(c.next() == texts{"01234567", "ok 2"});
        CHECK(c.host.counts["records_refused"] == 1);
        CHECK(c.host.warnings.empty());
    }
}

TEST_CASE("a group goes on in each file where it was") {
    scratch dir;
    write_file(dir / "a.log", "1\n2\n3\n");
    write_file(dir / "b.log", "4\n5\n6\n");
    {
        reader c(dir, group);
        c.receive();
        CHECK(c.settle(2) == 2);
        c.free_batch();
        CHECK(c.all(1) == texts{"3", "4", "5", "6"});
    }
    CHECK(fs::exists(dir / ".g.offsets"));
    CHECK_FALSE(fs::exists(dir / ".g.offsets.lock"));
    write_file(dir / "a.log", "7\n", true);
    fs::rename(dir / "b.log", dir / "0.log");
    write_file(dir / "0.log", "8\n", true);
    write_file(dir / "c.log", "9\n");
    {
        reader c(dir, group);
        c.receive();
        CHECK(c.got[0].payload == "8");
        c.free_batch();  // unsettled
        CHECK(c.next() == texts{"8", "7", "9"});
        CHECK(c.host.warnings.empty());
    }
    // Cut, and another one under the name.
    write_file(dir / "a.log", "new 1\n");
    write_file(dir / "next", "new 2\n");
    fs::rename(dir / "next", dir / "c.log");
    reader c(dir, group);
    CHECK(c.next() == texts{"new 1", "new 2"});
    REQUIRE(c.host.warnings.size() == 1);
    CHECK(c.host.warnings[0] == "file source '" + (dir / "a.log") + "' was truncated or replaced: it is read from its beginning");
}

TEST_CASE("a file that was copied here, or restored, under the same name is read on, and one beside the old one from its beginning") {
    scratch dir;
    write_file(dir / "a.log", "1\n2\n3\n");
    write_file(dir / "b.log", "4\n");
    {
        reader c(dir, group);
        c.receive(2);
        CHECK(c.settle(2) == 2);
        c.free_batch();
        c.receive(1);
        CHECK(c.settle(1) == 1);
        c.free_batch();
        CHECK(c.next() == texts{"4"});
    }
    const auto restore = [&](const char* name, const std::string& more) {
        fs::copy_file(dir / name, dir / "kept");
        write_file(dir / "kept", more, true);
        fs::rename(dir / "kept", dir / name);
    };
    for (int run = 0; run < 2; ++run) {
        restore("a.log", run == 0 ? "" : "5\n");
        restore("b.log", run == 0 ? "6\n" : "");
        reader c(dir, group);
        CHECK(c.next() == (run == 0 ? texts{"6"} : texts{"5"}));
        CHECK(c.host.warnings.empty());
    }
    CHECK(reader(dir, group).next().empty());
    // Renamed, and a new one that begins alike, before the start and while it runs.
    fs::rename(dir / "a.log", dir / "old.log");
    write_file(dir / "a.log", "1\n2\n3\n5\n7\n");
    reader c(dir, group);
    CHECK(c.next() == texts{"1", "2", "3", "5", "7"});
    fs::rename(dir / "b.log", dir / "b.old");
    CHECK(c.next().empty());
    write_file(dir / "b.log", "4\n6\n8\n");
    CHECK(c.next() == texts{"4", "6", "8"});
    CHECK(c.host.warnings.empty());
}

TEST_CASE("a file among others that is cut while it runs is read again, open or not") {
    scratch dir;
    for (const std::string& mode : {consume, group}) {
        for (const auto& one : fs::directory_iterator(dir.path)) fs::remove(one);
        write_file(dir / "a.log", "line 1\n");
        write_file(dir / "b.log", "line 2\n");
        reader c(dir, mode);
        CHECK(c.next() == texts{"line 1", "line 2"});
        write_file(dir / "b.log", "3\n");
        CHECK(c.next() == texts{"3"});
        write_file(dir / "a.log", "line 4\nline 5\n");
        CHECK(c.next() == texts{"line 4", "line 5"});
        CHECK(c.host.warnings.size() == 2);
        write_file(dir / "a.log", "LINE 4\nLINE 5\n");  // of the same size
        struct stat is {};
        REQUIRE(::stat((dir / "a.log").c_str(), &is) == 0);
        const timespec times[2]{{is.st_atim.tv_sec, 0}, {is.st_mtim.tv_sec + 1, 0}};
        ::utimensat(AT_FDCWD, (dir / "a.log").c_str(), times, 0);
        CHECK(c.next() == texts{"LINE 4", "LINE 5"});
        CHECK(c.next().empty());
    }
}

TEST_CASE("what is freed unsettled comes again over several files, and each of it once") {
    scratch dir;
    write_file(dir / "a.log", "1\n2\n");
    write_file(dir / "b.log", "3\n");
    reader c(dir, group);
    c.receive(1);
    CHECK(c.settle(1) == 1);
    c.free_batch();
    std::vector<void*> held;
    for (int i = 0; i < 2; ++i) {
        CHECK(c.receive(1) == MQB_OK);
        held.push_back(c.batch);
    }
    write_file(dir / "a.log", "4\n", true);
    c.host.time += 1'000'000'000;
    CHECK(c.receive(1) == MQB_OK);
    CHECK(c.got[0].payload == "4");
    held.push_back(c.batch);
    for (void* const one : held) {
        c.batch = one;
        c.free_batch();
    }
    CHECK(c.next() == texts{"2", "4", "3"});
    CHECK(reader(dir, consume).next() == texts{"1", "2", "4", "3"});
}

TEST_CASE("no more files are open than have something unsettled, and of these at most 64") {
    scratch dir;
    for (int i = 0; i < 200; ++i) write_file(dir / (std::to_string(1000 + i) + ".log").c_str(), std::to_string(i) + "\n");
    reader c(dir, group, true);
    const auto open_files = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
    const auto before = open_files();
    std::vector<void*> held;
    while (c.receive() == MQB_OK && c.batch != nullptr) held.push_back(c.batch);
    CHECK(held.size() == 64);  // nothing now, and not the end
    CHECK(open_files() - before <= 64);
    int number = 0;
    for (void* const one : held) {
        c.batch = one;
        CHECK(c.settle(1) == 1);
        c.free_batch();
        ++number;
    }
    for (const std::string& one : c.all()) CHECK(one == std::to_string(number++));
    CHECK(number == 200);
    CHECK(c.last == MQB_END);
    CHECK(open_files() - before <= 2);
}

TEST_CASE("a subscriber and a tail begin at the end of what is there, and with the first byte of what comes") {
    scratch dir;
    write_file(dir / "a.log", "old\nhal");
    for (const std::string& mode : {subscribe, group + R"(,"read_from_tail":true)"}) {
        reader c(dir, mode);
        CHECK(c.next().empty());
        write_file(dir / "a.log", "f\n", true);
        write_file(dir / "b.log", "new\n");
        CHECK(c.next() == texts{"half", "new"});
        fs::remove(dir / "b.log");
        write_file(dir / "a.log", "old\nhal");
    }
    write_file(dir / "c.log", "later\n");
    CHECK(reader(dir, group + R"(,"read_from_tail":true)").next().back() == "later");
}

TEST_CASE("a subscriber and a tail get all that comes after the start, to files that were empty too") {
    for (const std::string& mode : {subscribe, group + R"(,"read_from_tail":true)"}) {
        scratch dir;
        write_file(dir / "a.log", "");
        write_file(dir / "b.log", "old\nhal");
        write_file(dir / "c.log", "old\n");
        reader c(dir, mode);
        // Before they are looked at for the first time.
        write_file(dir / "a.log", "1\n2\n");
        write_file(dir / "c.log", "3\n4\n", true);
        CHECK(c.next() == texts{"3", "4", "1", "2"});
        write_file(dir / "b.log", "f\n", true);
        CHECK(c.next() == texts{"half"});
        CHECK(c.next().empty());
    }
}

TEST_CASE("what comes between two runs of a tail is read, also to a file of which nothing was to be passed over") {
    const std::string mode = group + R"(,"read_from_tail":true)";
    for (const std::string before : {"none", "", "hal"}) {
        scratch dir;
        if (before != "none") write_file(dir / "a.log", before);
        CHECK(reader(dir, mode).next().empty());
        write_file(dir / "a.log", "f\nnew\n", true);
        write_file(dir / "b.log", "b\n");
        CHECK(reader(dir, mode).next() == texts{before == "hal" ? "half" : "f", "new", "b"});
        CHECK(reader(dir, mode).next().empty());
    }
}

TEST_CASE("each CSV file has its header, and a message says of which file it is") {
    scratch dir;
    write_file(dir / "a.log", "x,y\n1,2\n3,4\n");
    write_file(dir / "b.log", "z\n5\n");
    reader c(dir, group, true, "*.log", R"("format":"csv","source_metadata":true)");
    c.receive(1);
    CHECK(c.settle(1) == 1);
    c.free_batch();
    std::string all;
    for (const letter& one : c.letters()) all += one.payload + one.metadata.substr(0, one.metadata.find(";mqb.src.file_epoch"));
    CHECK(all == R"({"x":"3","y":"4"}mqb.src.file_path=)" + (dir / "a.log") + R"(;mqb.src.file_record=1{"z":"5"}mqb.src.file_path=)" +
                     (dir / "b.log") + ";mqb.src.file_record=0");
}

TEST_CASE("packed files that match are read in a drain, each once, and not while they grow") {
    scratch dir;
    using mqb::codec::compression;
    write_file(dir / "a.log", member_of(compression::gzip, "1\n2\n"));
    write_file(dir / "b.log", member_of(compression::gzip, "3\n") + member_of(compression::gzip, "4\n"));
    reader c(dir, consume, true, "*.log", R"("format":"raw","compression":"gzip")");
    CHECK(c.receive() == MQB_OK);
    CHECK(c.got.size() == 2);
    c.free_batch();
    write_file(dir / "a.log", member_of(compression::gzip, "late\n"), true);
    CHECK(c.all() == texts{"3", "4"});
    CHECK(c.last == MQB_END);
    consumer_under_test tail(R"({"path":")" + (dir / "*.log") + R"(","compression":"gzip"})", false);
    CHECK(tail.connect() == std::to_string(MQB_BAD_CONFIG) +
                                ": compression: of several files such an input is read in a drain only, in which each is read once; '" +
                                (dir / "*.log") + "' is a pattern");
}

TEST_CASE("a file whose name holds a wildcard is itself, and other sides take no pattern") {
    scratch dir;
    write_file(dir / "a[1].log", "1\n");
    write_file(dir / "a1.log", "2\n");
    CHECK(reader(dir, consume, true, "a[1].log").all() == texts{"1"});
    fs::remove(dir / "a[1].log");
    CHECK(reader(dir, consume, true, "a[1].log").all() == texts{"2"});
    const auto refused = [](auto make) {
        try {
            make();
            return std::string();
        } catch (const std::runtime_error& e) { return std::string(e.what()); }
    };
    CHECK(refused([] { publisher_under_test(R"({"path":"out/*.log"})"); }) ==
          "path: an output is one file; \"out/*.log\" is a pattern, which only an input may be");
    CHECK(refused([] { publisher_under_test(R"({"path":"out/"})"); }).starts_with("path: an output is one file;"));
    CHECK(refused([] { consumer_under_test(R"({"path":"in/","delete":true})"); }) ==
          "delete: it is for one file, not for all that match 'in/'");
}
