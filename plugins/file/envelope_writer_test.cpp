#include "envelope_writer.hpp"

#include <doctest/doctest.h>

#include <vector>

#include <mqb/metadata.h>

#include <mqb/sdk/message_id.hpp>

using namespace mqb::file;

namespace {

struct metadata_block {
    metadata_block& put(int type, std::string_view key, std::string_view value) {
        const std::size_t at = bytes.size();
        bytes.resize(at + 8 + key.size() + value.size());
        mqb_meta_put(bytes.data(), bytes.size(), at, type, {key.data(), key.size()}, value.data(), value.size());
        return *this;
    }
    metadata_block& text(std::string_view key, std::string_view value) { return put(MQB_META_TEXT, key, value); }
    std::vector<std::uint8_t> bytes;
};

mqb_buffer buffer(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr}; }

// The line without its beginning, which holds the id.
std::string written(record_format of, mqb_buffer payload, const metadata_block& metadata = {}, char delimiter = '\n') {
    mqb_message message{};
    message.id[15] = 5;
    message.payload = payload;
    message.metadata = {metadata.bytes.data(), metadata.bytes.size(), nullptr};
    text_buffer to;
    envelope_writer writer(of, delimiter);
    to.append("kept");
    writer.append(message, to);
    const std::string_view head = R"(kept{"message_id":"00000000-0000-0000-0000-000000000005",)";
    CHECK(to.text().starts_with(head));
    CHECK(to.text().back() == delimiter);
    return std::string(to.text().substr(head.size(), to.size() - head.size() - 1));
}
std::string written(record_format of, std::string_view payload, const metadata_block& metadata = {}, char delimiter = '\n') {
    return written(of, buffer(payload), metadata, delimiter);
}

}  // namespace

TEST_CASE("a text payload is written as each format says") {
    CHECK(written(record_format::normal, R"({"b":1, "a":[1, 2]})") == R"("payload":"{\"b\":1, \"a\":[1, 2]}"})");
    CHECK(written(record_format::json, R"({"b":1, "a":[1, 2]})") == R"("payload":{"b":1, "a":[1, 2]},"metadata":{}})");
    CHECK(written(record_format::text, R"({"b":1, "a":[1, 2]})") == R"("payload":"{\"b\":1, \"a\":[1, 2]}","metadata":{}})");
    CHECK(written(record_format::json, "1.50") == R"("payload":1.50,"metadata":{}})");
    CHECK(written(record_format::json, "{\"a\":\n1}\n") == R"("payload":{"a":1},"metadata":{}})");
    CHECK(written(record_format::normal, "caf\xc3\xa9\x01") == "\"payload\":\"caf\xc3\xa9\\u0001\"}");
    CHECK(written(record_format::normal, "") == R"("payload":""})");
}

TEST_CASE("what is neither JSON nor text is bytes") {
    CHECK(written(record_format::json, "hi") == R"("payload":[104,105],"metadata":{"mq_bridge.payload_bytes":"1"}})");
    CHECK(written(record_format::json, "") == R"("payload":[],"metadata":{"mq_bridge.payload_bytes":"1"}})");
    CHECK(written(record_format::text, std::string_view("\xff\0", 2)) ==
          R"("payload":[255,0],"metadata":{"mq_bridge.payload_bytes":"1"}})");
    CHECK(written(record_format::normal, std::string_view("\xff\0", 2)) == R"("payload_base64":"/wA="})");
}

TEST_CASE("metadata are written as text, the last of repeated keys, without what is private") {
    metadata_block m;
    m.text("k", "old")
        .text("mqb.src.path", "x")
        .put(200, "file.private", "x")
        .put(MQB_META_NULL, "none", "")
        .text("k", "v\"")
        .put(MQB_META_BOOL, "b", "\1");
    CHECK(written(record_format::normal, "x", m) == R"("payload":"x","metadata":{"none":"","k":"v\"","b":"true"}})");
    CHECK(written(record_format::json, "hi", metadata_block{}.text("k", "v")) ==
          R"("payload":[104,105],"metadata":{"k":"v","mq_bridge.payload_bytes":"1"}})");
    CHECK(written(record_format::normal, "x", metadata_block{}.text("bad\xff", "\xfe")) ==
          "\"payload\":\"x\",\"metadata\":{\"bad\xef\xbf\xbd\":\"\xef\xbf\xbd\"}}");
    CHECK(written(record_format::normal, "x", metadata_block{}.text("mqb.src.path", "x")) == R"("payload":"x"})");
}

TEST_CASE("no payload at all is kept apart from an empty one") {
    CHECK(written(record_format::normal, mqb_buffer{nullptr, 0, nullptr}) == R"("payload":"","metadata":{"mqb.kafka.tombstone":"true"}})");
}

TEST_CASE("the delimiter stands only at the end") {
    CHECK(written(record_format::normal, "a;b", metadata_block{}.text("k;", "v"), ';') ==
          R"("payload":"a\u003bb","metadata":{"k\u003b":"v"}})");
    CHECK(written(record_format::json, "{\"a\": 1}", {}, ' ') == R"("payload":{"a":1},"metadata":{}})");
    CHECK(written(record_format::normal, std::string_view("a\0b", 3), {}, '\0') == R"("payload":"a\u0000b"})");
}

TEST_CASE("a large payload is written whole") {
    const std::string large(100000, '\n');
    std::string expected;
    for (std::size_t i = 0; i < large.size(); ++i) expected += "\\n";
    CHECK(written(record_format::normal, large) == "\"payload\":\"" + expected + "\"}");
}
