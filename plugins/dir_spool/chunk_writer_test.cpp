#include "chunk_writer.hpp"

#include <sys/resource.h>
#include <csignal>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;

namespace {

struct place : scratch {
    explicit place(bool atomic = true, bool synced = true) : directory(spool()), writer(directory, files_of, atomic, synced, true) {
        directory.open(false);
    }
    int put(const std::string& chunk) {
        int error = writer.stage(chunk, "payload of " + chunk, "{}");
        if (error == 0) error = writer.sync();
        return error != 0 ? error : writer.publish();
    }
    spool_directory directory;
    chunk_files files_of{"bin", "json"};
    chunk_writer writer;
};

}  // namespace

TEST_CASE("a chunk has its name when it is whole") {
    for (const bool synced : {true, false}) {
        place dir(true, synced);
        CHECK(dir.writer.stage("1", "one", "{1}") == 0);
        CHECK(dir.writer.stage("2", "two", "{2}") == 0);
        CHECK(dir.writer.staged() == 2);
        CHECK(dir.files() == texts{"1.bin.tmp", "1.json.tmp", "2.bin.tmp", "2.json.tmp"});
        CHECK(dir.writer.sync() == 0);
        CHECK(dir.writer.publish() == 0);
        CHECK(dir.files() == texts{"1.bin", "1.json", "2.bin.tmp", "2.json.tmp"});
        CHECK(dir.writer.publish() == 0);
        CHECK(dir.writer.sync_directories() == 0);
        CHECK(dir.read("2.bin") == "two");
        CHECK(dir.read("2.json") == "{2}");
    }
}

TEST_CASE("in place a chunk has its name at once") {
    place dir(false);
    CHECK(dir.writer.most_staged() == 1);
    CHECK(dir.writer.stage("1", "one", "{}") == 0);
    CHECK(dir.files() == texts{"1.bin", "1.json"});
    CHECK(dir.writer.sync() == 0);
    CHECK(dir.writer.publish() == 0);
    CHECK(dir.writer.stage("1", "other", "{}") == EEXIST);
    CHECK(dir.read("1.bin") == "one");
    CHECK(dir.files() == texts{"1.bin", "1.json"});
}

TEST_CASE("nothing is ever written over, and what was begun is taken back") {
    place dir;
    dir.write("1.bin", "theirs");
    CHECK(dir.put("1") == EEXIST);
    CHECK(dir.files() == texts{"1.bin"});
    CHECK(dir.read("1.bin") == "theirs");
    dir.write("2.json", "theirs");
    CHECK(dir.put("2") == EEXIST);
    dir.write("3.bin.tmp", "theirs");
    CHECK(dir.put("3") == EEXIST);
    dir.write("4.json.tmp", "theirs");
    CHECK(dir.put("4") == EEXIST);
    CHECK(dir.files() == texts{"1.bin", "2.json", "3.bin.tmp", "4.json.tmp"});
    CHECK(dir.put("5") == 0);
    CHECK(dir.writer.stage("6", "", "") == 0);
    CHECK(dir.writer.stage("7", "", "") == 0);
    dir.writer.take_back_all();
    CHECK(dir.files() == texts{"1.bin", "2.json", "3.bin.tmp", "4.json.tmp", "5.bin", "5.json"});
}

TEST_CASE("a disk that is full leaves nothing of a chunk") {
    struct file_size_limit {
        file_size_limit() {
            ::getrlimit(RLIMIT_FSIZE, &before);
            handler = std::signal(SIGXFSZ, SIG_IGN);
            const rlimit now{100, before.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &now);
        }
        ~file_size_limit() {
            ::setrlimit(RLIMIT_FSIZE, &before);
            std::signal(SIGXFSZ, handler);
        }
        rlimit before{};
        void (*handler)(int) = SIG_DFL;
    };
    for (const bool atomic : {true, false}) {
        place dir(atomic);
        {
            const file_size_limit limit;
            CHECK(dir.writer.stage("1", std::string(101, 'x'), "{}") == EFBIG);
            CHECK(dir.writer.stage("2", "", std::string(101, 'x')) == EFBIG);
        }
        CHECK(dir.files().empty());
        CHECK(dir.put("1") == 0);
    }
}

TEST_CASE("shard directories are made when they are needed, and again when a reader removed them") {
    place dir;
    CHECK(dir.put("00/01/1") == 0);
    CHECK(dir.writer.sync_directories() == 0);
    CHECK(dir.files() == texts{"00/", "00/01/", "00/01/1.bin", "00/01/1.json"});
    fs::remove_all(dir / "00");
    CHECK(dir.put("00/01/2") == 0);
    CHECK(dir.has("00/01/2.bin"));
    // A chunk that is read and gone with its directory needs no synchronising any more.
    fs::remove_all(dir / "00");
    CHECK(dir.writer.sync_directories() == 0);
    fs::remove_all(dir.spool());
    CHECK(dir.put("00/01/3") == ENOENT);
    CHECK(dir.put("3") == ENOENT);
}
