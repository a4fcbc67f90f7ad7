#include <mqb/plugin.h>
#include <mqb/sdk/metadata_writer.hpp>

#include "sync_under_test.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;
using names = std::vector<std::string>;

namespace {

std::string config(const std::string& path, const std::string& format = "raw", const std::string& more = "") {
    return R"({"path":")" + path + R"(","format":")" + format + R"(","name_by":"source_position")" + more + "}";
}

// A message at a position of a source; -1: it says none.
struct positioned {
    std::int64_t number;
    std::string payload;
    const char* source = "in";
};

struct parts_publisher : publisher_under_test {
    using publisher_under_test::publisher_under_test;
    mqb_status send(const std::vector<positioned>& messages) {
        std::vector<std::string> payloads, metadata;
        for (const positioned& one : messages) {
            mqb::sdk::metadata_block block;
            if (one.number >= 0) block.text("mqb.src.file_path", one.source).number("mqb.src.file_record", one.number);
            payloads.push_back(one.payload);
            metadata.emplace_back(mqb::sdk::view(block.view().raw()));
        }
        return publisher_under_test::send(payloads, metadata);
    }
};

// What the parts hold, by first and last number: "0-2:abc".
names parts_of(const scratch& dir) {
    names all;
    for (const auto& one : std::filesystem::directory_iterator(dir / "parts")) {
        const std::string name = one.path().filename().string();
        const std::size_t at = name.rfind('-') - 20;
        std::string text = read_file(one.path().string());
        std::erase(text, '\n');
        all.push_back(std::to_string(std::stoul(name.substr(at, 20))) + "-" + std::to_string(std::stoul(name.substr(at + 21, 20))) + ":" +
                      text);
    }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

TEST_CASE("parts: a batch is a part, and what comes again is not written again") {
    scratch dir;
    const std::vector<positioned> batch{{0, "a"}, {1, "b"}, {2, "c"}};
    {
        parts_publisher p(config(dir / "parts"));
        CHECK(p.connect() == "");
        CHECK(p.send(batch) == MQB_OK);
        CHECK(p.outcomes == results(3, MQB_DONE));
        CHECK(p.send({{3, "d"}}) == MQB_OK);
        CHECK(parts_of(dir) == names{"0-2:abc", "3-3:d"});
        CHECK(p.send(batch) == MQB_OK);
        CHECK(p.outcomes == results(3, MQB_DONE));
    }
    parts_publisher again(config(dir / "parts"));
    again.connect();
    CHECK(again.send({{1, "b"}, {2, "c"}, {3, "d"}, {4, "e"}}) == MQB_OK);
    CHECK(again.outcomes == results(4, MQB_DONE));
    CHECK(parts_of(dir) == names{"0-2:abc", "3-3:d", "4-4:e"});
}

TEST_CASE("parts: a gap, another source and a repeat inside a batch end a part") {
    scratch dir;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    CHECK(p.send({{0, "a"}, {1, "b"}, {5, "c"}, {6, "d"}, {6, "d"}, {7, "e"}, {8, "x", "other"}, {9, "y", "other"}, {2, "z"}}) == MQB_OK);
    CHECK(p.outcomes == results(9, MQB_DONE));
    CHECK(parts_of(dir) == names{"0-1:ab", "2-2:z", "5-6:cd", "7-7:e", "8-9:xy"});
    // What failed on the way and comes late is in no part, and is written.
    CHECK(p.send({{3, "l"}, {4, "m"}, {5, "c"}}) == MQB_OK);
    CHECK(parts_of(dir) == names{"0-1:ab", "2-2:z", "3-4:lm", "5-6:cd", "7-7:e", "8-9:xy"});
}

TEST_CASE("parts: what is refused is in no part") {
    scratch dir;
    parts_publisher p(config(dir / "parts", "csv", R"(,"max_message_bytes":12)"));
    p.connect();
    CHECK(p.send({{0, R"({"a":1})"}, {1, "{}"}, {2, R"({"a":2})"}, {3, R"({"a":"long long"})"}, {4, R"({"a":3})"}}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_DONE, MQB_REFUSED, MQB_DONE, MQB_REFUSED, MQB_DONE});
    CHECK(p.texts[1] == "file target '" + (dir / "parts") + "': CSV format requires a non-empty JSON object payload");
    CHECK(parts_of(dir) == names{"0-0:a1", "2-2:a2", "4-4:a3"});
}

TEST_CASE("parts: large records and parts are written in pieces") {
    scratch dir;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    std::vector<positioned> batch;
    std::string expected = "0-59:";
    for (int i = 0; i < 60; ++i) {
        batch.push_back({i, std::string(static_cast<std::size_t>(i * i * 100), static_cast<char>('a' + i % 26))});
        expected += batch.back().payload;
    }
    CHECK(p.send(batch) == MQB_OK);
    CHECK(parts_of(dir) == names{expected});
}

TEST_CASE("parts: when the disk is full, the parts before are done and nothing is left of the one that had no room") {
    scratch dir;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    const std::vector<positioned> batch{{0, "a"}, {1, "b"}, {5, std::string(5000, 'x')}, {6, "y"}};
    {
        const file_size_limit limit(1000);
        CHECK(p.send(batch) == MQB_RETRY);
        CHECK(p.outcomes == results{MQB_DONE, MQB_DONE, MQB_AGAIN, MQB_UNSENT});
        CHECK(p.why == "file target '" + (dir / "parts") + "': cannot write a part: File too large");
        CHECK(parts_of(dir) == names{"0-1:ab"});
    }
    CHECK(p.send({batch[2], batch[3]}) == MQB_OK);
    CHECK(parts_of(dir) == names{"0-1:ab", "5-6:" + std::string(5000, 'x') + "y"});
}

TEST_CASE("parts: a message without a position stops the route, and what is before it is written") {
    scratch dir;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    CHECK(p.send({{0, "a"}, {-1, "b"}, {1, "c"}}) == MQB_BAD_CONFIG);
    CHECK(p.outcomes == results{MQB_DONE, MQB_UNSENT, MQB_UNSENT});
    CHECK(
        p.why.ends_with("`name_by: source_position` needs the source position of each message in its metadata; a file input gives it with "
                        "`source_metadata: true`"));
    CHECK(parts_of(dir) == names{"0-0:a"});
}

TEST_CASE("parts: a part gets its name when it is on the disk, and none when it cannot be") {
    scratch dir;
    sync_under_test syncs;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    CHECK(p.send({{0, "a"}, {2, "b"}}) == MQB_OK);
    CHECK(syncs.descriptors().size() == 2);
    syncs.fail_next(EIO);
    CHECK(p.send({{3, "c"}, {5, "d"}}) == MQB_DISCONNECTED);
    CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT});
    CHECK(parts_of(dir) == names{"0-0:a", "2-2:b"});
    CHECK(p.connect() == "");
    CHECK(p.send({{3, "c"}, {5, "d"}}) == MQB_OK);
    CHECK(parts_of(dir) == names{"0-0:a", "2-2:b", "3-3:c", "5-5:d"});
}

TEST_CASE("parts: with fsync nothing is done before the directory is synchronised, and what comes again is when it is") {
    scratch dir;
    sync_under_test syncs;
    const std::vector<positioned> batch{{0, "a"}, {1, "b"}, {5, std::string(5000, 'x')}};
    parts_publisher p(config(dir / "new/parts", "raw", R"(,"fsync":"batch","max_message_bytes":6000)"));
    syncs.fail_folders(EIO);
    CHECK(p.connect() == std::to_string(MQB_RETRY) + ": the folder of '" + (dir / "new") +
                             "' cannot be synchronised, as `fsync` wants it: Input/output error");
    CHECK(p.connect().starts_with(std::to_string(MQB_RETRY)));  // the folder is there now
    syncs.fail_folders(0);
    CHECK(p.connect() == "");
    syncs.fail_folders(EIO);
    CHECK(p.send(batch) == MQB_DISCONNECTED);
    CHECK(p.outcomes == results{MQB_UNCERTAIN, MQB_UNSENT, MQB_UNSENT});
    CHECK(p.why == "file target '" + (dir / "new/parts") + "': the directory cannot be synchronised: Input/output error");
    CHECK(p.send({{0, "a"}}) == MQB_DISCONNECTED);
    {
        const file_size_limit full(1000);
        CHECK(p.send({{0, "a"}, {6, std::string(5000, 'y')}}) == MQB_DISCONNECTED);
        CHECK(p.outcomes == results{MQB_UNCERTAIN, MQB_UNSENT});
        syncs.fail_folders(0);
        CHECK(p.send({{0, "a"}, {6, std::string(5000, 'y')}}) == MQB_RETRY);
        CHECK(p.outcomes == results{MQB_DONE, MQB_AGAIN});
    }
    syncs.fail_folders(EIO);
    CHECK(p.send({{2, std::string(7000, 'z')}, {-1, "none"}}) == MQB_DISCONNECTED);
    CHECK(p.outcomes == results{MQB_UNCERTAIN, MQB_UNSENT});
    syncs.fail_folders(EINVAL);  // a file system that has no such thing
    CHECK(p.send(batch) == MQB_OK);
    CHECK(p.outcomes == results(3, MQB_DONE));
}

TEST_CASE("parts: a directory that is removed is made again") {
    scratch dir;
    parts_publisher p(config(dir / "parts"));
    p.connect();
    p.send({{0, "a"}});
    std::filesystem::remove_all(dir / "parts");
    CHECK(p.send({{1, "b"}}) == MQB_DISCONNECTED);
    CHECK(p.outcomes == results{MQB_AGAIN});
    CHECK(p.connect() == "");
    CHECK(p.send({{1, "b"}}) == MQB_OK);
    CHECK(parts_of(dir) == names{"1-1:b"});
}
