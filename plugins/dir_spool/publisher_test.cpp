#include <sys/resource.h>
#include <sys/stat.h>
#include <csignal>

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;
using mqb::sdk::status;

namespace {

// Files of this process may not grow beyond this: a disk that is full for some.
struct file_size_limit {
    explicit file_size_limit(rlim_t size) {
        ::getrlimit(RLIMIT_FSIZE, &before);
        before_handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit now{size, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~file_size_limit() {
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, before_handler);
    }
    rlimit before{};
    void (*before_handler)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("each message becomes a payload and a sidecar") {
    const scratch dir;
    producer p(dir.config());
    CHECK(p.put({"one", "", std::string("\0\xff", 2)}) == results{MQB_DONE, MQB_DONE, MQB_DONE});
    CHECK(p.last == status::done);
    CHECK(dir.files() ==
          texts{"000000000.bin", "000000000.json", "000000001.bin", "000000001.json", "000000002.bin", "000000002.json", "PRODUCER"});
    CHECK(dir.read("000000000.bin") == "one");
    CHECK(dir.read("000000000.json") == R"({"message_id":"00000000-0000-0000-0000-000000000001","metadata":{}})");
    CHECK(dir.read("000000002.bin") == std::string("\0\xff", 2));
    CHECK(p.put({}) == results{});
    CHECK(p.last == status::done);
}

TEST_CASE("more messages than are written together keep their order") {
    const scratch dir;
    producer p(dir.config(R"("fsync":"off","metadata_extension":"","naming_pattern":"{seq:03}")"));
    texts all;
    for (int i = 0; i < 100; ++i) all.push_back(std::to_string(i));
    CHECK(p.put(all) == results(100, MQB_DONE));
    for (int i = 0; i < 100; ++i) CHECK(dir.read(std::to_string(1000 + i).substr(1) + ".bin") == std::to_string(i));
    CHECK(dir.chunks().size() == 100);
}

TEST_CASE("the sequence goes on behind the highest number, and at 0 in an empty spool") {
    const scratch dir;
    { producer(dir.config()).put({"a"}); }
    { producer(dir.config()).put({"b"}); }
    CHECK(dir.chunks() == texts{"000000000.bin", "000000000.json", "000000001.bin", "000000001.json"});
    fs::remove_all(dir.spool());
    { producer(dir.config()).put({"c"}); }
    CHECK(dir.chunks() == texts{"000000000.bin", "000000000.json"});
    dir.write("999999999.bin", "");
    producer p(dir.config());
    p.put({"d"});
    CHECK(dir.has("1000000000.bin"));
    CHECK(std::ranges::count_if(p.host.events(), [](const auto& e) {
              return e.kind == MQB_WARN &&
                     e.text.find("number 1000000000 has more digits than naming_pattern {seq:09}") != std::string::npos;
          }) == 1);
    p.put({"e", "f"});
    CHECK(std::ranges::count_if(p.host.events(), [](const auto& e) { return e.kind == MQB_WARN; }) == 1);
}

TEST_CASE("a spool whose numbers are used up is refused") {
    const scratch dir;
    dir.write("18446744073709551615.bin", "");
    mqb::sdk::testing::publisher p(endpoint(), dir.config());
    CHECK(refused(p, status::bad_config).find("has a chunk with the number 18446744073709551615, behind which there is none") !=
          std::string::npos);
    fs::remove(dir / "18446744073709551615.bin");
    dir.write("18446744073709551613.bin", "");
    CHECK(p.connect() == status::done);
    const auto sent = p.send({numbered("a", 1), numbered("b", 2), numbered("c", 3)});
    CHECK(sent->outcomes[0].result == MQB_DONE);
    CHECK(sent->outcomes[1].result == MQB_DONE);
    CHECK(sent->outcomes[2].result == MQB_AGAIN);
    CHECK(dir.read("18446744073709551615.bin") == "b");
}

TEST_CASE("shards, times and ids are in the names") {
    const scratch dir;
    producer p(dir.config(
        R"("shard_depth":2,"shard_width":2,"naming_pattern":"{seq:06}-{message_id}","payload_extension":".dat","metadata_extension":"meta")"));
    p.put({"a"});
    CHECK(dir.chunks() == texts{"00/", "00/00/", "00/00/00-00000000-0000-0000-0000-000000000001.dat",
                                "00/00/00-00000000-0000-0000-0000-000000000001.meta"});
    const scratch timed;
    producer t(timed.config(R"("naming_pattern":"{seq:02}_{timestamp}","metadata_extension":"")"));
    t.put({"a"});
    const std::string name = timed.chunks().at(0);
    CHECK(name.starts_with("00_1"));
    CHECK(name.size() == std::string("00_1700000000000.bin").size());
}

TEST_CASE("opening removes what a dead producer left, and says how much") {
    const scratch dir;
    for (const char* name : {"000000000.bin", "000000000.json", "000000001.bin.tmp", "000000001.json.tmp", "000000002.json"})
        dir.write(name, "");
    {
        producer p(dir.config());
        CHECK(dir.chunks() == texts{"000000000.bin", "000000000.json"});
        CHECK(p.host.count_lines(MQB_LOG_WARNING, "had left: 2 unfinished files, 1 sidecars without a payload") == 1);
        p.put({"next"});
        CHECK(dir.has("000000003.bin"));
    }
    // Where others may write beside it nobody knows whose files they are, whoever holds the claim.
    for (const char* mode : {"warn", "off"}) {
        dir.write("000000007.bin.tmp", "");
        dir.write("000000007.json", "");
        producer p(dir.config(std::string(R"("claim":")") + mode + '"'));
        CHECK(dir.has("PRODUCER") == (std::string_view(mode) == "warn"));
        CHECK(dir.has("000000007.bin.tmp"));
        CHECK(dir.has("000000007.json"));
        CHECK(p.host.count_lines(MQB_LOG_WARNING, "had left") == 0);
        p.put({"x"});
        CHECK(dir.has("000000008.bin"));
        for (const char* end : {".bin", ".json"}) fs::remove(dir / (std::string("000000008") + end));
    }
}

TEST_CASE("the marker is written at the end that was asked for") {
    const auto has_marker = [](const std::string& more, bool completes, bool sends_after = false) {
        const scratch dir;
        {
            producer p(dir.config(more));
            p.put({"a"});
            CHECK(p.ask("nothing.known") == status::unsupported);
            if (completes) CHECK(p.ask("input.ended") == status::done);
            if (sends_after) p.put({"b"});
            CHECK_FALSE(dir.has("DONE"));
        }
        return dir.has("DONE");
    };
    CHECK_FALSE(has_marker("", true));
    CHECK(has_marker(R"("emit_done":"end")", false));
    CHECK(has_marker(R"("emit_done":"success")", true));
    CHECK_FALSE(has_marker(R"("emit_done":"success")", false));
    CHECK_FALSE(has_marker(R"("emit_done":"success")", true, true));
    CHECK_FALSE(has_marker(R"("emit_done":"end","done_file":"OTHER")", false));
    // Who never had the spool says nothing about it.
    const scratch dir;
    producer first(dir.config());
    {
        mqb::sdk::testing::publisher second(endpoint(), dir.config(R"("emit_done":"end")"));
        CHECK(second.connect() == status::bad_config);
    }
    CHECK_FALSE(dir.has("DONE"));
}

TEST_CASE("the marker of before is deleted by the first message and by nothing else") {
    for (const char* mode : {"never", "success", "end"}) {
        const std::string config = std::string(R"("emit_done":")") + mode + '"';
        const scratch dir;
        const auto marker = [&] { return dir.has("DONE") ? dir.read("DONE") : "none"; };
        const auto tried_out = [&](bool flushes) {
            producer p(dir.config(config));
            if (flushes) CHECK(p.put({}) == results{});
        };
        tried_out(false);
        tried_out(true);
        CHECK(dir.chunks().empty());
        dir.write("DONE", "theirs");
        tried_out(false);
        tried_out(true);
        CHECK(marker() == "theirs");
        {
            producer p(dir.config(config));
            CHECK(marker() == "theirs");
            CHECK(p.put({"a"}) == results{MQB_DONE});
            CHECK(marker() == "none");
            // A connection that is made again has a marker to delete again.
            dir.write("DONE", "theirs");
            CHECK(p.connect() == status::done);
            CHECK(marker() == "theirs");
            CHECK(p.put({"b"}) == results{MQB_DONE});
            CHECK(marker() == "none");
        }
        CHECK(dir.has("DONE") == (std::string_view(mode) == "end"));
    }
}

TEST_CASE("an input that had nothing is at its end too") {
    for (const char* mode : {"never", "success", "end"}) {
        const scratch dir;
        {
            producer p(dir.config(std::string(R"("emit_done":")") + mode + '"'));
            CHECK(p.ask("input.ended") == status::done);
        }
        CHECK(dir.has("DONE") == (std::string_view(mode) != "never"));
    }
}

TEST_CASE("a second producer is refused, warned, or nothing") {
    const scratch dir;
    producer first(dir.config());
    mqb::sdk::testing::publisher second(endpoint(), dir.config());
    CHECK(refused(second, status::bad_config) == "spool '" + dir.spool() + "' has a producer already: process " +
                                                     std::to_string(::getpid()) + " holds " + dir.spool() + "/PRODUCER");
    producer warned(dir.config(R"("claim":"warn")")), off(dir.config(R"("claim":"off")")), renamed(dir.config(R"("producer_file":"P2")"));
    CHECK(warned.host.count_lines(MQB_LOG_WARNING, "has a producer already") == 1);
    CHECK(off.host.count_lines(MQB_LOG_WARNING, "") == 0);
    // However they interleave, no chunk replaces another.
    for (int i = 0; i < 5; ++i)
        for (producer* p : {&first, &warned, &off, &renamed}) CHECK(p->put({"x", "y"}) == results{MQB_DONE, MQB_DONE});
    texts payloads = dir.chunks();
    std::erase_if(payloads, [](const std::string& name) { return !name.ends_with(".bin"); });
    CHECK(payloads.size() == 40);
}

TEST_CASE("a claim that its holder left behind is taken over") {
    const scratch dir;
    dir.write("PRODUCER", "1\n");
    producer p(dir.config());
    CHECK(dir.read("PRODUCER") == std::to_string(::getpid()) + "\n");
}

TEST_CASE("what is written before the disk is full is done, the rest comes again") {
    for (const char* more : {R"("fsync":"off")", R"("atomic":false)", R"("metadata_extension":"")"}) {
        const scratch dir;
        producer p(dir.config(more));
        {
            const file_size_limit limit(200);
            CHECK(p.put({"a", "b", std::string(201, 'x'), "d"}) == results{MQB_DONE, MQB_DONE, MQB_AGAIN, MQB_UNSENT});
            CHECK(p.last == status::retry);
            CHECK(p.why == "cannot write to spool '" + dir.spool() + "': File too large");
        }
        texts left = dir.chunks();
        std::erase_if(left, [](const std::string& name) { return name.ends_with(".json"); });
        CHECK(left == texts{"000000000.bin", "000000001.bin"});
        CHECK(p.put({std::string(201, 'x'), "d"}) == results{MQB_DONE, MQB_DONE});
        CHECK(dir.read("000000003.bin") == "d");
    }
}

TEST_CASE("a spool that is removed or replaced is a lost connection, and made anew") {
    const scratch dir;
    producer p(dir.config());
    p.put({"a"});
    fs::rename(dir.spool(), dir.folder + "/old");
    CHECK(p.put({"b"}) == results{MQB_UNSENT});
    CHECK(p.last == status::disconnected);
    CHECK(p.why == "spool '" + dir.spool() + "' was removed");
    CHECK(p.connect() == status::done);
    CHECK(p.put({"b"}) == results{MQB_DONE});
    CHECK(dir.files() == texts{"000000000.bin", "000000000.json", "PRODUCER"});
    CHECK(dir.read("000000000.bin") == "b");
}

TEST_CASE("a path that cannot be a spool is refused") {
    const scratch dir;
    fs::create_directories(dir.spool());
    dir.write("file", "");
    for (const char* path : {"file", "file/below"}) {
        mqb::sdk::testing::publisher p(endpoint(), R"({"path":")" + (dir / path) + "\"}");
        CHECK(refused(p, status::bad_config) == "spool '" + (dir / path) + "' is not a directory");
    }
    producer deep(R"({"path":")" + (dir / "a/b/c/") + "\"}");
    CHECK(deep.put({"x"}) == results{MQB_DONE});
    CHECK(dir.has("a/b/c/000000000.bin"));
    fs::create_directory(dir / "DONE");
    mqb::sdk::testing::publisher p(endpoint(), dir.config());
    CHECK(refused(p, status::bad_config).find("cannot remove DONE: Is a directory") != std::string::npos);
}

TEST_CASE("what is renamed is no longer there when a reader has it, whatever is synchronised after") {
    const scratch dir;
    producer p(dir.config(R"("shard_depth":1,"shard_width":1)"));
    reader r(dir.config(R"("shard_depth":1,"shard_width":1)"));
    for (int i = 0; i < 50; ++i) {
        CHECK(p.put({"x"}) == results{MQB_DONE});
        CHECK(r.drain() == texts{"x"});
    }
    CHECK(dir.chunks().empty());
}
