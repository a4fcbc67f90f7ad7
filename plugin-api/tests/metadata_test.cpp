#include "block.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

using namespace mqb::test;

namespace {

mqb_meta found(const block& in, std::string_view key) {
    const mqb_buffer b = in.get();
    mqb_meta m{};
    REQUIRE(mqb_meta_get(&b, text(key), &m) == 1);
    return m;
}

int walk(const std::vector<std::uint8_t>& bytes, std::vector<std::string>* keys = nullptr) {
    const mqb_buffer b = buffer(bytes);
    std::size_t at = 0;
    mqb_meta m{};
    int answer = 0;
    while ((answer = mqb_meta_next(&b, &at, &m)) == 1)
        if (keys) keys->emplace_back(view(m.key));
    return answer;
}

}  // namespace

TEST_CASE("the example block has these bytes") {
    block b;
    b.put(MQB_META_TEXT, "kind", "n").put_int(MQB_META_INT, "p", 7);
    const std::vector<std::uint8_t> expected{0x02, 0x00, 0x04, 0x00, 0x01, 0x00, 0x00, 0x00, 0x6b, 0x69, 0x6e, 0x64, 0x6e, 0x04, 0x00,
                                             0x01, 0x00, 0x08, 0x00, 0x00, 0x00, 0x70, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    CHECK(b.bytes == expected);
}

TEST_CASE("every type comes back as it was put, in order") {
    block b;
    b.put(MQB_META_NULL, "null", "")
        .put(MQB_META_BYTES, "bytes", std::string_view("\0\xff\x01", 3))
        .put(MQB_META_TEXT, "text", "grüß")
        .put(MQB_META_BOOL, "bool", std::string_view("\x01", 1))
        .put_int(MQB_META_INT, "int", static_cast<std::uint64_t>(std::int64_t{-7}))
        .put_int(MQB_META_DOUBLE, "double", std::bit_cast<std::uint64_t>(-0.5))
        .put(MQB_META_TIME, "time", std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\x05\0\0\0", 12))
        .put(MQB_META_JSON, "json", R"({"a":[1]})")
        .put(8, "unknown", "x")
        .put(255, "acme.private", "y");

    std::vector<std::string> keys;
    CHECK(walk(b.bytes, &keys) == 0);
    CHECK(keys == std::vector<std::string>{"null", "bytes", "text", "bool", "int", "double", "time", "json", "unknown", "acme.private"});

    CHECK(found(b, "null").type == MQB_META_NULL);
    CHECK(found(b, "null").value.size == 0);
    CHECK(view(found(b, "bytes").value) == std::string_view("\0\xff\x01", 3));
    CHECK(view(found(b, "text").value) == "grüß");
    CHECK(view(found(b, "json").value) == R"({"a":[1]})");
    CHECK(found(b, "unknown").type == 8);
    CHECK(found(b, "acme.private").type == 255);

    int yes = 0;
    std::int64_t number = 0, seconds = 0;
    std::uint32_t nanoseconds = 0;
    double real = 0;
    mqb_meta m = found(b, "bool");
    CHECK(mqb_meta_bool(&m, &yes) == 1);
    CHECK(yes == 1);
    m = found(b, "int");
    CHECK(mqb_meta_int(&m, &number) == 1);
    CHECK(number == -7);
    CHECK(mqb_meta_double(&m, &real) == 0);
    m = found(b, "double");
    CHECK(mqb_meta_double(&m, &real) == 1);
    CHECK(real == -0.5);
    CHECK(mqb_meta_int(&m, &number) == 0);
    m = found(b, "time");
    CHECK(mqb_meta_time(&m, &seconds, &nanoseconds) == 1);
    CHECK(seconds == -1);
    CHECK(nanoseconds == 5);
}

TEST_CASE("the extremes of numbers come back") {
    for (const std::int64_t n : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        block b;
        b.put_int(MQB_META_INT, "n", static_cast<std::uint64_t>(n));
        const mqb_meta m = found(b, "n");
        std::int64_t back = 1;
        CHECK(mqb_meta_int(&m, &back) == 1);
        CHECK(back == n);
    }
    for (const double d : {0.0, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min()}) {
        block b;
        b.put_int(MQB_META_DOUBLE, "d", std::bit_cast<std::uint64_t>(d));
        const mqb_meta m = found(b, "d");
        double back = 1;
        CHECK(mqb_meta_double(&m, &back) == 1);
        CHECK(back == d);
    }
    block b;
    b.put_int(MQB_META_DOUBLE, "nan", std::bit_cast<std::uint64_t>(std::nan("")));
    const mqb_meta m = found(b, "nan");
    double back = 0;
    CHECK(mqb_meta_double(&m, &back) == 1);
    CHECK(std::isnan(back));
}

TEST_CASE("of a repeated key all entries stay and the last counts") {
    block b;
    b.put(MQB_META_TEXT, "k", "first").put(MQB_META_TEXT, "other", "o").put(MQB_META_TEXT, "k", "last");
    std::vector<std::string> keys;
    CHECK(walk(b.bytes, &keys) == 0);
    CHECK(keys == std::vector<std::string>{"k", "other", "k"});
    CHECK(view(found(b, "k").value) == "last");
}

TEST_CASE("two blocks one after the other are a block") {
    block first, second;
    first.put(MQB_META_TEXT, "k", "old").put(MQB_META_TEXT, "a", "1");
    second.put(MQB_META_TEXT, "k", "new");
    first.bytes.insert(first.bytes.end(), second.bytes.begin(), second.bytes.end());
    CHECK(walk(first.bytes) == 0);
    CHECK(view(found(first, "k").value) == "new");
    CHECK(view(found(first, "a").value) == "1");
}

TEST_CASE("an empty buffer is an empty block, with or without data") {
    const mqb_buffer none{nullptr, 0, nullptr};
    std::size_t at = 0;
    mqb_meta m{};
    CHECK(mqb_meta_next(&none, &at, &m) == 0);
    CHECK(mqb_meta_get(&none, text("k"), &m) == 0);
    CHECK(walk({}) == 0);
}

TEST_CASE("a missing key is not found, nor is one that another begins with") {
    block b;
    b.put(MQB_META_TEXT, "keys", "v");
    const mqb_buffer in = b.get();
    mqb_meta m{};
    CHECK(mqb_meta_get(&in, text("key"), &m) == 0);
    CHECK(mqb_meta_get(&in, text("keyss"), &m) == 0);
}

TEST_CASE("a value of a wrong size is read by no typed reader") {
    block b;
    b.put(MQB_META_BOOL, "b", "xx").put(MQB_META_INT, "i", "1234567").put(MQB_META_DOUBLE, "d", "").put(MQB_META_TIME, "t", "12345678");
    int yes = 0;
    std::int64_t i = 0;
    std::uint32_t n = 0;
    double d = 0;
    mqb_meta m = found(b, "b");
    CHECK(mqb_meta_bool(&m, &yes) == 0);
    m = found(b, "i");
    CHECK(mqb_meta_int(&m, &i) == 0);
    m = found(b, "d");
    CHECK(mqb_meta_double(&m, &d) == 0);
    m = found(b, "t");
    CHECK(mqb_meta_time(&m, &i, &n) == 0);
}

TEST_CASE("put writes nothing that does not fit, and tells the size it takes") {
    std::vector<std::uint8_t> room(32, 0xA5);
    const std::vector<std::uint8_t> untouched = room;
    const std::size_t whole = mqb_meta_put(nullptr, 0, 0, MQB_META_TEXT, text("key"), "value", 5);
    CHECK(whole == 8 + 3 + 5);
    CHECK(mqb_meta_put(room.data(), whole - 1, 0, MQB_META_TEXT, text("key"), "value", 5) == whole);
    CHECK(room == untouched);
    CHECK(mqb_meta_put(room.data(), whole, 0, MQB_META_TEXT, text("key"), "value", 5) == whole);
    CHECK(std::vector<std::uint8_t>(room.begin() + static_cast<std::ptrdiff_t>(whole), room.end()) ==
          std::vector<std::uint8_t>(untouched.begin() + static_cast<std::ptrdiff_t>(whole), untouched.end()));
}

TEST_CASE("put writes nothing of a key that is longer than the encoding can say") {
    const std::string longest(UINT16_MAX, 'k'), longer(UINT16_MAX + 1u, 'k');
    std::vector<std::uint8_t> room(2 * longer.size(), 0xA5);
    const std::vector<std::uint8_t> untouched = room;
    mqb_meta_put(room.data(), room.size(), 0, MQB_META_TEXT, text(longer), "v", 1);
    CHECK(room == untouched);
    const std::size_t end = mqb_meta_put(room.data(), room.size(), 0, MQB_META_TEXT, text(longest), "v", 1);
    room.resize(end);
    std::vector<std::string> keys;
    CHECK(walk(room, &keys) == 0);
    CHECK(keys == std::vector<std::string>{longest});
}

TEST_CASE("an entry with an empty key, a byte that is not zero, or a part that is missing makes the rest invalid") {
    block good;
    good.put(MQB_META_TEXT, "a", "1").put(MQB_META_TEXT, "b", "22");
    const std::size_t second = 8 + 1 + 1;
    std::vector<std::string> keys;

    std::vector<std::uint8_t> bad = good.bytes;
    bad[second + 1] = 1;
    CHECK(walk(bad, &keys) == -1);
    CHECK(keys == std::vector<std::string>{"a"});

    bad = good.bytes;
    bad[second + 2] = 0;
    CHECK(walk(bad) == -1);

    for (std::size_t cut = second + 1; cut < good.bytes.size(); ++cut) {
        CAPTURE(cut);
        CHECK(walk({good.bytes.begin(), good.bytes.begin() + static_cast<std::ptrdiff_t>(cut)}) == -1);
    }
    const mqb_buffer in = buffer(bad);
    mqb_meta m{};
    CHECK(mqb_meta_get(&in, text("a"), &m) == -1);
}
