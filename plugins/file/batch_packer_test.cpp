#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <random>

#include "output_file.hpp"
#include "packed_test.hpp"
#include "pread_under_test.hpp"

using namespace mqb::file::testing;
using mqb::codec::compression;
using mqb::codec::name_of;
using mqb::file::output_file;
using mqb::file::packing;
using results = std::vector<std::int32_t>;
using texts = std::vector<std::string>;

namespace {

// Every way in which a file may be packed.
std::vector<std::string> ways() {
    std::vector<std::string> all;
    for (const std::string compressed : {"none", "gzip", "lz4", "zstd"})
        for (const std::string cipher : {"", "xchacha20poly1305", "aes256gcm"}) {
            if (compressed == "none" && cipher.empty()) continue;
            std::string one = R"("compression":")" + compressed + "\"";
            if (!cipher.empty()) one += R"(,"encryption":{"key_id":"k1","key":")" + std::string(key_a) + R"(","cipher":")" + cipher + "\"}";
            all.push_back(one);
        }
    return all;
}

}  // namespace

TEST_CASE("every batch is read again, in every way of packing, appended to what was there") {
    scratch dir;
    std::vector<std::string> large;
    for (int i = 0; i < 60; ++i) large.emplace_back(static_cast<std::size_t>(i * i * 331 % 400000), static_cast<char>('a' + i % 26));
    for (const std::string& way : ways()) {
        CAPTURE(way);
        const std::string path = dir / "out";
        texts expected;
        for (int run = 0; run < 2; ++run) {
            publisher_under_test p(raw_config(path, way));
            CHECK(p.connect() == "");
            CHECK(p.host.warnings.empty());
            CHECK(p.send({"a", "b\r"}) == MQB_OK);
            CHECK(p.outcomes == results{MQB_DONE, MQB_DONE});
            CHECK(p.send({}) == MQB_OK);
            CHECK(p.send(large) == MQB_OK);
            CHECK(p.send({"c"}) == MQB_OK);
            expected.insert(expected.end(), {"a", "b\r"});
            for (const std::string& one : large)
                if (!one.empty()) expected.push_back(one);
            expected.push_back("c");
        }
        CHECK_FALSE(std::filesystem::exists(path + ".writing"));
        const drained all(raw_config(path, way));
        CHECK(all.why == "");
        CHECK(all.payloads == expected);
        std::filesystem::remove(path);
    }
}

TEST_CASE("a batch is one member, and the next one the same again") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string path = dir / "out";
        publisher_under_test p(compressed_config(path, kind));
        p.connect();
        p.send({"one", "two"});
        CHECK(read_file(path) == member_of(kind, "one\ntwo\n"));
        p.send({"one", "two"});
        CHECK(read_file(path) == member_of(kind, "one\ntwo\n") + member_of(kind, "one\ntwo\n"));
        std::filesystem::remove(path);
    }
    publisher_under_test sealed(sealed_config(dir / "sealed"));
    sealed.connect();
    sealed.send({"one", "two"});
    CHECK(read_file(dir / "sealed").substr(0, 13) == std::string("\0\0\0\0\0\0\0\x35\x01\x00\x02k1", 13));
    sealed.send({"one", "two"});
    const std::string bytes = read_file(dir / "sealed");
    REQUIRE(bytes.size() == 2 * (8 + 0x35));
    CHECK(bytes.substr(0, 61) != bytes.substr(61));
}

TEST_CASE("a batch of which every message is refused leaves nothing") {
    scratch dir;
    publisher_under_test p(compressed_config(dir / "out", compression::gzip, R"(,"max_message_bytes":3)"));
    p.connect();
    CHECK(p.send({"long"}) == MQB_OK);
    CHECK(p.outcomes == results{MQB_REFUSED});
    CHECK(read_file(dir / "out").empty());
    CHECK(p.send({"long", "abc"}) == MQB_OK);
    CHECK(read_file(dir / "out") == member_of(compression::gzip, "abc\n"));
}

TEST_CASE("a batch that does not fit is taken back to where its member began") {
    scratch dir;
    std::minstd_rand random(1);
    std::string noise(900000, ' ');
    for (char& byte : noise) byte = static_cast<char>('0' + random() % 64);
    const rlimit before = [] {
        rlimit now{};
        ::getrlimit(RLIMIT_FSIZE, &now);
        return now;
    }();
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    for (const std::string& way : ways()) {
        CAPTURE(way);
        const std::string path = dir / "out";
        publisher_under_test p(raw_config(path, way));
        p.connect();
        CHECK(p.send({"first"}) == MQB_OK);
        const std::string whole = read_file(path);
        for (const rlim_t more : {rlim_t{1}, rlim_t{100000}, rlim_t{400000}}) {
            const rlimit now{whole.size() + more, before.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &now);
            CHECK(p.send({noise, noise}) == MQB_RETRY);
            ::setrlimit(RLIMIT_FSIZE, &before);
            CHECK(p.outcomes == results{MQB_AGAIN, MQB_UNSENT});
            CHECK(read_file(path) == whole);
        }
        CHECK(p.send({noise, noise}) == MQB_OK);
        CHECK(drained(raw_config(path, way)).payloads == texts{"first", noise, noise});
        std::filesystem::remove(path);
    }
    std::signal(SIGXFSZ, handler);
}

TEST_CASE("what a killed publisher left of a batch is cut, and no whole one") {
    scratch dir;
    const std::string path = dir / "out";
    const mqb::file::encryption_config keys = keys_of(key_a, "k1");
    struct form {
        packing how;
        std::string way, one, two;
    };
    std::vector<form> forms{{{compression::none, true},
                             R"("encryption":{"key_id":"k1","key":")" + std::string(key_a) + "\"}",
                             block_of(keys, "one\n"),
                             block_of(keys, "two\n")}};
    for (const compression kind : every_compression)
        forms.push_back(
            {{kind, false}, R"("compression":")" + std::string(name_of(kind)) + "\"", member_of(kind, "one\n"), member_of(kind, "two\n")});
    for (const form& f : forms) {
        CAPTURE(f.way);
        for (std::size_t size = 0; size <= f.two.size(); ++size) {
            write_file(path, f.one);
            const pid_t child = ::fork();
            if (child == 0) {
                auto* const file = new output_file(path, f.how);
                file->open('\n', false);
                if (file->begin_batch() != output_file::fate::here || file->write(f.one) != 0) ::_exit(1);
                if (file->begin_batch() != output_file::fate::here || file->write(f.two.substr(0, size)) != 0) ::_exit(1);
                ::_exit(0);
            }
            int ended = -1;
            REQUIRE(::waitpid(child, &ended, 0) == child);
            REQUIRE(ended == 0);
            publisher_under_test next(raw_config(path, f.way));
            CHECK(next.connect() == "");
            const bool is_half = size > 0 && size < f.two.size();
            CHECK(next.host.warnings.size() == (is_half ? 1 : 0));
            CHECK(std::filesystem::file_size(path) == 2 * f.one.size() + (is_half ? 0 : size));
            next.send({"three"});
            texts wanted{"one", "one", "two", "three"};
            if (size < f.two.size()) wanted.erase(wanted.begin() + 2);
            CHECK(drained(raw_config(path, f.way)).payloads == wanted);
        }
    }
}

TEST_CASE("a packed file has one publisher at a time") {
    scratch dir;
    publisher_under_test first(compressed_config(dir / "out", compression::gzip));
    CHECK(first.connect() == "");
    first.send({"a"});
    publisher_under_test second(compressed_config(dir / "out", compression::gzip));
    CHECK(second.connect() ==
          "2: file target '" + (dir / "out") + "' is open in another publisher; a compressed or encrypted file has one at a time");
    CHECK(first.send({"b"}) == MQB_OK);
    CHECK(drained(compressed_config(dir / "out", compression::gzip)).payloads == texts{"a", "b"});
}

TEST_CASE("a packed file is not written without the note by which half a batch is cut") {
    for (const std::string& way : {ways().front(), ways().back()}) {
        scratch dir;
        const std::string path = dir / "out";
        {
            std::filesystem::create_directory(path + ".writing");
            publisher_under_test p(raw_config(path, way));
            CHECK(p.connect() == std::to_string(MQB_BAD_CONFIG) + ": file target '" + path + "': '" + path +
                                     ".writing' cannot be written: Is a directory; a compressed or encrypted file needs it, to be cut "
                                     "after a kill");
            std::filesystem::remove(path + ".writing");
            CHECK(p.connect() == "");
        }
        publisher_under_test p(raw_config(path, way));
        {
            const file_size_limit full(64);
            CHECK(p.connect().starts_with(std::to_string(MQB_RETRY) + ": file target '" + path + "': '" + path + ".writing' cannot"));
        }
        CHECK(p.connect() == "");
        CHECK(p.send({"a"}) == MQB_OK);
        CHECK(p.host.warnings.empty());
        CHECK(drained(raw_config(path, way)).payloads == texts{"a"});
    }
}

TEST_CASE("where half a packed batch cannot be cut nothing is appended, and the note of it stays") {
    scratch dir;
    const std::string path = dir / "out", whole = member_of(compression::gzip, "one\n");
    const packing how{compression::gzip, false};
    const auto leave_half = [&] {
        output_file file(path, how);
        file.open('\n', false);
        CHECK(file.begin_batch() == output_file::fate::here);
        CHECK(file.write(whole) == 0);
        CHECK(file.begin_batch() == output_file::fate::here);
        CHECK(file.write(whole.substr(0, 9)) == 0);
        write_file(path, "x", true);  // somebody else's, so that it cannot be taken back
        CHECK_FALSE(file.take_back());
    };
    leave_half();
    REQUIRE(std::filesystem::exists(path + ".writing"));
    {
        publisher_under_test p(compressed_config(path, compression::gzip));
        const pread_under_test fails(
            2, [] {}, EIO);  // behind those of the beginning and of the note
        CHECK(p.connect() == std::to_string(MQB_RETRY) + ": file target '" + path +
                                 "': what an earlier publisher left of a batch that was not finished cannot be cut: Input/output error");
    }
    CHECK(read_file(path) == whole + whole.substr(0, 9) + "x");
    publisher_under_test p(compressed_config(path, compression::gzip));
    CHECK(p.connect() == "");
    CHECK(read_file(path) == whole);
    CHECK(p.send({"two"}) == MQB_OK);
    CHECK(drained(compressed_config(path, compression::gzip)).payloads == texts{"one", "two"});
}

TEST_CASE("the columns of a packed CSV file are followed, and a rolled file is never too large") {
    scratch dir;
    for (const std::string& way : ways()) {
        CAPTURE(way);
        const std::string path = dir / "out.csv", config = R"({"path":")" + path + R"(","format":"csv",)" + way;
        for (const char* row : {R"({"a":1,"b":"x,y"})", R"({"b":"z","a":2})"}) {
            publisher_under_test p(config + "}");
            CHECK(p.connect() == "");
            CHECK(p.send({row}) == MQB_OK);
        }
        CHECK(drained(config + "}").payloads == texts{R"({"a":"1","b":"x,y"})", R"({"a":"2","b":"z"})"});
        std::filesystem::remove(path);

        const std::string rolled = dir / "rolled";
        std::filesystem::create_directory(rolled);
        std::minstd_rand random(7);
        texts sent;
        publisher_under_test p(raw_config(rolled + "/out", way + R"(,"rolling":{"max_bytes":20000})"));
        CHECK(p.connect() == "");
        for (int batch = 0; batch < 30; ++batch) {
            texts lines;
            for (int i = 0; i < 40; ++i) {
                lines.emplace_back(1 + random() % 200, ' ');
                for (char& byte : lines.back()) byte = static_cast<char>('0' + random() % 64);
            }
            CHECK(p.send(lines) == MQB_OK);
            sent.insert(sent.end(), lines.begin(), lines.end());
        }
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(rolled))
            if (entry.path().extension() != ".writing") files.push_back(entry.path());
        std::ranges::sort(files);
        CHECK(files.size() > 3);
        texts read;
        for (const std::string& file : files) {
            CHECK(std::filesystem::file_size(file) <= 20000);
            const drained all(raw_config(file, way));
            CHECK(all.why == "");
            read.insert(read.end(), all.payloads.begin(), all.payloads.end());
        }
        std::ranges::sort(read);
        std::ranges::sort(sent);
        CHECK(read == sent);
        std::filesystem::remove_all(rolled);
    }
}

TEST_CASE("the header of a sealed CSV file is known though its first batch is large") {
    scratch dir;
    const std::string large((64 << 20) + 1000, 'x');
    const std::string chosen = R"({"path":")" + (dir / "out") + R"(","format":"csv","encryption":{"key":")" + std::string(key_a) + R"("}})";
    {
        publisher_under_test p(chosen);
        CHECK(p.connect() == "");
        CHECK(p.send({R"({"b":"1","a":")" + large + R"("})"}) == MQB_OK);
    }
    publisher_under_test p(chosen);
    CHECK(p.connect() == "");
    CHECK(p.send({R"({"a":"2","b":"3"})"}) == MQB_OK);
    consumer_under_test c(chosen);
    CHECK(c.connect() == "");
    const texts all = c.all();
    REQUIRE(all.size() == 2);
    CHECK(all[1] == R"({"b":"3","a":"2"})");
}

TEST_CASE("a file that cannot be read with what would be appended is left alone") {
    scratch dir;
    const std::string path = dir / "out", target = "4: file target '" + path + "' ";
    const auto refused = [&](const std::string& way) { return publisher_under_test(raw_config(path, way)).connect(); };
    const std::string gzip = R"("compression":"gzip")", sealed = R"("encryption":{"key":")" + std::string(key_a) + "\"}",
                      none = R"("compression":"none")";
    write_file(path, "a line\n");
    CHECK(refused(none) == "");
    CHECK(refused(gzip) == target + "does not begin with a gzip magic header, so that nothing can be appended to it");
    CHECK(refused(sealed) == target + "is not encrypted, so that nothing encrypted can be appended to it");
    write_file(path, member_of(compression::zstd, "x\n"));
    CHECK(refused(none) == target + "begins with a zstd magic header; with `compression: zstd` it can be appended to");
    CHECK(refused(gzip) == target + "begins with a zstd magic header, and not with one of gzip");
    write_file(path, block_of(keys_of(key_a, "k1"), "x\n"));
    CHECK(refused(none) == target + "looks encrypted but no `encryption` is configured");
    CHECK(refused(gzip) == target + "looks encrypted but no `encryption` is configured");
    CHECK(refused(sealed) == "");
    CHECK(read_file(path).size() == block_of(keys_of(key_a, "k1"), "x\n").size());
}
