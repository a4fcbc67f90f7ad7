#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

// A route from files into parts, as it goes over several starts.
struct route {
    std::string input;
    scratch dir;
    std::uint64_t wall = 1'000'000'000;

    std::string in(const std::string& name) const { return dir / name.c_str(); }

    struct run {
        run(route& of, bool drain = false)
            : reader(R"({"path":")" + of.in("in") + R"(","format":"raw","source_metadata":true)" + of.input + "}", drain),
              writer(R"({"path":")" + of.in("parts") + R"(","format":"raw","name_by":"source_position"})") {
            reader.host.wall = of.wall += 1'000'000'000;
            CHECK(writer.connect() == "");
        }
        // Until nothing comes; of the last batch only so many are acknowledged.
        void pass(std::uint32_t acknowledged = 512) {
            reader.host.time += 1'000'000'000;
            while (reader.receive() == MQB_OK && reader.batch != nullptr) {
                texts payloads, blocks;
                for (const letter& one : reader.got) payloads.push_back(one.payload), blocks.push_back(one.block);
                CHECK(writer.send(payloads, blocks) == MQB_OK);
                reader.settle(std::min<std::uint32_t>(acknowledged, static_cast<std::uint32_t>(payloads.size())));
                reader.free_batch();
                if (acknowledged < payloads.size()) return;
            }
        }
        consumer_under_test reader;
        publisher_under_test writer;
    };

    // All records of all parts.
    texts written() const {
        texts all;
        for (const auto& one : fs::directory_iterator(in("parts"))) {
            std::ifstream part(one.path());
            for (std::string line; std::getline(part, line);) all.push_back(line);
        }
        std::sort(all.begin(), all.end());
        return all;
    }
};

}  // namespace

TEST_CASE("what comes to a file whose records are deleted is in the parts after each start") {
    route way{R"(,"delete":true)", {}};
    write_file(way.in("in"), "1\n2\n3\n");
    {
        route::run first(way);
        CHECK(first.reader.connect() == "");
        first.pass();
    }
    CHECK(read_file(way.in("in")).empty());
    write_file(way.in("in"), "4\n5\n6\n");
    {
        route::run second(way);
        CHECK(second.reader.connect() == "");
        second.pass(1);
    }
    route::run third(way);
    CHECK(third.reader.connect() == "");
    third.pass();
    texts found = way.written();
    found.erase(std::unique(found.begin(), found.end()), found.end());
    CHECK(found == texts{"1", "2", "3", "4", "5", "6"});
}

TEST_CASE("a file that was not there at the first connect is in the parts once") {
    route way{"", {}};
    for (int start = 0; start < 2; ++start) {
        route::run one(way);
        if (start == 0) {
            CHECK(one.reader.connect().starts_with("2: cannot open"));
            CHECK(one.reader.connect().starts_with("2: cannot open"));
            write_file(way.in("in"), "1\n2\n");
        }
        CHECK(one.reader.connect() == "");
        one.pass();
        if (start == 0) continue;
        // What the path names next has the numbers of the first.
        fs::rename(way.in("in"), way.in("in.1"));
        write_file(way.in("in"), "3\n4\n");
        one.pass();
        one.pass();
    }
    CHECK(way.written() == texts{"1", "2", "3", "4"});
}

TEST_CASE("files of a pattern are in the parts once, however many there are and whenever they came") {
    scratch dir;
    const auto pass = [&](std::uint64_t wall, auto during) {
        consumer_under_test reader(R"({"path":")" + (dir / "*.log") + R"(","format":"raw","source_metadata":true})", false);
        publisher_under_test writer(R"({"path":")" + (dir / "parts") + R"(","format":"raw","name_by":"source_position"})");
        reader.host.wall = wall;
        CHECK(reader.connect() == "");
        CHECK(writer.connect() == "");
        const auto all = [&] {
            reader.host.time += 1'000'000'000;
            for (const letter& one : reader.letters()) CHECK(writer.send({one.payload}, {one.block}) == MQB_OK);
        };
        all();
        during();
        all();
    };
    const auto written = [&] {
        std::string all;
        texts parts;
        for (const auto& one : fs::directory_iterator(dir / "parts")) parts.push_back(read_file(one.path().string()));
        std::sort(parts.begin(), parts.end());
        for (const std::string& one : parts) all += one.substr(0, one.size() - 1) + " ";
        return all;
    };
    write_file(dir / "a.log", "1\n2\n");
    write_file(dir / "b.log", "3\n");
    pass(1'000'000'000, [&] { write_file(dir / "c.log", "4\n5\n"); });
    CHECK(written() == "1 2 3 4 5 ");
    pass(2'000'000'000, [] {});
    CHECK(written() == "1 2 3 4 5 ");
    // What stands under a name for the second time, after a cut or as another file, is no repeat.
    pass(3'000'000'000, [&] {
        write_file(dir / "a.log", "6\n");
        fs::rename(dir / "b.log", dir / "b.old");
        write_file(dir / "b.log", "7\n");
    });
    CHECK(written() == "1 2 3 4 5 6 7 ");
}
