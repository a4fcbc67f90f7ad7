#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "consumer.hpp"
#include "pread_under_test.hpp"
#include "test_host.hpp"

using namespace mqb::file::testing;
using texts = std::vector<std::string>;

namespace {

std::string config(const std::string& path, const std::string& more = R"("format":"raw")") {
    return R"({"path":")" + path + "\"," + more + "}";
}

std::string refused(const std::string& configuration) {
    try {
        consumer_under_test c(configuration);
        return c.connect();
    } catch (const std::runtime_error& e) { return e.what(); }
}

}  // namespace

TEST_CASE("a drain gives every record, the last one without delimiter too, then END for ever") {
    scratch dir;
    write_file(dir / "in",
               "\xef\xbb\xbf"
               "a\n\nb\r\nc");
    consumer_under_test c(config(dir / "in"));
    CHECK(c.connect() == "");
    CHECK(c.all() == texts{"a", "b\r", "c"});
    CHECK(c.last == MQB_END);
    write_file(dir / "in", "d\n", true);
    CHECK(c.receive() == MQB_END);
}

TEST_CASE("raw records say so in their metadata, CSV rows have none, envelopes their own") {
    scratch dir;
    write_file(dir / "raw", "a\nb\n");
    consumer_under_test raw(config(dir / "raw"));
    raw.connect();
    raw.receive();
    CHECK(raw.got[1].metadata == "mq_bridge.original_format=raw;");
    raw.free_batch();

    write_file(dir / "csv", "a,b\n1,2\n");
    consumer_under_test csv(config(dir / "csv", R"("format":"csv")"));
    csv.connect();
    csv.receive();
    CHECK(csv.got[0].payload == R"({"a":"1","b":"2"})");
    CHECK(csv.got[0].metadata == "");
    csv.free_batch();

    write_file(dir / "normal", "{\"message_id\":1,\"payload\":\"x\",\"metadata\":{\"k\":\"v\"}}\nplain\nmore\n");
    consumer_under_test normal(config(dir / "normal", R"("format":"envelope")"));
    normal.connect();
    normal.receive();
    CHECK(normal.got[0].payload == "x");
    CHECK(normal.got[0].metadata == "k=v;");
    CHECK(normal.got[1].payload == "plain");
    CHECK(normal.got[1].metadata == "mq_bridge.original_format=raw;");
    CHECK(normal.host.warnings.size() == 1);  // once, not for each line
    normal.free_batch();
}

TEST_CASE("batches keep to the number and the bytes asked for, whatever the size of records") {
    scratch dir;
    std::string text, csv = "a,b\n", lines;
    texts expected, rows;
    for (int i = 0; i < 3000; ++i) {
        const std::string record = std::to_string(i) + std::string(static_cast<std::size_t>(i * 7 % 1000), 'x');
        text += record + "\n";
        csv += record + ",\"" + record + "\n\"\n";
        expected.push_back(record);
        rows.push_back(R"({"a":")" + record + R"(","b":")" + record + "\\n\"}");
    }
    write_file(dir / "in", text);
    write_file(dir / "csv", csv);
    for (const std::uint32_t most : {1U, 7U, 512U, 100000U})
        for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}}) {
            consumer_under_test c(config(dir / "in"));
            c.connect();
            CHECK(c.receive(most, bytes) == MQB_OK);
            CHECK(c.got.size() <= most);
            if (bytes == 1) CHECK(c.got.size() == 1);
            texts all;
            for (const letter& one : c.got) all.push_back(one.payload);
            c.free_batch();
            for (const std::string& one : c.all(most, bytes)) all.push_back(one);
            CHECK(all == expected);
            consumer_under_test d(config(dir / "csv", R"("format":"csv")"));
            d.connect();
            CHECK(d.all(most, bytes) == rows);
        }
}

TEST_CASE("without a drain the reader waits for more, and for the delimiter") {
    scratch dir;
    write_file(dir / "in", "a\nb\nc");
    consumer_under_test c(config(dir / "in"), false);
    c.connect();
    CHECK(c.all() == texts{"a", "b"});
    CHECK(c.last == MQB_OK);
    write_file(dir / "in", "d\ne\n", true);
    CHECK(c.all() == texts{"cd", "e"});
}

TEST_CASE("a record that is too long is given as a broken one with its beginning and place, and reading goes on behind it") {
    scratch dir;
    const std::string large(3 << 20, 'x');
    write_file(dir / "in", "ok1\n" + large + "\nok2\n" + large);
    for (const std::string format : {"raw", "normal"})
        for (const std::uint32_t most : {1U, 2U, 512U}) {
            consumer_under_test c(config(dir / "in", R"("format":")" + format + R"(","max_record_bytes":1048576)"));
            c.connect();
            const auto all = c.letters(most);
            CHECK(c.last == MQB_END);
            REQUIRE(all.size() == 4);
            CHECK(all[0].payload == "ok1");
            CHECK(all[2].payload == "ok2");
            for (const std::size_t i : {1, 3}) {
                const std::string at = i == 1 ? "4" : "3145737";
                CHECK(all[i].payload == large.substr(0, 1 << 20));
                CHECK(all[i].metadata.starts_with(
                    "mqb.error=file source '" + (dir / "in") + "': record " + std::to_string(i + 1) + ", at byte " + at +
                    ", has 3145728 bytes, more than max_record_bytes (1048576); here are its first 1048576;mqb.src.file_path=" +
                    (dir / "in") + ";mqb.src.file_record="));
            }
            CHECK(c.host.counts["records_refused"] == 2);
        }
}

TEST_CASE("the header of a CSV file is no record, however long the first row is") {
    scratch dir;
    for (const std::size_t size : {100U, 5000U, 70000U, 300000U, 1000000U, 5000000U}) {
        const std::string large(size, 'x');
        write_file(dir / "in", "\n\na,b\n\n1," + large + "\n2,\n");
        consumer_under_test c(config(dir / "in", R"("format":"csv")"));
        c.connect();
        const texts all = c.all();
        REQUIRE(all.size() == 2);
        CHECK((all[0] == R"({"a":"1","b":")" + large + R"("})"));
        CHECK(all[1] == R"({"a":"2","b":""})");
    }
}

TEST_CASE("a CSV row that is too long, and one that ends inside quotes, are broken records among the others") {
    scratch dir;
    write_file(dir / "in", "a,b\n1,2\n" + std::string(50, 'x') + ",y\n3,4\n5,\"open\n");
    for (const std::uint32_t most : {1U, 2U, 512U}) {
        consumer_under_test c(config(dir / "in", R"("format":"csv","max_record_bytes":40)"));
        c.connect();
        const auto all = c.letters(most);
        CHECK(c.last == MQB_END);
        REQUIRE(all.size() == 4);
        CHECK(all[0].payload == R"({"a":"1","b":"2"})");
        CHECK(all[1].payload == std::string(40, 'x'));
        CHECK(all[1].metadata.find(": record 2, at byte 8, has 53 bytes, more than max_record_bytes (40); here are its first 40;") !=
              std::string::npos);
        CHECK(all[2].payload == R"({"a":"3","b":"4"})");
        CHECK(all[3].payload == "5,\"open\n");
        CHECK(all[3].metadata.starts_with("mqb.error=csv: file source '" + (dir / "in") +
                                          "' ends inside a quoted field (record 4, at byte 65); the file looks truncated;"));
    }
}

TEST_CASE("a CSV row with a cell of another type is a broken record, without its line end") {
    scratch dir;
    write_file(dir / "in", "n,b\r\n1,x\r\ntwo,y\r\n3,z\r\nfour,w");
    for (const std::uint32_t most : {1U, 2U, 512U}) {
        consumer_under_test c(config(dir / "in", R"("format":"csv","csv":{"types":{"n":"integer","m":"number"}})"));
        c.connect();
        const auto all = c.letters(most);
        CHECK(c.last == MQB_END);
        REQUIRE(all.size() == 4);
        CHECK(all[0].payload == R"({"n":1,"b":"x"})");
        CHECK(all[1].payload == "two,y");
        CHECK(all[1].metadata.starts_with("mqb.error=csv: file source '" + (dir / "in") +
                                          "': record 2, at byte 10: the cell of column 'n' is no integer;"));
        CHECK(all[2].payload == R"({"n":3,"b":"z"})");
        CHECK(all[3].payload == "four,w");
        CHECK(all[3].metadata.find("record 4, at byte 22: the cell") != std::string::npos);
        CHECK(c.host.warnings == texts{"file source '" + (dir / "in") + "': csv.types: 'm' is no column of the file"});
    }
}

TEST_CASE("a CSV header that cannot be read is no broken record: nothing behind it could be told apart") {
    scratch dir;
    write_file(dir / "long", std::string(50, 'x') + ",y\n3,4\n");
    write_file(dir / "open", "a,\"b\n3,4\n");
    for (const std::string name : {"long", "open"}) {
        consumer_under_test c(config(dir / name.c_str(), R"("format":"csv","max_record_bytes":40)"));
        c.connect();
        for (int again = 0; again < 2; ++again) {
            CHECK(c.receive() == MQB_BAD_CONFIG);
            CHECK(c.why.ends_with(", and it is the one that the columns are told from"));
        }
    }
}

TEST_CASE("a message says where it is from if that is wanted, beside the metadata that it has") {
    scratch dir;
    const std::string from = "mqb.src.file_path=" + (dir / "in") + ";mqb.src.file_record=";
    const auto read = [&](const std::string& text, const std::string& more) {
        write_file(dir / "in", text);
        consumer_under_test c(config(dir / "in", more + R"(,"source_metadata":true)"));
        c.host.wall = 5'000'000;
        CHECK(c.connect() == "");
        texts all;
        for (const letter& one : c.letters(2)) all.push_back(one.payload + ":" + one.metadata);
        return all;
    };
    const std::string raw = ":mq_bridge.original_format=raw;" + from;
    CHECK(read("a\n\nb\nc", R"("format":"raw")") == texts{"a" + raw + "0;", "b" + raw + "1;", "c" + raw + "2;"});
    CHECK(read("a\n1\n2\n", R"("format":"csv")") == texts{R"({"a":"1"}:)" + from + "0;", R"({"a":"2"}:)" + from + "1;"});
    CHECK(read("{\"message_id\":1,\"payload\":\"x\",\"metadata\":{\"k\":\"v\"}}\n", R"("format":"normal")") ==
          texts{"x:k=v;" + from + "0;"});
    // The number of a group begins anew with each start, and its epoch tells one start from another.
    const std::string group = R"("format":"raw","mode":"group_subscribe","group_id":"g")";
    CHECK(read("a\n", group) == texts{"a" + raw + "0;mqb.src.file_epoch=5;"});
    CHECK(read("a\nb\n", group) == texts{"b" + raw + "0;mqb.src.file_epoch=5;"});

    ::setenv("MQB_SOURCE_METADATA", "1", 1);
    consumer_under_test asked(config(dir / "in", R"("format":"raw")"));
    ::unsetenv("MQB_SOURCE_METADATA");
    asked.connect();
    CHECK(asked.letters(1).at(0).metadata == raw.substr(1) + "0;");
    consumer_under_test silent(config(dir / "in", R"("format":"raw")"));
    silent.connect();
    CHECK(silent.letters(1).at(0).metadata == "mq_bridge.original_format=raw;");
}

TEST_CASE("a path as long as can be and a batch of many do not lose the metadata of a message") {
    scratch dir;
    std::string text;
    for (int i = 0; i < 3000; ++i) text += std::to_string(i) + "\n";
    write_file(dir / "in", text);
    consumer_under_test c(config(dir / "in", R"("format":"raw","source_metadata":true)"));
    c.connect();
    const auto all = c.letters(100000);
    REQUIRE(all.size() == 3000);
    for (std::size_t i = 0; i < all.size(); ++i) {
        REQUIRE(all[i].payload == std::to_string(i));
        REQUIRE(all[i].metadata ==
                "mq_bridge.original_format=raw;mqb.src.file_path=" + (dir / "in") + ";mqb.src.file_record=" + std::to_string(i) + ";");
    }
}

TEST_CASE("a subscriber gets what comes after it began, and all of a file that was not there") {
    scratch dir;
    const std::string subscribe = R"("format":"raw","mode":"subscribe")";
    write_file(dir / "in", "old\nhal");
    consumer_under_test c(config(dir / "in", subscribe), false);
    CHECK(c.connect() == "");
    CHECK(c.all().empty());
    write_file(dir / "in", "f\nnew\n", true);
    CHECK(c.connect() == "");  // goes on
    CHECK(c.all() == texts{"half", "new"});
    std::filesystem::rename(dir / "in", dir / "in.1");
    write_file(dir / "in", "next\n");
    CHECK(c.all().empty());
    c.host.time += 1'000'000'000;
    CHECK(c.all() == texts{"next"});

    consumer_under_test early(config(dir / "later", subscribe), false);
    CHECK(early.connect().starts_with("2: cannot open"));
    write_file(dir / "later", "first\n");
    CHECK(early.connect() == "");
    CHECK(early.all() == texts{"first"});
    mqb::file::config chosen;
    CHECK(mqb::file::consumer::promise(chosen).has(MQB_ACKNOWLEDGES));
    chosen.mode = mqb::file::read_mode::subscribe;
    CHECK_FALSE(mqb::file::consumer::promise(chosen).has(MQB_ACKNOWLEDGES));  // what it was given does not come to the next one
    CHECK(refused(config("/dev/stdin", subscribe)) == "path: /dev/stdin has no end to begin at; `mode: consume` reads it");
}

TEST_CASE("a batch freed unsettled ends its lane") {
    scratch dir;
    write_file(dir / "in", "1\n2\n3\n4\n5\n6\n");
    consumer_under_test c(config(dir / "in"));
    c.connect();
    c.receive(2);
    CHECK(c.got[0].lane == 0);
    CHECK(c.settle(1) == 1);
    void* const first = c.batch;
    c.receive(2);
    void* const second = c.batch;
    c.batch = first;
    c.free_batch();
    c.batch = second;
    CHECK(c.settle(2) == -1);
    c.free_batch();
    c.receive(2);
    CHECK(c.got[0].lane == 1);
    CHECK(c.settle(2) == 2);
    c.free_batch();
}

TEST_CASE("what cannot be read is refused with path and reason") {
    scratch dir;
    CHECK(refused(config(dir / "none")) == "4: cannot open file source '" + (dir / "none") + "': No such file or directory");
    CHECK(refused(config(dir.path)) == "4: file source '" + dir.path + "' is a directory, not a file");
    ::mkfifo((dir / "fifo").c_str(), 0600);
    CHECK(refused(config(dir / "fifo")) == "4: file source '" + (dir / "fifo") + "' is a FIFO; besides files only /dev/stdin can be read");
    CHECK(refused(config("/dev/zero")) == "4: file source '/dev/zero' is a device; besides files only /dev/stdin can be read");
    if (::geteuid() != 0) {
        write_file(dir / "closed", "");
        ::chmod((dir / "closed").c_str(), 0);
        CHECK(refused(config(dir / "closed")).find("Permission denied") != std::string::npos);
    }
    write_file(dir / "u16", std::string_view("\xff\xfe"
                                             "a\0",
                                             4));
    consumer_under_test c(config(dir / "u16", R"("format":"csv")"));
    c.connect();
    CHECK(c.receive() == MQB_BAD_CONFIG);
    CHECK(c.why == "file source '" + (dir / "u16") + "' is UTF-16LE by its byte order mark; only UTF-8 is read as `csv`");
}

TEST_CASE("what this version does not do is refused by name") {
    const auto text = [](const std::string& more) { return refused(config("in", more)); };
    CHECK(text(R"("format":"parquet")").find("parquet") != std::string::npos);
    CHECK(text(R"("delimiter":"ab")") == "delimiter: one byte, or 0xNN, was expected, not \"ab\"");
    CHECK(text(R"("delimiter":",")") == "delimiter: \",\" may be part of a JSON record itself");
    CHECK(text(R"("format":"csv","csv":{"header":false})") == "csv: an input with `header: false` needs `columns`");
    CHECK(text(R"("format":"csv","csv":{"separator":"ab"})").starts_with("csv.separator"));
    CHECK(text(R"("format":"csv","csv":{"separator":"\""})") == "csv: `separator` and `quote` must differ");
}

TEST_CASE("whatever fails to be read, once, is read after the next connect, and each row once") {
    const std::string modes[]{R"("mode":"consume")", R"("mode":"group_subscribe","group_id":"g")", R"("delete":true)"};
    for (const std::string& mode : modes) {
        for (const std::string name : {"a.csv", "*.csv"}) {
            if (mode == modes[2] && name != "a.csv") continue;
            bool has_failed = true;
            for (std::size_t number = 0; has_failed; ++number) {
                CAPTURE(mode);
                CAPTURE(name);
                CAPTURE(number);
                scratch dir;
                write_file(dir / "a.csv", "x,y\n1,2\n3,4\n");
                const std::string chosen = config(dir / name.c_str(), R"("format":"csv",)" + mode);
                if (mode == modes[1]) {
                    consumer_under_test before(chosen);
                    CHECK(before.connect() == "");
                    CHECK(before.receive(1) == MQB_OK);
                    CHECK(before.settle(1) == 1);
                    before.free_batch();
                }
                consumer_under_test c(chosen);
                std::string got, log;
                const pread_under_test fails(
                    number, [] {}, EIO);
                for (int attempt = 0; attempt < 3 && c.last != MQB_END; ++attempt) {
                    log += c.connect() + "|";
                    c.host.time += 1'000'000'000;
                    while ((c.last = c.receive(1)) == MQB_OK && c.batch != nullptr) {
                        if (c.settle(1) == 1) got += c.got[0].payload;  // else it comes again
                        c.free_batch();
                    }
                    log += c.why + "|";
                }
                CAPTURE(log);
                has_failed = fails.is_done();
                CHECK(c.last == MQB_END);
                CHECK(got == (mode == modes[1] ? R"({"x":"3","y":"4"})" : R"({"x":"1","y":"2"}{"x":"3","y":"4"})"));
            }
        }
    }
}
