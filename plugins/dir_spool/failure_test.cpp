// Every system call that changes a spool fails once: what is said of each message is true, whichever it was.
#include "failing_calls.hpp"

#include <set>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;
using mqb::sdk::status;

namespace {

constexpr const char* sharded = R"("shard_depth":1,"shard_width":2,"naming_pattern":"{seq:03}")";

// The payloads that a reader would get, and whether each has its sidecar.
std::multiset<std::string> readable(const scratch& dir) {
    std::multiset<std::string> all;
    for (const std::string& name : dir.chunks()) {
        if (!name.ends_with(".bin")) continue;
        CHECK(dir.has(name.substr(0, name.size() - 3) + "json"));
        all.insert(dir.read(name));
    }
    return all;
}

texts with(std::string_view call, const texts& all) {
    texts found;
    for (const std::string& one : all)
        if (one.starts_with(std::string(call) + ' ')) found.push_back(one.substr(call.size() + 1));
    return found;
}

}  // namespace

TEST_CASE("files are synchronised before they are renamed, sidecars renamed before payloads, directories synchronised once and last") {
    const scratch dir;
    producer p(dir.config(sharded));
    {
        const failing_calls watched;
        CHECK(p.put({"a", "b", "c"}) == results(3, MQB_DONE));
        const texts seen = watched.seen();
        CHECK(with("fsync", seen) ==
              texts{"00/0.bin.tmp", "00/0.json.tmp", "00/1.bin.tmp", "00/1.json.tmp", "00/2.bin.tmp", "00/2.json.tmp", "", "00"});
        CHECK(with("rename", seen) == texts{"00/0.json", "00/0.bin", "00/1.json", "00/1.bin", "00/2.json", "00/2.bin"});
        CHECK(with("mkdir", seen) == texts{"00"});
        const auto at = [&](const char* what) { return std::ranges::find(seen, what) - seen.begin(); };
        CHECK(at("fsync 00/2.json.tmp") < at("rename 00/0.json"));
        CHECK(at("rename 00/2.bin") < at("fsync 00"));
    }
    const failing_calls watched;
    CHECK(p.put({"d"}) == results{MQB_DONE});
    CHECK(with("fsync", watched.seen()) == texts{"00/3.bin.tmp", "00/3.json.tmp", "00"});
}

TEST_CASE("a marker of before is deleted before the first message, and is not back after a power cut") {
    const scratch dir;
    producer p(dir.config(sharded));
    p.put({"a"});
    dir.write("DONE", "");
    CHECK(p.connect() == status::done);
    {
        const failing_calls failing(1, EACCES);
        CHECK(p.put({"b"}) == results{MQB_AGAIN});
        CHECK(p.last == status::disconnected);
        CHECK(p.why == "spool '" + dir.spool() + "': cannot remove DONE: Permission denied");
        CHECK(failing.seen() == texts{"unlink DONE"});
    }
    CHECK(dir.chunks() == texts{"00/", "00/0.bin", "00/0.json", "DONE"});
    CHECK(p.connect() == status::done);
    const failing_calls watched;
    CHECK(p.put({"b"}) == results{MQB_DONE});
    CHECK(with("unlink", watched.seen()) == texts{"DONE"});
    CHECK(watched.seen().front() == "unlink DONE");
    CHECK(with("fsync", watched.seen()) == texts{"00/1.bin.tmp", "00/1.json.tmp", "", "00"});
    CHECK(readable(dir).size() == 2);
}

TEST_CASE("directories of a shard that somebody else made are synchronised when they are first used, and each time where others write") {
    constexpr const char* deep = R"("shard_depth":2,"shard_width":1,"naming_pattern":"{seq:03}")";
    const texts all{"", "0", "0/0"}, innermost{"0/0"};
    const auto directories = [](const failing_calls& watched) {
        texts found = with("fsync", watched.seen());
        std::erase_if(found, [](const std::string& name) { return name.ends_with(".tmp"); });
        return found;
    };
    for (const char* claim : {"exclusive", "warn", "off"}) {
        const scratch dir;
        fs::create_directories(dir / "0/0");  // by one that was killed
        producer p(dir.config(std::string(deep) + R"(,"claim":")" + claim + '"'));
        for (int i = 0; i < 3; ++i) {
            const failing_calls watched;
            CHECK(p.put({"x"}) == results{MQB_DONE});
            CHECK(directories(watched) == (i == 0 || std::string_view(claim) != "exclusive" ? all : innermost));
        }
        // Another spool under the path has other directories.
        fs::rename(dir.spool(), dir.folder + "/old");
        fs::create_directories(dir / "0/0");
        CHECK(p.put({"x"}) == results{MQB_UNSENT});
        CHECK(p.connect() == status::done);
        const failing_calls watched;
        CHECK(p.put({"x"}) == results{MQB_DONE});
        CHECK(directories(watched) == all);
    }
}

TEST_CASE("a spool that was made is not used before the directory above it is synchronised") {
    for (const int error : {EIO, EACCES}) {
        const scratch dir;
        const texts synced{"fsync " + fs::path(dir.folder).parent_path().string(), "fsync " + dir.folder};
        mqb::sdk::testing::publisher p(endpoint(), dir.config());
        {
            const failing_calls failing(2, error);
            CHECK(refused(p, error == EIO ? status::retry : status::bad_config)
                      .starts_with("cannot synchronise '" + dir.folder + "', in which '" + dir.spool() + "' was made: "));
            CHECK(failing.seen() == synced);
        }
        CHECK_FALSE(fs::exists(dir.spool()));
        const failing_calls watched;
        CHECK(p.connect() == status::done);
        CHECK(with("fsync", watched.seen()) == with("fsync", synced));
    }
    // What is there may have been made by one that was killed before.
    const scratch dir;
    fs::create_directories(dir.spool());
    mqb::sdk::testing::publisher p(endpoint(), dir.config());
    {
        const failing_calls failing(1, EIO);
        CHECK(refused(p, status::retry).starts_with("cannot synchronise '" + dir.folder + "', in which"));
    }
    {
        // Whoever may not read the directory above did not make this one in it.
        const failing_calls failing(1, EACCES);
        CHECK(p.connect() == status::done);
    }
    mqb::sdk::testing::publisher off(endpoint(), dir.config(R"("fsync":"off","claim":"off")"));
    const failing_calls watched;
    CHECK(off.connect() == status::done);
    CHECK(with("fsync", watched.seen()).empty());
}

TEST_CASE("without fsync nothing is synchronised") {
    const scratch dir;
    producer p(dir.config(R"("fsync":"off")"));
    reader r(dir.config(R"("fsync":"off")"));
    const failing_calls watched;
    CHECK(p.put({"a", "b"}) == results(2, MQB_DONE));
    CHECK(r.drain() == texts{"a", "b"});
    CHECK(with("fsync", watched.seen()).empty());
}

TEST_CASE("a reader deletes the payload first, and synchronises a directory once for an acknowledgement") {
    const scratch dir;
    producer(dir.config(sharded)).put({"a", "b"});
    reader r(dir.config(sharded));
    auto call = r.get();
    const failing_calls watched;
    r.settle_all(*call);
    CHECK(watched.seen() == texts{"unlink 00/0.bin", "unlink 00/0.json", "unlink 00/1.bin", "unlink 00/1.json", "fsync 00", "unlink 00"});
    r.free_batch(*call);
}

TEST_CASE("whatever fails while a batch is written: what is done is there, what is not is not, and sent again all is there once") {
    for (const char* more : {R"("fsync":"chunk")", R"("fsync":"off")", R"("fsync":"chunk","atomic":false)"})
        for (const int error : {ENOSPC, EIO, ENOENT, EEXIST}) {
            bool was_reached = true;
            for (unsigned nth = 1; was_reached; ++nth) {
                const scratch dir;
                producer p(dir.config(std::string(sharded) + "," + more));
                texts rest;
                for (int i = 0; i < 17; ++i) rest.push_back("payload " + std::to_string(i));
                INFO(more, " ", nth, " ", error);
                std::multiset<std::string> done, uncertain;
                results said;
                {
                    const failing_calls failing(nth, error);
                    said = p.put(rest);
                    was_reached = failing.counted() >= nth;
                }
                texts again;
                for (std::size_t i = 0; i < said.size(); ++i) {
                    if (said[i] == MQB_DONE) done.insert(rest[i]);
                    if (said[i] == MQB_UNCERTAIN) uncertain.insert(rest[i]);
                    if (said[i] != MQB_DONE) again.push_back(rest[i]);
                }
                CHECK(std::ranges::is_sorted(said, [](int a, int b) { return (a == MQB_DONE) > (b == MQB_DONE); }));
                // A call that takes something back may be the one that failed: then there is more on the disk, not less.
                std::multiset<std::string> there = readable(dir);
                for (const std::string& one : done) CHECK(there.contains(one));
                if (uncertain.empty()) CHECK(there == done);
                CHECK((p.last == status::done) == again.empty());
                if (p.last == status::disconnected) CHECK(p.connect() == status::done);
                if (!again.empty()) CHECK(p.put(again) == results(again.size(), MQB_DONE));
                there = readable(dir);
                CHECK(there.size() == 17 + uncertain.size());
                for (const std::string& one : rest) CHECK(there.count(one) == (uncertain.contains(one) ? 2u : 1u));
                for (const std::string& name : dir.chunks()) CHECK_FALSE(name.ends_with(".tmp"));
            }
        }
}

TEST_CASE("what was deleted is not deleted again when its name has come back meanwhile") {
    const scratch dir;
    producer(dir.config()).put({"old"});
    reader r(dir.config());
    auto call = r.get();
    {
        const failing_calls failing(3, EIO);  // the synchronisation behind both files
        CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_RETRY});
    }
    producer(dir.config()).put({"new"});
    CHECK(dir.read("000000000.bin") == "new");
    CHECK(r.settle(call->raw().batch, {0}) == results{MQB_SETTLE_OK});
    r.free_batch(*call);
    CHECK(r.drain() == texts{"new"});
}

TEST_CASE("whatever fails while chunks are deleted: what is recorded is gone, the rest is deleted when it is asked again") {
    for (const int error : {EIO, EACCES, EBUSY}) {
        bool was_reached = true;
        for (unsigned nth = 1; was_reached; ++nth) {
            const scratch dir;
            producer(dir.config(sharded)).put({"a", "b", "c"});
            reader r(dir.config(sharded));
            auto call = r.get();
            REQUIRE(call->size() == 3);
            INFO(nth, " ", error);
            results said;
            {
                const failing_calls failing(nth, error);
                said = r.settle(call->raw().batch, {0, 1, 2});
                was_reached = failing.counted() >= nth;
            }
            std::vector<std::uint32_t> again;
            for (std::uint32_t i = 0; i < 3; ++i) {
                if (said[i] == MQB_SETTLE_OK) CHECK_FALSE(dir.has("00/" + std::to_string(i) + ".bin"));
                if (said[i] != MQB_SETTLE_OK) again.push_back(i);
            }
            if (!again.empty()) CHECK(r.settle(call->raw().batch, again) == results(again.size(), MQB_SETTLE_OK));
            r.free_batch(*call);
            CHECK(r.drain().empty());
            // A sidecar that could not be deleted is the next producer's; it is no message.
            for (const std::string& name : dir.chunks()) CHECK_FALSE(name.ends_with(".bin"));
        }
    }
}
