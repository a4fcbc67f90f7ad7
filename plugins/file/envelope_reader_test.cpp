#include "envelope_reader.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include <mqb/metadata.h>

using namespace mqb::file;

namespace {

struct read_line {
    std::string id, payload, metadata, why_raw;
};

// One line; metadata as `key=value;` in the order of the block.
read_line read(record_format of, std::string_view line) {
    envelope_reader reader(of);
    const std::unique_ptr<char[]> to(new char[envelope_reader::most_room(line.size())]);
    const envelope e = reader.read(line, to.get());
    read_line result;
    result.id.resize(mqb::sdk::uuid_text_size);
    mqb::sdk::put_uuid(result.id.data(), e.id.data());
    result.payload = e.payload;
    result.why_raw = e.why_raw;
    const mqb_buffer block{reinterpret_cast<const std::uint8_t*>(e.metadata.data()), e.metadata.size(), nullptr};
    mqb_meta entry;
    int more = 0;
    for (std::size_t at = 0; (more = mqb_meta_next(&block, &at, &entry)) == 1;) {
        CHECK(entry.type == MQB_META_TEXT);
        result.metadata.append(entry.key.data, entry.key.size).append("=").append(entry.value.data, entry.value.size).append(";");
    }
    CHECK(more == 0);
    return result;
}
constexpr auto five = "00000000-0000-0000-0000-000000000005";
constexpr auto none = "00000000-0000-0000-0000-000000000000";

}  // namespace

TEST_CASE("an envelope gives id, payload and metadata") {
    const auto line = R"( {"message_id":"zz","payload":"a\"\u00e9\n","metadata":{"k":"v","q\"":""}} )";
    for (const record_format of : {record_format::normal, record_format::text}) {
        const read_line r = read(of, line);
        CHECK(r.id == "0880955f-d5ab-1be9-5aa0-733055c74bcd");
        CHECK(r.payload == "a\"\xc3\xa9\n");
        CHECK(r.metadata == "k=v;q\"=;");
        CHECK(r.why_raw == "");
    }
    CHECK(read(record_format::json, line).payload == R"("a\"\u00e9\n")");
}

TEST_CASE("a payload of another JSON type keeps its text") {
    for (const record_format of : {record_format::normal, record_format::json, record_format::text}) {
        CHECK(read(of, R"({"message_id":"zz","payload":{"b":1, "a":[1, 2]},"metadata":{"k":"v"}})").payload == R"({"b":1, "a":[1, 2]})");
        CHECK(read(of, R"({"message_id":5,"payload":1.50})").payload == "1.50");
        CHECK(read(of, R"({"message_id":5,"payload":null})").payload == "null");
        CHECK(read(of, R"({"message_id":5,"payload":[300]})").payload == "[300]");
        CHECK(read(of, R"({"message_id":5,"payload":[1.0]})").payload == "[1.0]");
        CHECK(read(of, R"({"message_id":5,"payload":[-1]})").payload == "[-1]");
    }
}

TEST_CASE("an array of bytes is bytes, in `json` only where it is marked") {
    CHECK(read(record_format::normal, R"({"message_id":7,"payload":[104, 105]})").payload == "hi");
    CHECK(read(record_format::normal, R"({"message_id":7,"payload":[]})").payload == "");
    CHECK(read(record_format::json, R"({"message_id":7,"payload":[104,105]})").payload == "[104,105]");
    const read_line marked =
        read(record_format::json, R"({"message_id":7,"payload":[255,0],"metadata":{"mq_bridge.payload_bytes":"1","k":"v"}})");
    CHECK(marked.payload == std::string("\xff\0", 2));
    CHECK(marked.metadata == "k=v;");
    const read_line foreign = read(record_format::json, R"({"message_id":7,"payload":[1],"metadata":{"mq_bridge.payload_bytes":"2"}})");
    CHECK(foreign.payload == "[1]");
    CHECK(foreign.metadata == "mq_bridge.payload_bytes=2;");
    CHECK(read(record_format::json, R"({"message_id":1,"payload":"hello","metadata":{"mq_bridge.payload_bytes":"1"}})").payload ==
          "\"hello\"");
}

TEST_CASE("payload_base64 is bytes") {
    CHECK(read(record_format::normal, R"({"message_id":"10","payload_base64":"\/wA="})").payload == std::string("\xff\0", 2));
    CHECK(read(record_format::json, R"({"payload_base64":"","message_id":5})").payload == "");
}

TEST_CASE("ids have every spelling of the contract") {
    const auto id = [](std::string id_text) {
        return read(record_format::normal, R"({"message_id":)" + id_text + R"(,"payload":"x"})").id;
    };
    CHECK(id("5") == five);
    CHECK(id("\"5\"") == five);
    CHECK(id("\"0x5\"") == five);
    CHECK(id("\"\\u0035\"") == five);
    CHECK(id("18446744073709551616") == "00000000-0000-0001-0000-000000000000");
    CHECK(id(R"({"$oid":"507f1f77bcf86cd799439011"})") == "00000000-507f-1f77-bcf8-6cd799439011");
    CHECK(id(R"({ "$oid" : "5" })") == five);
}

TEST_CASE("a line that is no envelope is the payload, and says why") {
    for (const char* line : {"plain", R"({"x":1})", "[1]", "5", R"({"payload":"no id"})", R"({"message_id":5})",
                             R"({"message_id":5,"payload":"a","payload_base64":"/wA="})", R"({"message_id":5,"payload":"a","payload":"b"})",
                             R"({"message_id":-5,"payload":"x"})", R"({"message_id":1.5,"payload":"x"})",
                             R"({"message_id":null,"payload":"x"})", R"({"message_id":{"$oid":"zz"},"payload":"x"})",
                             R"({"message_id":5,"payload":"x","metadata":{"n":1}})", R"({"message_id":5,"payload":"x","metadata":null})",
                             R"({"message_id":5,"payload":"x","metadata":{"":"no key"}})", R"({"message_id":5,"payload_base64":"/wA"})",
                             R"({"message_id":5,"payload_base64":7})", R"({"message_id":5,"payload":"x"} trailing)",
                             "a\xff"
                             "b"}) {
        CAPTURE(line);
        const read_line r = read(record_format::normal, line);
        CHECK(r.payload == line);
        CHECK(r.id == none);
        CHECK(r.metadata == "mq_bridge.original_format=raw;");
        CHECK(r.why_raw != "");
    }
}

TEST_CASE("source positions are dropped and other keys ignored") {
    const read_line r =
        read(record_format::normal, R"({"extra":[1],"message_id":5,"payload":"x","metadata":{"mqb.src.x":"1","k":"v"},"more":{}})");
    CHECK(r.payload == "x");
    CHECK(r.metadata == "k=v;");
}

TEST_CASE("no line needs more room than most_room says") {
    std::string line = R"({"message_id":"1","metadata":{)";
    for (int i = 0; i < 100; ++i) line += std::string(i ? "," : "") + '"' + static_cast<char>('a' + i % 26) + R"(":"")";
    line += R"(},"payload_base64":")" + std::string(400, 'A') + "\"}";
    CHECK(read(record_format::normal, line).payload == std::string(300, '\0'));  // under the sanitizer: no write too far
}
