#include <cerrno>

#include "sync_under_test.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;

namespace {

// A message "de:1" is for the file "de" of the directory; "!" has no file.
struct files_under_test : publisher_under_test {
    explicit files_under_test(const scratch& dir, const std::string& more = "", const std::string& format = "raw")
        : publisher_under_test(R"({"path":0,"format":")" + format + '"' + (more.empty() ? "" : "," + more) + "}") {
        host.rendered = [folder = dir.path](std::string_view payload) -> std::optional<std::string> {
            if (payload.starts_with('!')) return std::nullopt;
            return folder + '/' + std::string(payload.substr(0, payload.find(':')));
        };
        CHECK(connect() == "");
    }
};

std::string why_not(const std::string& configuration, std::uint32_t side = MQB_SIDE_PUBLISHER) {
    try {
        if (side == MQB_SIDE_PUBLISHER) return publisher_under_test(configuration).connect();
        return consumer_under_test(configuration).connect();
    } catch (const std::runtime_error& e) { return e.what(); }
}

std::size_t open_files() {
    std::size_t count = 0;
    for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) count += one.is_symlink();
    return count;
}

}  // namespace

TEST_CASE("each message goes to the file that it names, and the order of each file is kept") {
    scratch dir;
    {
        files_under_test p(dir);
        CHECK(files_of(dir).empty());
        CHECK(p.send({"de:1", "fr:1", "de:2", "us:1", "de:3", "fr:2"}) == MQB_OK);
        CHECK(p.outcomes == results(6, MQB_DONE));
        CHECK(p.send({"fr:3", "de:4"}) == MQB_OK);
        CHECK(p.send({}) == MQB_OK);
        CHECK(read_file(dir / "de") == "de:1\nde:2\nde:3\nde:4\n");
        CHECK(read_file(dir / "fr") == "fr:1\nfr:2\nfr:3\n");
        CHECK(read_file(dir / "us") == "us:1\n");
        CHECK(std::filesystem::exists(dir / "de.writing"));
    }
    CHECK(files_of(dir) == std::vector<std::string>{"de", "fr", "us"});
}

TEST_CASE("a message whose path is none is refused, and the others are written") {
    scratch dir;
    files_under_test p(dir);
    const std::string long_name(248, 'x'), longer_path(4100, 'x');
    CHECK(p.send({"!", "de:1", "a.writing:1", long_name + ":1", "sub/:1", "fr:1"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED, MQB_DONE, MQB_REFUSED, MQB_REFUSED, MQB_REFUSED, MQB_DONE});
    CHECK(p.texts[0] ==
          "file target: its path has no value, or one that is no part of a name: empty, with a / or U+0000, or a name that is . or ..");
    CHECK(p.texts[2] == "file target: its path ends with .writing, as a file beside another one does");
    CHECK(p.texts[3] == "file target: a name in its path is too long");
    CHECK(p.texts[4] == "file target: its path ends with a /");
    p.host.rendered = [&](std::string_view payload) -> std::optional<std::string> {
        return payload == "long" ? longer_path : std::string(payload);
    };
    CHECK(p.send({"long", "-", "/dev/stdout", "/dev/stdin", ""}) == MQB_OK);
    CHECK(p.outcomes == results(5, MQB_REFUSED));
    CHECK(p.texts[0] == "file target: its path is too long");
    CHECK(p.texts[1] == "file target: its path is a standard stream");
    CHECK(p.texts[2] == p.texts[1]);
    CHECK(p.texts[3] == p.texts[1]);
    CHECK(p.texts[4] == "file target: its path is empty");
}

TEST_CASE("what can be no file refuses its own messages alone") {
    scratch dir;
    std::filesystem::create_directory(dir / "folder");
    files_under_test p(dir);
    CHECK(p.send({"folder:1", "de:1", "folder:2", "de/x:1"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED, MQB_DONE, MQB_REFUSED, MQB_REFUSED});
    CHECK(p.texts[0] == "file target '" + (dir / "folder") + "' is a directory, not a file");
    CHECK(p.texts[2] == p.texts[0]);
    CHECK(p.texts[3].starts_with("cannot open file target '" + (dir / "de/x") + "': "));
    CHECK(read_file(dir / "de") == "de:1\n");
}

TEST_CASE("what one file refuses of its messages is refused") {
    scratch dir;
    files_under_test p(dir, R"("max_message_bytes":4)");
    CHECK(p.send({"de:1", "de:22", "fr:3"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_DONE, MQB_REFUSED, MQB_DONE});
    CHECK(p.texts[1] == "file target '" + (dir / "de") + "': a payload of 5 bytes is longer than max_message_bytes, 4");
}

TEST_CASE("folders that are not there are made, and brought to the disk where fsync wants it") {
    scratch dir;
    sync_under_test syncs;
    files_under_test p(dir, R"("fsync":"batch")");
    CHECK(p.send({"a/b/c:1", "a/d:1"}) == MQB_OK);
    CHECK(read_file(dir / "a/b/c") == "a/b/c:1\n");
    CHECK(read_file(dir / "a/d") == "a/d:1\n");
}

TEST_CASE("a folder that cannot be made for now refuses nothing, and is made later") {
    scratch dir;
    sync_under_test disk;
    files_under_test p(dir, R"("fsync":"batch")");
    disk.fail_new_folders(ENOSPC);
    CHECK(p.send({"de:1", "a/b:1", "!"}) == MQB_RETRY);
    CHECK(p.why == "the folder '" + (dir / "a") + "' of file target '" + (dir / "a/b") + "' cannot be made: No space left on device");
    CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT, MQB_UNSENT});
    CHECK(read_file(dir / "de").empty());
    disk.fail_new_folders(0);
    disk.fail_folders(EIO);
    CHECK(p.send({"a/b:1"}) == MQB_RETRY);
    CHECK_FALSE(std::filesystem::exists(dir / "a"));
    disk.fail_folders(0);
    CHECK(p.send({"de:1", "a/b:1"}) == MQB_OK);
    CHECK(read_file(dir / "a/b") == "a/b:1\n");
    disk.fail_new_folders(EACCES);
    CHECK(p.send({"b/c:1", "de:2"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED, MQB_DONE});
}

TEST_CASE("a folder that was moved away while its file is open is made again") {
    scratch dir;
    files_under_test p(dir);
    CHECK(p.send({"a/b:1", "c:1"}) == MQB_OK);
    std::filesystem::rename(dir / "a", dir / "old");
    CHECK(p.send({"c:2", "a/b:2"}) == MQB_RETRY);
    CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT});
    CHECK(p.send({"c:2", "a/b:2"}) == MQB_OK);
    CHECK(read_file(dir / "old/b") == "a/b:1\n");
    CHECK(read_file(dir / "a/b") == "a/b:2\n");
    CHECK(read_file(dir / "c") == "c:1\nc:2\n");
}

TEST_CASE("no more files are open than may be; one that was closed is gone on with") {
    scratch dir;
    const std::size_t before = open_files();
    files_under_test p(dir, R"("max_open_files":2)");
    std::string expected;
    for (int round = 0; round < 3; ++round) {
        CHECK(p.send({"a:1", "b:1", "c:1", "a:2", "d:1", "a:3"}) == MQB_OK);
        CHECK(p.outcomes == results(6, MQB_DONE));
        expected += "a:1\na:2\na:3\n";
        CHECK(open_files() <= before + 4);  // with a note beside each
    }
    CHECK(read_file(dir / "a") == expected);
    CHECK(read_file(dir / "b") == "b:1\nb:1\nb:1\n");
    // The ones that were written last are open.
    CHECK(files_of(dir) == std::vector<std::string>{"a", "a.writing", "b", "c", "d", "d.writing"});
}

TEST_CASE("fsync periodic: a file that is closed for want of room is on the disk before") {
    scratch dir;
    sync_under_test syncs;
    files_under_test p(dir, R"("max_open_files":1,"fsync":"periodic","fsync_interval_ms":3600000)");
    CHECK(p.send({"a:1"}) == MQB_OK);
    const std::size_t before = syncs.descriptors().size();
    CHECK(p.send({"b:1"}) == MQB_OK);
    CHECK(syncs.descriptors().size() > before);
}

TEST_CASE("a batch that one file has no room for is taken back from all of them, and comes again as it was") {
    scratch dir;
    files_under_test p(dir);
    p.send({"a:0", "big:0"});
    const std::string large = "big:" + std::string(200000, 'x');
    {
        const file_size_limit full(100000);
        CHECK(p.send({"a:1", "!", large, "a:2", "c:1", "b:1"}) == MQB_RETRY);
        CHECK(p.why.starts_with("cannot write to file target '" + (dir / "big") + "': "));
        CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT, MQB_AGAIN, MQB_AGAIN, MQB_UNSENT, MQB_UNSENT});
        CHECK(p.texts[0].ends_with("what went to other files was taken back"));
    }
    CHECK(read_file(dir / "a") == "a:0\n");
    CHECK(read_file(dir / "big") == "big:0\n");
    CHECK_FALSE(std::filesystem::exists(dir / "c"));
    CHECK(p.send({"a:1", large, "a:2", "c:1"}) == MQB_OK);
    CHECK(read_file(dir / "a") == "a:0\na:1\na:2\n");
    CHECK(read_file(dir / "big") == "big:0\n" + large + "\n");
}

TEST_CASE("what is taken back of the first batch of a CSV file takes its header along") {
    scratch dir;
    files_under_test p(dir, "", "csv");
    p.host.rendered = [&](std::string_view payload) -> std::optional<std::string> {
        return dir / (payload.size() > 1000 ? "big" : "small");
    };
    const std::string large = R"({"k":")" + std::string(200000, 'x') + "\"}";
    {
        const file_size_limit full(100000);
        CHECK(p.send({R"({"k":"1"})", large}) == MQB_RETRY);
    }
    CHECK(read_file(dir / "small").empty());
    CHECK(p.send({R"({"k":"1"})", R"({"k":"2"})"}) == MQB_OK);
    CHECK(read_file(dir / "small") == "k\n1\n2\n");
}

TEST_CASE("a file that cannot be synchronised is opened again, and what went to others comes again too") {
    scratch dir;
    sync_under_test syncs;
    files_under_test p(dir, R"("fsync":"batch")");
    p.send({"a:0", "b:0"});
    syncs.fail_next(EIO);
    CHECK(p.send({"a:1", "b:1"}) == MQB_DISCONNECTED);
    CHECK(p.why.starts_with("cannot synchronise file target '" + (dir / "a") + "': "));
    CHECK(p.connect() == "");
    CHECK(p.send({"a:1", "b:1"}) == MQB_OK);
    CHECK(read_file(dir / "a") == "a:0\na:1\n");
    CHECK(read_file(dir / "b") == "b:0\nb:1\n");
}

TEST_CASE("a file that was removed, or moved away, is begun anew") {
    scratch dir;
    files_under_test p(dir);
    p.send({"a:0", "b:0"});
    std::filesystem::rename(dir / "b", dir / "b.1");
    CHECK(p.send({"b:1"}) == MQB_OK);
    CHECK(read_file(dir / "b") == "b:1\n");
    std::filesystem::remove(dir / "a");
    CHECK(p.send({"b:2", "a:1"}) == MQB_DISCONNECTED);
    CHECK(p.connect() == "");
    CHECK(p.send({"b:2", "a:1"}) == MQB_OK);
    CHECK(read_file(dir / "a") == "a:1\n");
    CHECK(read_file(dir / "b") == "b:1\nb:2\n");
}

TEST_CASE("half a record of a publisher that was killed is cut from each file") {
    scratch dir;
    write_file(dir / "a", "a:0\n");
    {
        files_under_test other(dir);
        other.send({"a:1"});
        // As a kill leaves it.
        std::filesystem::copy_file(dir / "a.writing", dir / "note");
        write_file(dir / "a", "a:ha", true);
    }
    std::filesystem::rename(dir / "note", dir / "a.writing");
    files_under_test p(dir);
    CHECK(p.send({"a:2"}) == MQB_OK);
    CHECK(read_file(dir / "a") == "a:0\na:1\na:2\n");
    CHECK(p.host.warnings ==
          std::vector<std::string>{"file target '" + (dir / "a") + "': 4 bytes of a record that was not finished were cut from its end"});
}

TEST_CASE("a template is for an output of files") {
    CHECK(why_not(R"({"path":0})", MQB_SIDE_CONSUMER) == "path: an input is no template: there is no message whose values it could have");
    CHECK(why_not(R"({"path":0,"name_by":"source_position"})") == "name_by: parts have one directory; its path is no template");
    CHECK(why_not(R"({"path":0,"max_open_files":0})").starts_with("max_open_files: "));
    CHECK(why_not(R"({"path":0,"rolling":{"max_bytes":1000},"compression":"auto"})").empty());
}
