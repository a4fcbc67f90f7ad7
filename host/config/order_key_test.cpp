#include "host/config/order_key.hpp"

#include <doctest/doctest.h>

#include <mqb/metadata.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace mqb;
using config::order_key;

namespace {

order_key read_order_key(std::string_view text) {
    auto key = config::read_order_key(text);
    return key ? std::move(*key) : order_key{};
}

core::message with_payload(std::string_view text) {
    core::message m;
    m.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    return m;
}

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

TEST_CASE("a metadata key that is null is as good as missing, however the template is written") {
    std::vector<std::uint8_t> block(64);
    core::message null;
    null.metadata = {block.data(), mqb_meta_put(block.data(), block.size(), 0, MQB_META_NULL, {"user", 4}, nullptr, 0), nullptr};
    for (const char* text : {"${metadata:user}", "${metadata: user}"}) {
        CAPTURE(text);
        const auto key = read_order_key(text);
        CHECK(key(null) == key(core::message{}));
        CHECK(key(null) != key(with_metadata{{{"user", ""}}}.message));
    }
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

TEST_CASE("a template of payload and metadata is a key; messages that have not all of it are of one value") {
    const auto key = read_order_key("${payload:customer.id}-${metadata:region}");
    REQUIRE(key);
    const auto number = [&](std::string_view payload, const char* region) {
        with_metadata m{{{"region", region}}};
        m.message.payload = with_payload(payload).payload;
        return key(m.message);
    };
    const std::uint64_t a = number(R"({"customer":{"id":7}})", "eu");
    CHECK(a == number(R"({"x":[],"customer":{"id":"7"}})", "eu"));
    CHECK(a != number(R"({"customer":{"id":8}})", "eu"));
    CHECK(a != number(R"({"customer":{"id":7}})", "us"));
    const std::uint64_t none = number("{}", "eu");
    CHECK(none != a);
    CHECK(none == number("no JSON", "us"));
    CHECK(none == key(core::message{}));
    CHECK(none == key(with_payload(R"({"customer":{"id":7}})")));
    CHECK(read_order_key("${metadata:region | base64}")(with_metadata{{{"region", "eu"}}}.message) != 0);
    CHECK(read_order_key("${message:payload}")(with_payload("a")) != read_order_key("${message:payload}")(with_payload("b")));
}

TEST_CASE("what is no key is told") {
    const auto why = [](const char* text) { return config::read_order_key(text).error().text; };
    for (const char* text : {"", "x", "$", "${other:x}", "$${payload:x}"})
        CHECK(why(text) == "is the same for all messages: it wants ${metadata:KEY}, ${payload:FIELD}, ${message:id} or ${lane}");
    for (const char* text : {"${gen:uuid}", "${metadata:k}${gen:counter}"})
        CHECK(why(text) == "has to be the same each time a message comes: no ${gen:…}");
    CHECK(why("${metadata:}") == "${metadata:…} wants a key");
    CHECK(config::read_order_key("x${message:ids}").error().excerpt == "  x${message:ids}\n             ^^^");
}
