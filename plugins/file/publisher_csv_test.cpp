#include <sys/wait.h>
#include <unistd.h>

#include "csv_row_end.hpp"
#include "output_file.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using results = std::vector<std::int32_t>;

namespace {

std::string config(const std::string& path, const std::string& csv = "") {
    return R"({"path":")" + path + R"(","format":"csv","csv":{)" + csv + "}}";
}

// Sends into the file that is there, by a publisher of its own: what it said while it connected.
std::string append(const std::string& path, const std::vector<std::string>& payloads, const std::string& csv = "") {
    publisher_under_test p(config(path, csv));
    if (const std::string why = p.connect(); !why.empty()) return why;
    CHECK(p.send(payloads) == MQB_OK);
    std::string said;
    for (const std::string& one : p.host.warnings) said += one + "\n";
    return said;
}

}  // namespace

TEST_CASE("csv: the header is written once, and rows are appended by later publishers") {
    scratch dir;
    CHECK(append(dir / "out", {R"({"a":1,"b":"x"})", R"({"b":"y","a":2})"}) == "");
    CHECK(append(dir / "out", {R"({"b":"z","a":3})"}) == "");
    CHECK(read_file(dir / "out") == "a,b\n1,x\n2,y\n3,z\n");
}

TEST_CASE("csv: what is no row is refused, and its neighbours are written") {
    scratch dir;
    publisher_under_test p(config(dir / "out"));
    p.connect();
    CHECK(p.send({"not json", R"({"a":1})", "{}", R"({"a":2})", "[1]"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED, MQB_DONE, MQB_REFUSED, MQB_DONE, MQB_REFUSED});
    CHECK(p.texts[0] == "file target '" + (dir / "out") + "': CSV format requires a non-empty JSON object payload");
    CHECK(p.texts.size() == 3);
    CHECK(p.send({"{}"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED});
    CHECK(read_file(dir / "out") == "a\n1\n2\n");
}

TEST_CASE("csv: rows follow the header of the file that is there") {
    scratch dir;
    write_file(dir / "out", "b,a\r\n");
    CHECK(append(dir / "out", {R"({"a":1,"b":2})"}) == "");
    CHECK(read_file(dir / "out") == "b,a\r\n2,1\n");

    CHECK(append(dir / "out", {R"({"a":3,"c":4})"}, R"("columns":["a","c"])") ==
          "file target '" + (dir / "out") +
              "': it has other columns than `csv.columns`: it lacks 'c' and has 'b'; rows are written in those of the "
              "file\nfile target '" +
              (dir / "out") + "': the column 'b' has no value\n");
    CHECK(read_file(dir / "out") == "b,a\r\n2,1\n,3\n");
    CHECK(append(dir / "out", {}, R"("columns":["a","b"],"on_mismatch":"fail")") ==
          "4: file target '" + (dir / "out") + "' has other columns than `csv.columns`: it has them in another order");
    CHECK(append(dir / "out", {R"({"a":5,"b":6})"}, R"("columns":["b","a"],"on_mismatch":"fail")") == "");
    CHECK(read_file(dir / "out") == "b,a\r\n2,1\n,3\n6,5\n");
}

TEST_CASE("csv: a file without any record gets its header") {
    scratch dir;
    write_file(dir / "mark", "\xef\xbb\xbf");
    CHECK(append(dir / "mark", {R"({"a":1})"}).find("does not end with the delimiter") != std::string::npos);
    CHECK(read_file(dir / "mark") == "\xef\xbb\xbf\na\n1\n");
    write_file(dir / "blank", "\n\n");
    CHECK(append(dir / "blank", {"{}", R"({"a":1})", R"({"a":2})"}) == "");
    CHECK(read_file(dir / "blank") == "\n\na\n1\n2\n");
    CHECK(append(dir / "none", {R"({"a":1})"}, R"("header":false)") == "");
    CHECK(append(dir / "none", {R"({"a":2})"}, R"("header":false)") == "");
    CHECK(read_file(dir / "none") == "1\n2\n");
}

TEST_CASE("csv: a header without its line end gets it, and one without its end is refused") {
    scratch dir;
    write_file(dir / "out", "a,b");
    CHECK(append(dir / "out", {R"({"b":1,"a":2})"}).find("does not end with the delimiter") != std::string::npos);
    CHECK(read_file(dir / "out") == "a,b\n2,1\n");
    write_file(dir / "open", "a,\"b\n");
    CHECK(append(dir / "open", {}) == "4: file target '" + (dir / "open") + "' has no CSV header: its first record ends inside quotes");
    write_file(dir / "long", std::string((1 << 20) + 1, 'x'));
    CHECK(append(dir / "long", {}) ==
          "4: file target '" + (dir / "long") + "' has no CSV header: its first record is longer than 1048576 bytes");
}

TEST_CASE("csv: a file that is emptied under the publisher gets its header again") {
    scratch dir;
    publisher_under_test p(config(dir / "out"));
    p.connect();
    p.send({R"({"a":1})"});
    write_file(dir / "out", "");
    p.send({R"({"a":2})"});
    CHECK(read_file(dir / "out") == "a\n2\n");
}

TEST_CASE("csv: a batch that is taken back takes its header along") {
    scratch dir;
    publisher_under_test p(config(dir / "out"));
    p.connect();
    std::vector<std::string> rows(2000, "{\"a\":\"" + std::string(1000, 'x') + "\"}");
    {
        const file_size_limit limit(1000000);
        CHECK(p.send(rows) == MQB_RETRY);
    }
    CHECK(read_file(dir / "out") == "");
    CHECK(p.send(rows) == MQB_OK);
    const std::string text = read_file(dir / "out");
    CHECK(text.size() == 2 + 2000 * 1001);
    CHECK(text.starts_with("a\nxxx"));
}

TEST_CASE("csv: a row that a kill leaves half-written is cut from its beginning, whatever line feeds it has") {
    scratch dir;
    for (const std::string half : {"3,\"two\nlines\nand", "3,\"a\nb\",\"", "\"\n\n\n", "3"}) {
        CAPTURE(half);
        write_file(dir / "out", "a,b\n0,\"before\n\"\n");
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            auto* const file = new mqb::file::output_file(dir / "out");
            file->open('\n', false);
            const bool written = file->begin_batch() == mqb::file::output_file::fate::here && file->write("1,\"x\n\"\"\n\"\n2,y\n") == 0 &&
                                 file->write(half) == 0;
            ::_exit(written ? 0 : 1);
        }
        int ended = -1;
        REQUIRE(::waitpid(child, &ended, 0) == child);
        REQUIRE(ended == 0);
        CHECK(append(dir / "out", {R"({"a":4,"b":5})"}) == "file target '" + (dir / "out") + "': " + std::to_string(half.size()) +
                                                               " bytes of a record that was not finished were cut from its end\n");
        CHECK(read_file(dir / "out") == "a,b\n0,\"before\n\"\n1,\"x\n\"\"\n\"\n2,y\n4,5\n");
    }
}
