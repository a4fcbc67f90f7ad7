#include <random>

#include "packed_test.hpp"
#include "pread_under_test.hpp"

using namespace mqb::file::testing;
using mqb::codec::compression;
using mqb::codec::name_of;
using texts = std::vector<std::string>;

TEST_CASE("members one behind the other are read to the last, with padding, in every format") {
    scratch dir;
    for (const compression kind : every_compression) {
        write_file(dir / "in", member_of(kind, "hello\n") + member_of(kind, "wor") + member_of(kind, "ld\nlast") + std::string(5000, '\0'));
        const drained raw(compressed_config(dir / "in", kind));
        CHECK(raw.payloads == texts{"hello", "world", "last"});
        CHECK(raw.why == "");
        CHECK(raw.warnings.empty());

        write_file(dir / "csv", member_of(kind, "a,b\n1,2\n") + member_of(kind, "3,4\n"));
        const drained csv(R"({"path":")" + (dir / "csv") + R"(","format":"csv","compression":")" + std::string(name_of(kind)) + "\"}");
        CHECK(csv.payloads == texts{R"({"a":"1","b":"2"})", R"({"a":"3","b":"4"})"});

        write_file(dir / "json", member_of(kind, "\xef\xbb\xbf{\"message_id\":1,\"payload\":{\"x\":1}}\n"));
        CHECK(drained(R"({"path":")" + (dir / "json") + R"(","format":"json","compression":")" + std::string(name_of(kind)) + "\"}")
                  .payloads == texts{R"({"x":1})"});
    }
}

TEST_CASE("an empty file and empty members are no message") {
    scratch dir;
    for (const compression kind : every_compression) {
        for (const std::string& bytes : {std::string(), member_of(kind, ""), member_of(kind, "") + member_of(kind, "")}) {
            write_file(dir / "in", bytes);
            const drained none(compressed_config(dir / "in", kind));
            CHECK(none.payloads.empty());
            CHECK(none.why == "");
        }
    }
}

TEST_CASE("garbage behind the last member is one warning, all lines come") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string members = member_of(kind, "hello\n") + member_of(kind, "world\n");
        write_file(dir / "in", members + "garbage\n" + std::string(600000, 'g'));
        const drained found(compressed_config(dir / "in", kind));
        CHECK(found.payloads == texts{"hello", "world"});
        CHECK(found.why == "");
        CHECK(found.warnings ==
              texts{"file source '" + (dir / "in") + "': bytes behind the last " + std::string(name_of(kind)) + " member, from byte " +
                    std::to_string(members.size()) + " on, belong to no member; they are passed over"});
    }
}

TEST_CASE("a cut file gives its complete lines, then an error that names it") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string first = member_of(kind, "hello\nworld\n"), second = member_of(kind, "again\n");
        for (std::size_t left = 1; left < second.size(); ++left) {
            write_file(dir / "in", first + second.substr(0, left));
            const drained cut(compressed_config(dir / "in", kind));
            CHECK(cut.payloads.size() >= 2);
            CHECK(cut.why == "4: file source '" + (dir / "in") + "' ends inside the " + std::string(name_of(kind)) +
                                 " member that begins at byte " + std::to_string(first.size()) + "; the file looks truncated");
        }
        // A line without its end is none.
        std::string text;
        for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
        const std::string whole = member_of(kind, text);
        write_file(dir / "in", whole.substr(0, whole.size() / 2));
        const drained half(compressed_config(dir / "in", kind));
        CHECK(half.why.find("ends inside the") != std::string::npos);
        std::string given;
        for (const std::string& line : half.payloads) given += line + "\n";
        CHECK(text.starts_with(given));
    }
}

TEST_CASE("a damaged member is an error with its place, after the lines in front of it") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string first = member_of(kind, "hello\n");
        std::string bytes = first + member_of(kind, "this is what is damaged\n");
        bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
        write_file(dir / "in", bytes);
        const drained found(compressed_config(dir / "in", kind));
        CHECK(found.payloads.front() == "hello");
        const std::string wanted = "4: file source '" + (dir / "in") + "': the " + std::string(name_of(kind)) + " member at byte " +
                                   std::to_string(first.size()) + " is damaged: ";
        CHECK(found.why.starts_with(wanted));
        CHECK(found.why.size() > wanted.size());
    }
}

TEST_CASE("a file of another kind than configured is one clear error") {
    scratch dir;
    const std::string path = dir / "in", source = "4: file source '" + path + "' ";
    write_file(path, "plain\n");
    CHECK(drained(compressed_config(path, compression::gzip)).why == source + "does not begin with a gzip magic header");
    CHECK(drained(sealed_config(path)).why == source + "is not encrypted, but `encryption` is configured");
    write_file(path, member_of(compression::zstd, "x\n"));
    CHECK(drained(compressed_config(path, compression::gzip)).why ==
          source + "does not begin with a gzip magic header but with one of zstd");
    CHECK(drained(raw_config(path, R"("compression":"none")")).why ==
          source + "begins with a zstd magic header but no `compression` is configured; `compression: zstd` reads it");
    CHECK(drained(sealed_config(path)).why == source + "is not encrypted, but `encryption` is configured");
    write_file(path, block_of(keys_of(key_a, "k1"), "x\n"));
    CHECK(drained(raw_config(path, R"("compression":"none")")).why == source + "looks encrypted but no `encryption` is configured");
    CHECK(drained(compressed_config(path, compression::lz4)).why ==
          source + "does not begin with a lz4 magic header; it looks encrypted, and no `encryption` is configured");
    write_file(path, member_of(compression::gzip, member_of(compression::gzip, "x\n")));
    CHECK(drained(compressed_config(path, compression::gzip)).why ==
          "4: what is in file source '" + path +
              "' begins with a gzip magic header but no `compression` is configured; `compression: gzip` reads it");
}

TEST_CASE("`auto` goes by the end of the path") {
    scratch dir;
    for (const auto& [name, kind] : std::vector<std::pair<const char*, compression>>{
             {"in.gz", compression::gzip}, {"in.zst", compression::zstd}, {"in.lz4", compression::lz4}}) {
        write_file(dir / name, member_of(kind, "x\n"));
        CHECK(drained(raw_config(dir / name, R"("compression":"auto")")).payloads == texts{"x"});
    }
    write_file(dir / "in.txt", "x\n");
    CHECK(drained(raw_config(dir / "in.txt", R"("compression":"auto")")).payloads == texts{"x"});
}

TEST_CASE("a tail waits for more members, and for the rest of one") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string path = dir / "in";
        write_file(path, member_of(kind, "a\n"));
        consumer_under_test c(compressed_config(path, kind), false);
        CHECK(c.connect() == "");
        CHECK(c.all() == texts{"a"});
        CHECK(c.last == MQB_OK);
        write_file(path, member_of(kind, "b\n"), true);
        CHECK(c.all() == texts{"b"});
        const std::string next = member_of(kind, "c\n");
        texts got;
        for (const char byte : next) {
            write_file(path, std::string(1, byte), true);
            for (std::string& one : c.all()) got.push_back(std::move(one));
            CHECK(c.last == MQB_OK);
        }
        CHECK(got == texts{"c"});
        CHECK(c.host.warnings.empty());
    }
}

TEST_CASE("what is appended behind garbage is not passed over in silence") {
    scratch dir;
    const std::string path = dir / "in";
    write_file(path, member_of(compression::gzip, "a\n") + "garbage");
    consumer_under_test c(compressed_config(path, compression::gzip), false);
    CHECK(c.connect() == "");
    CHECK(c.all() == texts{"a"});
    CHECK(c.last == MQB_OK);
    write_file(path, member_of(compression::gzip, "b\n"), true);
    CHECK(c.all().empty());
    CHECK(c.last == MQB_BAD_CONFIG);
    CHECK(c.why == "file source '" + path + "' was appended to behind bytes that belong to no member, so that what follows cannot be read");
}

TEST_CASE("a member that its writer cuts away and writes anew while it is read makes no line of two halves") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string path = dir / "in", first = member_of(kind, "first\n");
        std::string text, other;
        for (unsigned i = 0; i < 30000; ++i)
            text += std::to_string(i * 7919 % 10007) + "\n", other += std::to_string(i * 104729 % 1000003) + "x\n";
        const std::string begun = member_of(kind, text);
        write_file(path, first + begun.substr(0, begun.size() / 2));
        consumer_under_test c(compressed_config(path, kind), false);
        c.connect();
        c.all();
        CHECK(c.last == MQB_OK);
        const auto text_of = [&c] {
            std::string lines;
            for (const std::string& line : c.all()) lines += line + "\n";
            return lines;
        };
        write_file(path, first + member_of(kind, other));
        CHECK(text_of() == "first\n" + other);
        CHECK(c.last == MQB_OK);
        REQUIRE(c.host.warnings.size() == 1);
        CHECK(c.host.warnings[0].find("was truncated and written again") != std::string::npos);
        // One that differs neither at the beginning of the file nor in the last bytes that were read.
        const std::string longer = member_of(kind, other + text);
        write_file(path, first + longer.substr(0, longer.size() / 2));
        c.all();
        CHECK(c.last == MQB_OK);
        std::string changed = first + longer;
        changed[changed.size() / 4] = static_cast<char>(changed[changed.size() / 4] ^ 1);
        write_file(path, changed);
        CHECK(c.all().empty());
        CHECK(c.last == MQB_DISCONNECTED);
        CHECK(c.why.find("written again while it was read; it is read again from its beginning") != std::string::npos);
        write_file(path, first + longer);
        CHECK(c.connect() == "");
        CHECK(text_of() == "first\n" + other + text);
        // The same bytes and more of them are no other member.
        write_file(path, first + begun.substr(0, begun.size() / 2));
        consumer_under_test d(compressed_config(path, kind), false);
        d.connect();
        std::string all;
        for (const std::string& line : d.all()) all += line + "\n";
        write_file(path, first + begun);
        for (const std::string& line : d.all()) all += line + "\n";
        CHECK(all == "first\n" + text);
    }
}

TEST_CASE("what comes to a large member, byte by byte, costs no look at all of it each time") {
    scratch dir;
    const std::string path = dir / "in";
    std::string text(8 << 20, '\n');
    std::minstd_rand random;
    for (char& one : text) one = static_cast<char>('a' + random() % 26);
    const std::string whole = member_of(compression::lz4, text + "\n");
    std::size_t at = whole.size() - 60;
    write_file(path, whole.substr(0, at));
    consumer_under_test c(compressed_config(path, compression::lz4), false);
    c.connect();
    texts got = c.all();
    const pread_under_test reads(4000, [] {});
    for (; at < whole.size(); ++at) {
        write_file(path, whole.substr(at, 1), true);
        for (std::string& one : c.all()) got.push_back(std::move(one));
    }
    CHECK_FALSE(reads.is_done());
    CHECK((got == texts{text}));
}

TEST_CASE("a packed file that is copied and cut is read on in its copy, from the beginning of it") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string path = dir / "in", half = member_of(kind, "half\nof it\n");
        write_file(path, member_of(kind, "a\n") + half.substr(0, half.size() / 2));
        consumer_under_test c(compressed_config(path, kind), false);
        CHECK(c.connect() == "");
        CHECK(c.all() == texts{"a"});
        std::filesystem::copy_file(path, dir / "in.1");
        write_file(dir / "in.1", half.substr(half.size() / 2), true);
        write_file(path, "");
        write_file(path, member_of(kind, "b\n"), true);
        texts got;
        for (int i = 0; i < 3; ++i)
            for (std::string& one : c.all()) got.push_back(std::move(one));
        CHECK(c.last == MQB_OK);
        CHECK(got == texts{"a", "half", "of it", "b"});
        std::filesystem::remove(dir / "in.1");
        std::filesystem::remove(path);
    }
}

TEST_CASE("a bomb gives what fits into the bounds, piece by piece") {
    scratch dir;
    for (const compression kind : every_compression) {
        std::string bomb;
        const std::string zeros = member_of(kind, std::string(8 << 20, '\0'));
        for (int i = 0; i < 8; ++i) bomb += zeros;
        write_file(dir / "in", bomb + member_of(kind, "\nafter\n"));
        consumer_under_test c(compressed_config(dir / "in", kind, R"(,"max_record_bytes":1000)"));
        c.connect();
        const std::vector<letter> given = c.letters();
        CHECK(c.last == MQB_END);
        REQUIRE(given.size() == 2);
        CHECK(given[0].payload == std::string(1000, '\0'));
        CHECK(given[1].payload == "after");
        CHECK(c.host.counts["records_refused"] == 1);
    }
}

TEST_CASE("a packed file that its writer has rolled is read to its end, and then the next one") {
    for (const std::string ending : {".log.gz", ".gz.enc"}) {
        scratch dir;
        const std::string path = dir / "in" + ending, rolled = dir / "in-20261130T112347.123Z" + ending;
        write_file(path, member_of(compression::gzip, "1\n"));
        consumer_under_test c(compressed_config(path, compression::gzip), false);
        CHECK(c.connect() == "");
        CHECK(c.all() == texts{"1"});
        write_file(path, member_of(compression::gzip, "2\n"), true);
        std::filesystem::rename(path, rolled);
        write_file(path, member_of(compression::gzip, "3\n"));
        texts got = c.all();
        c.host.time += 1'000'000'000;
        for (const std::string& one : c.all()) got.push_back(one);
        c.host.time += 1'000'000'000;
        for (const std::string& one : c.all()) got.push_back(one);
        CHECK(got == texts{"2", "3"});
        CHECK(c.host.warnings.empty());
    }
}
