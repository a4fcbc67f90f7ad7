#include "block.hpp"
#include "exact_buffer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using namespace mqb::test;

namespace {

// Bytes seen by a reader, so that no read is optimised away.
std::uint64_t touch(const mqb_text& t) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < t.size; ++i) sum += static_cast<std::uint8_t>(t.data[i]);
    return sum;
}

struct seen {
    std::uint64_t valid = 0, invalid = 0, entries = 0, sum = 0;
};

// Walks a block and reads every byte of it in every way. Wherever an entry lies outside, the page behind the block is touched.
// False if the walk went wrong; one answer for a whole block, since an assertion for each byte would take minutes.
bool read_all(const std::uint8_t* data, std::size_t size, seen& to) {
    const mqb_buffer b{data, size, nullptr};
    const char* const first = reinterpret_cast<const char*>(data);
    std::size_t at = 0, before = 0;
    mqb_meta m{};
    int answer = 0;
    bool sound = true;
    while ((answer = mqb_meta_next(&b, &at, &m)) == 1) {
        ++to.entries;
        sound = sound && at > before && at <= size && m.key.size >= 1 && m.key.data == first + before + 8 &&
                m.value.data == m.key.data + m.key.size && m.value.data + m.value.size == first + at;
        before = at;
        to.sum += touch(m.key) + touch(m.value);
        int yes = 0;
        std::int64_t n = 0;
        std::uint32_t ns = 0;
        double d = 0;
        to.sum += static_cast<std::uint64_t>(mqb_meta_bool(&m, &yes) + mqb_meta_int(&m, &n) + mqb_meta_double(&m, &d) +
                                             mqb_meta_time(&m, &n, &ns));
    }
    ++(answer == 0 ? to.valid : to.invalid);
    const int found = mqb_meta_get(&b, text("key3"), &m);
    return sound && (answer == 0 ? at == size && found >= 0 : answer == -1 && found == -1);
}

block sample() {
    block b;
    b.put(MQB_META_TEXT, "kind", "order").put_int(MQB_META_INT, "key3", 7).put(MQB_META_BOOL, "flag", std::string_view("\0", 1));
    b.put(MQB_META_TIME, "at", "123456789012").put(MQB_META_NULL, "gone", "").put(MQB_META_BYTES, "raw", std::string(40, '\x7f'));
    b.put_int(MQB_META_DOUBLE, "ratio", 0x3ff0000000000000u).put(MQB_META_JSON, "doc", R"({"a":1})").put(200, "acme.x", "private");
    return b;
}

}  // namespace

TEST_CASE("200,000 damaged blocks are walked without leaving the buffer") {
    const block good = sample();
    exact_buffer room(4096);
    std::mt19937 random(20260115);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    seen s;
    int wrong = 0;
    for (int i = 0; i < 200'000; ++i) {
        std::vector<std::uint8_t> bytes = good.bytes;
        for (std::size_t hits = 1 + below(4); hits > 0; --hits) {
            const std::size_t at = below(bytes.size());
            switch (below(4)) {
                case 0: bytes[at] = static_cast<std::uint8_t>(random()); break;
                case 1: bytes[at] ^= static_cast<std::uint8_t>(1u << below(8)); break;
                case 2: bytes.resize(std::max<std::size_t>(at, 1)); break;
                case 3:
                    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::size_t>(4, bytes.size() - at),
                                std::uint8_t{0xff});
                    break;
            }
        }
        wrong += !read_all(room.holding(bytes), bytes.size(), s);
    }
    CHECK(wrong == 0);
    CHECK(s.valid + s.invalid == 200'000);
    // Both happen often: the damage is neither always fatal nor always harmless.
    CHECK(s.valid > 10'000);
    CHECK(s.invalid > 10'000);
    CHECK(s.entries > 200'000);
    CHECK(s.sum > 0);
}

TEST_CASE("noise of every length up to 300 bytes is walked without leaving the buffer") {
    exact_buffer room(4096);
    std::mt19937 random(7);
    seen s;
    int wrong = 0;
    for (std::size_t size = 0; size <= 300; ++size)
        for (int i = 0; i < 100; ++i) {
            std::vector<std::uint8_t> bytes(size);
            for (auto& b : bytes) b = static_cast<std::uint8_t>(random() % 3 ? 0 : random());
            wrong += !read_all(room.holding(bytes), size, s);
        }
    CHECK(wrong == 0);
    CHECK(s.valid + s.invalid == 301 * 100);
}

TEST_CASE("put stays in its room for every size of room") {
    exact_buffer room(4096);
    const std::string key = "key", value(50, 'v');
    const std::size_t whole = 8 + key.size() + value.size();
    for (std::size_t size = 0; size <= whole + 20; ++size) {
        std::uint8_t* to = room.last(size);
        CHECK(mqb_meta_put(to, size, 0, MQB_META_TEXT, text(key), value.data(), value.size()) == whole);
        if (size < 9) continue;
        CHECK(mqb_meta_put(to, size, size - 9, MQB_META_NULL, text("k"), nullptr, 0) == size);
        CHECK(mqb_meta_put(to, size, size - 8, MQB_META_NULL, text("k"), nullptr, 0) == size + 1);
    }
}
