#include "sidecar.hpp"

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using mqb::dir_spool::testing::numbered;
using mqb::sdk::metadata_block;

namespace {

std::string written(const metadata_block& metadata, bool is_null = false) {
    mqb_message message = numbered("x", 7);
    if (is_null) message.payload = {nullptr, 0, nullptr};
    message.metadata = metadata.buffer();
    std::string text;
    append_sidecar(message, text);
    return text;
}

std::string metadata_in(const sidecar& from) {
    mqb_message message{};
    message.metadata = from.metadata.buffer();
    return testing::metadata_of(message);
}

const std::string head = R"({"message_id":"00000000-0000-0000-0000-000000000007","metadata":)";

}  // namespace

TEST_CASE("id and metadata are written as texts, of repeated keys the last one") {
    CHECK(written({}) == head + "{}}");
    metadata_block all;
    all.text("a", "x\"\\\n\x01").number("n", -5).flag("f", true).real("r", 0.5).null("none").raw_bytes("b", std::string_view("\xff\0", 2));
    all.time("t", {0, 500'000'000}).json("j", "{\"k\":1}").text("twice", "1").text("twice", "2");
    CHECK(written(all) == head +
                              R"({"a":"x\"\\\n\u0001","n":"-5","f":"true","r":"0.5","none":"","b":"/wA=","t":"1970-01-01T00:00:00.5Z",)" +
                              R"("j":"{\"k\":1}","twice":"2"}})");
}

TEST_CASE("source positions and private types never cross; a null payload is marked") {
    metadata_block own;
    own.text("mqb.src.file_path", "p").text("k", "v");
    own.put_entry(MQB_META_PRIVATE, "kafka.x", "y");
    CHECK(written(own) == head + R"({"k":"v"}})");
    metadata_block marked;
    marked.text("mqb.kafka.tombstone", "no").text("k", "v");
    CHECK(written(marked, true) == head + R"({"k":"v","mqb.kafka.tombstone":"true"}})");
    CHECK(written(marked) == head + R"({"mqb.kafka.tombstone":"no","k":"v"}})");
}

TEST_CASE("what is no UTF-8 is made so") {
    metadata_block bad;
    bad.put_entry(MQB_META_TEXT, "k\xff", "a\xc3(\xe2\x82");
    CHECK(written(bad) == head + "{\"k\xef\xbf\xbd\":\"a\xef\xbf\xbd(\xef\xbf\xbd\"}}");  // a cut character is one part
}

TEST_CASE("what was written is read") {
    metadata_block all;
    all.text("a", "x\"\\\n\x01\xe2\x82\xac").text("empty", "");
    const sidecar read = read_sidecar(written(all));
    CHECK(read.why_broken == "");
    REQUIRE(read.id);
    CHECK((*read.id)[15] == 7);
    CHECK(metadata_in(read) == "a=x\"\\\n\x01\xe2\x82\xac;empty=;");
}

TEST_CASE("ids have the forms of every id, members may be missing, others are ignored") {
    const auto last_byte = [](const char* json) {
        const sidecar read = read_sidecar(json);
        CHECK(read.why_broken == "");
        return read.id ? int{(*read.id)[15]} : -1;
    };
    CHECK(last_byte(R"({"message_id":"7"})") == 7);
    CHECK(last_byte(R"({"message_id":"0x1f"})") == 31);
    CHECK(last_byte(R"({"message_id":7,"more":[1,{}]})") == 7);
    CHECK(last_byte(R"({"message_id":{"$oid":"00000000000000000000002a"}})") == 42);
    CHECK(last_byte(" {} ") == -1);
    CHECK(last_byte(R"({"metadata":{}})") == -1);
}

TEST_CASE("what comes with a source position loses it") {
    CHECK(metadata_in(read_sidecar(R"({"metadata":{"mqb.src.x":"1","k":"v"}})")) == "k=v;");
}

TEST_CASE("a sidecar that is none says why") {
    const auto why = [](std::string_view json) { return read_sidecar(json).why_broken; };
    CHECK(why("").starts_with("it is not JSON: "));
    CHECK(why(R"({"message_id":"1",)").starts_with("it is not JSON: "));
    CHECK(why("{\"a\":\"\xff\"}") == "it is not JSON: not UTF-8 at byte 6");
    CHECK(why(R"({"metadata":{"a":"1","a":"2"}})").find("already there") != std::string::npos);
    CHECK(why("[]") == "it is not an object");
    for (const char* id : {"-1", "1.5", "true", "null", "[]", R"({"$oid":"xyz"})", R"({"$oid":"1","x":1})", R"({"a":"1"})"})
        CHECK(why(std::string(R"({"message_id":)") + id + "}") == "its `message_id` is none");
    for (const char* metadata : {"[]", "null", "1", R"({"k":1})", R"({"k":null})", R"({"k":{}})"})
        CHECK(why(std::string(R"({"metadata":)") + metadata + "}") == "its `metadata` is not an object of texts");
    for (const char* key : {R"("")", R"("a\u0000b")"})
        CHECK(why(std::string(R"({"metadata":{)") + key + R"(:"v"}})") == "a key of its `metadata` is empty, too long or has a zero byte");
    std::string many = R"({"metadata":{)";
    for (int i = 0; i <= 4096; ++i) many += (i ? ",\"" : "\"") + std::to_string(i) + R"(":"")";
    CHECK(why(many + "}}") == "its `metadata` is more than a message may have");
}
