#include "packed_test.hpp"

using namespace mqb::file::testing;
using mqb::codec::cipher;
using mqb::codec::compression;
using texts = std::vector<std::string>;

TEST_CASE("sealed blocks are read with the key that each names, whatever its cipher") {
    scratch dir;
    write_file(dir / "in", block_of(keys_of(key_a, "k1"), "a\nb") + block_of(keys_of(key_b, "old", cipher::aes256gcm), "c\n") +
                               block_of(keys_of(key_a, "k1"), "") + block_of(keys_of(key_a, "k1", cipher::aes256gcm), "d\n"));
    const drained all(sealed_config(dir / "in", key_a, "", std::string(R"(,"decrypt_keys":{"old":")") + key_b + "\"}"));
    CHECK(all.payloads == texts{"a", "bc", "d"});
    CHECK(all.why == "");
    const drained half(sealed_config(dir / "in"));
    CHECK(half.payloads == texts{"a"});
    CHECK(half.why.ends_with(" cannot be read: there is no key \"old\""));
}

TEST_CASE("what mq-bridge 1.3.0 compressed and sealed is read") {
    const auto from_hex = [](std::string_view hex) {
        std::string bytes;
        for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
        return bytes;
    };
    scratch dir;
    write_file(
        dir / "in",
        from_hex(
            "00000000000000490100026b31dd465d6bbc6d3565f5b83fbd226e5aabc5c5a5b0e4092ee485da061deef49aab5292a34c2347bc9f55c486d1d8843840"
            "33de748c7d9019fd276f1dcf16fe5f0550285c87") +
            from_hex("000000000000003d0101026b31bd76c9ec57d1daed41ea9203b9ff6b096c5bc7f6b78477fe354a41c99147ee5f647edca7bc4d35309c8ca9a203"
                     "9e11f776a06d7d21bd57f4"));
    const drained all(sealed_config(dir / "in", key_a, R"(,"compression":"zstd")"));
    CHECK(all.payloads == texts{"a line", "and another", "a line", "and another"});
    CHECK(all.why == "");
}

TEST_CASE("a changed byte anywhere, and a cut one, are an error after the lines in front of it") {
    scratch dir;
    const std::string first = block_of(keys_of(key_a, "k1"), "first\n"), bytes = first + block_of(keys_of(key_a, "k1"), "second\n");
    const std::string source = "4: file source '" + (dir / "in") + "'";
    for (std::size_t at = first.size(); at < bytes.size(); ++at) {
        std::string bad = bytes;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write_file(dir / "in", bad);
        const drained changed(sealed_config(dir / "in"));
        CHECK(changed.payloads == texts{"first"});
        CHECK(changed.why.starts_with(source));
        CHECK(changed.why.find(" block ") != std::string::npos);
        CHECK(changed.why.find(key_a) == std::string::npos);
        if (at == first.size()) continue;
        write_file(dir / "in", bytes.substr(0, at));
        const drained cut(sealed_config(dir / "in"));
        CHECK(cut.payloads == texts{"first"});
        CHECK(cut.why == source + " ends inside the encrypted block that begins at byte " + std::to_string(first.size()) +
                             "; the file looks truncated");
    }
    const drained wrong(sealed_config(dir / "in", key_b));
    CHECK(wrong.payloads.empty());
    CHECK(wrong.why == source +
                           ": the encrypted block at byte 0 cannot be read: the envelope does not open: it is damaged or forged, or the "
                           "key \"k1\" is another one");
}

TEST_CASE("a forged length is refused before memory is taken for it") {
    scratch dir;
    const std::string first = block_of(keys_of(key_a, "k1"), "first\n");
    for (const std::string& length :
         {std::string("\x00\x00\x00\x00\xff\xff\xff\xff", 8), std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8)}) {
        write_file(dir / "in", first + length + first.substr(8));
        const drained forged(sealed_config(dir / "in"));
        CHECK(forged.payloads == texts{"first"});
        CHECK(forged.why.find("claims to have ") != std::string::npos);
    }
    // Up to the bound it is only waited for.
    write_file(dir / "in", first + std::string("\x00\x00\x00\x00\x08\x00\x00\x00", 8) + first.substr(8));
    CHECK(drained(sealed_config(dir / "in")).why.find("ends inside the encrypted block") != std::string::npos);
}

TEST_CASE("what was compressed and then sealed comes out again") {
    scratch dir;
    for (const compression kind : every_compression) {
        const std::string how = R"(,"compression":")" + std::string(mqb::codec::name_of(kind)) + "\"";
        const std::string member = member_of(kind, "b\nc\n");
        write_file(dir / "in", block_of(keys_of(key_a, "k1"), member_of(kind, "a\n")) +
                                   block_of(keys_of(key_a, "k1"), member.substr(0, 3)) + block_of(keys_of(key_a, "k1"), member.substr(3)));
        const drained all(sealed_config(dir / "in", key_a, how));
        CHECK(all.payloads == texts{"a", "b", "c"});
        CHECK(all.why == "");
        write_file(dir / "in", block_of(keys_of(key_a, "k1"), member_of(kind, "a\n") + member.substr(0, 5)));
        const drained cut(sealed_config(dir / "in", key_a, how));
        CHECK(cut.payloads == texts{"a"});
        CHECK(cut.why.find(" of the opened blocks; the file looks truncated") != std::string::npos);
        write_file(dir / "in", block_of(keys_of(key_a, "k1"), "plain\n"));
        CHECK(drained(sealed_config(dir / "in", key_a, how)).why.find("does not begin with a ") != std::string::npos);
    }
}

TEST_CASE("a tail waits for the rest of a block, and reads again when it was written anew") {
    scratch dir;
    const std::string path = dir / "in", first = block_of(keys_of(key_a, "k1"), "first\n"),
                      second = block_of(keys_of(key_a, "k1"), "second\n");
    write_file(path, first);
    consumer_under_test c(sealed_config(path), false);
    CHECK(c.connect() == "");
    CHECK(c.all() == texts{"first"});
    texts got;
    for (const char byte : second) {
        write_file(path, std::string(1, byte), true);
        for (std::string& one : c.all()) got.push_back(std::move(one));
        CHECK(c.last == MQB_OK);
    }
    CHECK(got == texts{"second"});

    write_file(path, second.substr(0, 40), true);
    CHECK(c.all().empty());
    write_file(path, first + second + block_of(keys_of(key_a, "k1"), "a third one, which is longer\n"));
    CHECK(c.all() == texts{"first", "second", "a third one, which is longer"});
    CHECK(c.last == MQB_OK);
    REQUIRE(c.host.warnings.size() == 1);
    CHECK(c.host.warnings[0].find("was truncated and written again") != std::string::npos);
}

TEST_CASE("a block that was begun and goes on as another one is read again from the beginning of the file") {
    scratch dir;
    const std::string path = dir / "in", first = block_of(keys_of(key_a, "k1"), "first\n"),
                      second = block_of(keys_of(key_a, "k1"), std::string(4000, 'x') + "\n");
    write_file(path, first + second.substr(0, 3000));
    consumer_under_test c(sealed_config(path), false);
    CHECK(c.connect() == "");
    CHECK(c.all() == texts{"first"});
    // What was read of it stands there, and what follows is of another one.
    std::string other = first + second;
    other[other.size() - 100] = static_cast<char>(other[other.size() - 100] ^ 1);
    write_file(path, other);
    CHECK(c.all().empty());
    CHECK(c.last == MQB_DISCONNECTED);
    write_file(path, first + second);
    CHECK(c.connect() == "");
    CHECK(c.all() == texts{"first", std::string(4000, 'x')});
}

TEST_CASE("large blocks come whole") {
    scratch dir;
    std::string text;
    texts lines;
    for (int i = 0; i < 200; ++i) {
        lines.emplace_back(static_cast<std::size_t>(i * 997 % 60000 + 1), static_cast<char>('a' + i % 26));
        text += lines.back() + "\n";
    }
    write_file(dir / "in", block_of(keys_of(key_a, "k1"), text) + block_of(keys_of(key_a, "k1", cipher::aes256gcm), text));
    texts twice = lines;
    twice.insert(twice.end(), lines.begin(), lines.end());
    const drained all(sealed_config(dir / "in"));
    CHECK(all.payloads == twice);
}
