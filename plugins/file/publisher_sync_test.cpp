#include <cerrno>
#include <system_error>

#include "sync_under_test.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;

namespace {

std::string config(const std::string& path, const std::string& fsync) {
    return R"({"path":")" + path + R"(","format":"raw","fsync":)" + fsync + "}";
}

}  // namespace

TEST_CASE("fsync batch: a batch is on the disk before it is done") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("batch")"));
    p.connect();
    const std::size_t before = syncs.descriptors().size();  // of the note beside the file
    CHECK(p.send({"a", "b"}) == MQB_OK);
    CHECK(syncs.descriptors().size() == before + 1);
    CHECK(p.send({"c"}) == MQB_OK);
    CHECK(syncs.descriptors().size() == before + 2);
}

TEST_CASE("fsync batch: a batch that cannot be synchronised is taken back, and written again into a file that is opened again") {
    for (const int error : {EIO, ENOSPC}) {
        scratch dir;
        sync_under_test syncs;
        publisher_under_test p(config(dir / "out", R"("batch")"));
        p.connect();
        p.send({"a"});
        syncs.fail_next(error);
        CHECK(p.send({"b", "c"}) == MQB_DISCONNECTED);
        CHECK(p.why.starts_with("cannot synchronise file target '" + (dir / "out") + "': "));
        CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT});
        CHECK(read_file(dir / "out") == "a\n");
        CHECK(p.connect() == "");
        CHECK(p.send({"b", "c"}) == MQB_OK);
        CHECK(read_file(dir / "out") == "a\nb\nc\n");
    }
}

TEST_CASE("fsync: what is whole of a batch that cannot be taken back is on the disk before it is done") {
    const std::string large(400000, 'x');
    for (const int error : {0, EIO}) {
        scratch dir;
        sync_under_test syncs;
        publisher_under_test p(config(dir / "out", R"("batch")"));
        p.connect();
        const std::size_t before = syncs.descriptors().size();
        syncs.fail_cuts(EPERM);
        if (error != 0) syncs.fail_next(error);
        {
            const file_size_limit full(300000);
            CHECK(p.send({"a", "b", large, "c"}) == (error == 0 ? MQB_RETRY : MQB_DISCONNECTED));
        }
        CHECK(syncs.descriptors().size() == before + 1);
        CHECK(p.outcomes == (error == 0 ? results{MQB_DONE, MQB_DONE, MQB_UNCERTAIN, MQB_UNSENT}
                                        : results{MQB_UNCERTAIN, MQB_UNSENT, MQB_UNSENT, MQB_UNSENT}));
    }
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("periodic","fsync_interval_ms":1)"));
    p.connect();
    const std::size_t before = syncs.descriptors().size();
    syncs.fail_cuts(EPERM);
    const file_size_limit full(300000);
    CHECK(p.send({"a", large}) == MQB_RETRY);
    CHECK(p.outcomes == results{MQB_DONE, MQB_UNCERTAIN});
    syncs.wait_for(before + 1);
}

TEST_CASE("fsync: a folder that cannot be synchronised is told at the start, that of what a link means too") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("batch")")), off(config(dir / "off", R"("off")"));
    for (const int error : {EIO, EACCES}) {
        syncs.fail_folders(error);
        CHECK(p.connect() == std::to_string(error == EIO ? MQB_RETRY : MQB_BAD_CONFIG) + ": the folder of file target '" + (dir / "out") +
                                 "' cannot be synchronised, as `fsync` wants it: " + std::generic_category().message(error));
        CHECK(off.connect() == "");
    }
    syncs.fail_folders(EINVAL);  // a file system that has no such thing
    CHECK(p.connect() == "");
    syncs.fail_folders(0);
    std::filesystem::create_directory(dir / "far");
    std::filesystem::create_symlink("far/file", dir / "link");
    publisher_under_test linked(config(dir / "link", R"("batch")"));
    CHECK(linked.connect() == "");
    CHECK(std::filesystem::equivalent(syncs.last_folder(), dir / "far"));
}

TEST_CASE("fsync periodic: a message is done at once, and on the disk without another one") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("periodic","fsync_interval_ms":20)"));
    p.connect();
    const std::size_t before = syncs.descriptors().size();
    syncs.hold();
    CHECK(p.send({"a"}) == MQB_OK);
    syncs.wait_for(before + 1);
    CHECK(p.send({"b"}) == MQB_OK);  // beside the sync
    CHECK(p.outcomes == results{MQB_DONE});
    syncs.let_go();
    syncs.wait_for(before + 2);
    CHECK(read_file(dir / "out") == "a\nb\n");
}

TEST_CASE("fsync periodic: a sync that failed closes the file, says what it means, and is never tried again") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("periodic","fsync_interval_ms":1)"));
    p.connect();
    const std::size_t before = syncs.descriptors().size();
    syncs.fail_next(EIO);
    CHECK(p.send({"a"}) == MQB_OK);
    syncs.wait_for(before + 1);
    while (p.send({}) == MQB_OK) {}
    CHECK(p.send({"b"}) == MQB_DISCONNECTED);
    CHECK(p.why == "file target '" + (dir / "out") +
                       "': what was written in the last 1 ms, and is acknowledged, may not be on the disk: it cannot "
                       "be synchronised: Input/output error");
    CHECK(p.outcomes == results{MQB_UNSENT});
    CHECK(syncs.descriptors().size() == before + 1);
    CHECK(p.connect() == "");
    CHECK(p.host.warnings.empty());  // it was said already
    CHECK(p.send({"b"}) == MQB_OK);
    CHECK(read_file(dir / "out") == "a\nb\n");
}

TEST_CASE("fsync periodic: the end synchronises what is left, and says when that fails") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("periodic","fsync_interval_ms":3600000)"));
    p.connect();
    p.send({"a"});
    const std::size_t before = syncs.descriptors().size();
    syncs.fail_next(EIO);
    CHECK(p.connect() == "");
    CHECK(syncs.descriptors().size() > before);
    REQUIRE(p.host.warnings.size() == 1);
    CHECK(p.host.warnings.front().find("may not be on the disk") != std::string::npos);
}

TEST_CASE("fsync off never synchronises") {
    scratch dir;
    sync_under_test syncs;
    publisher_under_test p(config(dir / "out", R"("off")"));
    p.connect();
    p.send({"a"});
    CHECK(p.connect() == "");
    CHECK(syncs.descriptors().empty());
}
