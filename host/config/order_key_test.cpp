#include "host/config/order_key.hpp"

#include <doctest/doctest.h>

#include <mqb/metadata.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace mqb;
using config::read_order_key;

namespace {

struct with_metadata {
    explicit with_metadata(const std::vector<std::pair<std::string, std::string>>& entries) : block(256) {
        std::size_t at = 0;
        for (const auto& [key, value] : entries)
            at = mqb_meta_put(block.data(), block.size(), at, MQB_META_TEXT, {key.data(), key.size()}, value.data(), value.size());
        message.metadata = {block.data(), at, nullptr};
    }
    std::vector<std::uint8_t> block;
    core::message message;
};

}  // namespace

TEST_CASE("equal values of a metadata key are one number, others are not, and the last entry counts") {
    const auto key = read_order_key("${metadata:user}");
    REQUIRE(key);
    const std::uint64_t a = key(with_metadata{{{"x", "1"}, {"user", "a"}}}.message);
    CHECK(a == key(with_metadata{{{"user", "a"}}}.message));
    CHECK(a == key(with_metadata{{{"user", "b"}, {"user", "a"}}}.message));
    CHECK(a != key(with_metadata{{{"user", "b"}}}.message));
    CHECK(key(with_metadata{{{"user", ""}}}.message) != key(with_metadata{{}}.message));
    CHECK(key(with_metadata{{}}.message) == key(with_metadata{{{"other", "a"}}}.message));
}

TEST_CASE("id and lane are keys") {
    const auto id = read_order_key("${message:id}");
    const auto lane = read_order_key("${lane}");
    REQUIRE(id);
    REQUIRE(lane);
    core::message a, b;
    a.id[15] = 1;
    b.lane = 1;
    CHECK(id(a) != id(b));
    CHECK(id(b) == id(core::message{}));
    CHECK(lane(a) != lane(b));
    CHECK(lane(a) == lane(core::message{}));
}

TEST_CASE("keys spread over the low bits, by which workers are chosen") {
    const auto lane = read_order_key("${lane}");
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 64; ++i) {
        core::message m;
        m.lane = i;
        seen.insert(lane(m) % 8);
    }
    CHECK(seen.size() == 8);
}

TEST_CASE("everything else needs templates") {
    for (const char* text : {"", "x", "${", "${metadata:}", "${metadata:a}b", "${metadata:a}${lane}", "${metadata:a|raw}",
                             "${message:payload}", "${payload:x}"}) {
        CAPTURE(text);
        CHECK_FALSE(read_order_key(text));
    }
}
