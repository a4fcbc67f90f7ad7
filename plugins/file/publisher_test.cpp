#include <unistd.h>

#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;

namespace {

std::string config(const std::string& path, const std::string& more = R"("format":"raw")") {
    return R"({"path":")" + path + "\"," + more + "}";
}

std::string refused(const std::string& configuration) {
    try {
        publisher_under_test p(configuration);
        return p.connect();
    } catch (const std::runtime_error& e) { return e.what(); }
}

}  // namespace

TEST_CASE("batches are appended in order, in every format") {
    scratch dir;
    publisher_under_test raw(config(dir / "raw"));
    CHECK(raw.connect() == "");
    CHECK(raw.send({"a", "", "b\r"}) == MQB_OK);
    CHECK(raw.outcomes == results{MQB_DONE, MQB_DONE, MQB_DONE});
    CHECK(raw.send({"c"}) == MQB_OK);
    CHECK(raw.send({}) == MQB_OK);
    CHECK(read_file(dir / "raw") == "a\n\nb\r\nc\n");

    publisher_under_test normal(config(dir / "normal", R"("format":"normal","fsync":"batch")"));
    normal.connect();
    normal.send({"{\"a\":1}"});
    CHECK(read_file(dir / "normal") == "{\"message_id\":\"00000000-0000-0000-0000-000000000001\",\"payload\":\"{\\\"a\\\":1}\"}\n");

    publisher_under_test json(config(dir / "json", R"("format":"json","delimiter":"0x1e")"));
    json.connect();
    json.send({"{\"a\":1}"});
    CHECK(read_file(dir / "json") == "{\"message_id\":\"00000000-0000-0000-0000-000000000001\",\"payload\":{\"a\":1},\"metadata\":{}}\x1e");
}

TEST_CASE("large payloads and large batches are written whole") {
    scratch dir;
    std::vector<std::string> payloads;
    std::string expected;
    for (int i = 0; i < 300; ++i) {
        payloads.emplace_back(static_cast<std::size_t>(i * i * 11 % 400000), static_cast<char>('a' + i % 26));
        expected += payloads.back() + "\n";
    }
    publisher_under_test p(config(dir / "out"));
    p.connect();
    CHECK(p.send(payloads) == MQB_OK);
    CHECK(read_file(dir / "out") == expected);
}

TEST_CASE("what is longer than max_message_bytes is refused, and the rest of its batch is written") {
    scratch dir;
    publisher_under_test p(config(dir / "out", R"("format":"raw","max_message_bytes":3)"));
    p.connect();
    CHECK(p.send({"long1", "abc", "long2", "", "long3"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED, MQB_DONE, MQB_REFUSED, MQB_DONE, MQB_REFUSED});
    CHECK(read_file(dir / "out") == "abc\n\n");
    CHECK(p.send({"long4"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED});
    CHECK(p.send({"d"}) == MQB_OK);
    CHECK(read_file(dir / "out") == "abc\n\nd\n");
}

TEST_CASE("a record without its delimiter gets it before the next one") {
    scratch dir;
    write_file(dir / "out", "half");
    publisher_under_test p(config(dir / "out"));
    CHECK(p.connect() == "");
    CHECK(p.host.warnings.size() == 1);
    p.send({"a"});
    p.send({"b"});
    CHECK(read_file(dir / "out") == "half\na\nb\n");
}

TEST_CASE("a batch that does not fit is taken back whole, and is sent again when there is room") {
    scratch dir;
    std::vector<std::string> payloads(900, std::string(1000, 'x'));
    publisher_under_test p(config(dir / "out"));
    p.connect();
    CHECK(p.send({"first"}) == MQB_OK);
    for (const rlim_t room : {rlim_t{7}, rlim_t{300000}, rlim_t{900000}}) {
        const file_size_limit limit(room);
        CHECK(p.send(payloads) == MQB_RETRY);
        CHECK(p.why == "cannot write to file target '" + (dir / "out") + "': File too large");
        CHECK(p.outcomes[0] == MQB_AGAIN);
        CHECK(std::vector(p.outcomes.begin() + 1, p.outcomes.end()) == results(899, MQB_UNSENT));
        CHECK(read_file(dir / "out") == "first\n");
    }
    CHECK(p.send(payloads) == MQB_OK);
    CHECK(read_file(dir / "out").size() == 6 + 900 * 1001);
}

TEST_CASE("a file that was removed is told and made again") {
    scratch dir;
    publisher_under_test p(config(dir / "out"));
    p.connect();
    p.send({"a"});
    ::unlink((dir / "out").c_str());
    CHECK(p.send({"b"}) == MQB_DISCONNECTED);
    CHECK(p.why == "file target '" + (dir / "out") + "' was removed");
    CHECK(p.outcomes == results{MQB_UNSENT});
    CHECK(p.connect() == "");
    CHECK(p.send({"b"}) == MQB_OK);
    CHECK(read_file(dir / "out") == "b\n");
}

TEST_CASE("what cannot be written is refused with path and reason") {
    scratch dir;
    CHECK(refused(config(dir.path)) == "4: file target '" + dir.path + "' is a directory, not a file");
    CHECK(refused(config(dir / "none/out")) == "4: cannot open file target '" + (dir / "none/out") + "': No such file or directory");
    CHECK(refused(config("/dev/null")) == "4: file target '/dev/null' is a device; besides files only /dev/stdout can be written");
}

TEST_CASE("a folder that is gone while it runs is waited for") {
    scratch dir;
    const std::string folder = dir / "sub", out = folder + "/out";
    std::filesystem::create_directory(folder);
    publisher_under_test p(R"({"path":")" + out + R"(","format":"raw"})");
    CHECK(p.connect() == "");
    CHECK(p.send({"a"}) == MQB_OK);
    std::filesystem::remove_all(folder);
    CHECK(p.send({"b"}) == MQB_DISCONNECTED);
    CHECK(p.connect().starts_with("2: cannot open file target '" + out + "': "));  // RETRY
    std::filesystem::create_directory(folder);
    CHECK(p.connect() == "");
    CHECK(p.send({"b"}) == MQB_OK);
    CHECK(read_file(out) == "b\n");
}
