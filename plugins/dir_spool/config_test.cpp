#include "config.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include <mqb/plugin.h>
#include <mqb/sdk/option_docs.hpp>
#include <mqb/sdk/option_parse.hpp>

using mqb::dir_spool::config;

namespace {

std::string refused(const std::string& more, std::uint32_t side = MQB_SIDE_PUBLISHER) {
    try {
        mqb::sdk::parse_config<config>(R"({"path":"s")" + (more.empty() ? "" : "," + more) + "}", side);
    } catch (const mqb::sdk::failure& wrong) {
        CHECK(wrong.answer == mqb::sdk::status::bad_config);
        return wrong.what();
    }
    return {};
}

}  // namespace

TEST_CASE("the defaults are those of the contract") {
    const auto c = mqb::sdk::parse_config<config>(R"({"path":"s"})", MQB_SIDE_PUBLISHER);
    CHECK(c.naming_pattern == "{seq:09}");
    CHECK(c.shard_depth == 0);
    CHECK(c.shard_width == 3);
    CHECK(c.payload_extension == "bin");
    CHECK(c.metadata_extension == "json");
    CHECK(c.atomic);
    CHECK(c.fsync == mqb::dir_spool::fsync_mode::chunk);
    CHECK(c.done_file == "DONE");
    CHECK(c.emit_done == mqb::dir_spool::done_mode::never);
    CHECK(c.producer_file == "PRODUCER");
    CHECK(c.consumer_file == "CONSUMER");
    CHECK(c.drain_on_read);
    CHECK_FALSE(c.stop_on_done);
    CHECK(c.poll_interval_ms == 100);
    CHECK_FALSE(c.source_metadata);
    CHECK(c.claim == mqb::dir_spool::claim_mode::exclusive);
    CHECK(c.max_record_bytes == 100u << 20);
}

TEST_CASE("every bad value has one text that names the option") {
    CHECK(refused("") == "");
    CHECK(refused(R"("payload_extension":".h264","metadata_extension":"","naming_pattern":"{seq:06d}_{timestamp}-{message_id}")") == "");
    CHECK(refused(R"("payload_extension":"")") == "payload_extension: an extension is needed");
    CHECK(refused(R"("payload_extension":".")") == "payload_extension: an extension is needed");
    CHECK(refused(R"("metadata_extension":".")") == "metadata_extension: an extension is needed");
    CHECK(refused(R"("payload_extension":"a/b")") == "payload_extension: at most 64 bytes without \"/\" were expected, not \"a/b\"");
    CHECK(refused(R"("payload_extension":"TMP")").starts_with("payload_extension: files that end with .tmp are no chunks"));
    CHECK(refused(R"("metadata_extension":"x.refused")").starts_with("metadata_extension: files that end with .refused are no chunks"));
    CHECK(refused(R"("payload_extension":"json","metadata_extension":".JSON")").find("must differ") != std::string::npos);
    CHECK(refused(R"("payload_extension":"x.json")").find("must differ") != std::string::npos);
    CHECK(refused(R"("metadata_extension":"x.bin")").find("must differ") != std::string::npos);
    CHECK(refused(R"("done_file":"")").starts_with("done_file: the name of a file in the spool was expected"));
    for (const char* name : {".", "..", "a/b"})
        CHECK(refused(std::string(R"("producer_file":")") + name + '"').starts_with("producer_file: the name of a file in the spool"));
}

TEST_CASE("control files collide with each other and with chunks, whatever the case of their letters") {
    for (const std::uint32_t side : {MQB_SIDE_PUBLISHER, MQB_SIDE_CONSUMER}) {
        CHECK(refused(R"("done_file":"x.bin")", side) ==
              "done_file: \"x.bin\" ends with .bin, the payload_extension: it would be read as a chunk");
        CHECK(refused(R"("done_file":"x.BIN")", side).find("the payload_extension") != std::string::npos);
        CHECK(refused(R"("consumer_file":"c.Json")", side) ==
              "consumer_file: \"c.Json\" ends with .json, the metadata_extension: it would be read as a sidecar");
        CHECK(refused(R"("producer_file":"p.tmp")", side).find("like a chunk that is being written") != std::string::npos);
        CHECK(refused(R"("done_file":"producer")", side) ==
              "producer_file: \"PRODUCER\" is the done_file too (upper and lower case are the same)");
        CHECK(refused(R"("consumer_file":"Done")", side) ==
              "consumer_file: \"Done\" is the done_file too (upper and lower case are the same)");
        CHECK(refused(R"("shard_depth":1,"done_file":"000")", side) == "done_file: \"000\" is the name of a shard directory");
        CHECK(refused(R"("shard_depth":1,"done_file":"0000")", side) == "");
    }
}

TEST_CASE("a pattern begins with the sequence and something that is no digit") {
    for (const char* good : {"{seq}", "{seq:01}", "{seq:020d}", "{seq:09}_{timestamp}", "{seq:09}-{seq}", "{seq:03}x{message_id}"})
        CHECK(refused(std::string(R"("naming_pattern":")") + good + '"') == "");
    const auto text = [](const char* pattern, const std::string& more = {}) {
        return refused(std::string(R"("naming_pattern":")") + pattern + '"' + more);
    };
    for (const char* bad : {"", "chunk-{seq}", "{timestamp}_{seq}"})
        CHECK(text(bad) == "naming_pattern: has to begin with {seq} or {seq:0N}, by which chunks are ordered");
    for (const char* bad : {"{seq:09}{timestamp}", "{seq}7", "{seq}{message_id}", "{seq:03}{seq}"})
        CHECK(text(bad) == "naming_pattern: behind the sequence at its beginning something has to stand that is no digit");
    for (const char* bad : {"{seq:9}", "{seq:0}", "{seq:00}", "{seq:021}", "{seq:0x9}", "{seq:09dd}", "{Seq}", "{seq}-{name}", "{}"})
        CHECK(text(bad).find("is none of {seq}, {seq:0N} with N from 1 to 20, {timestamp} and {message_id}") != std::string::npos);
    for (const char* bad : {"{seq", "{seq}-}", "}{seq}"}) CHECK(text(bad).find("has no other one") != std::string::npos);
    CHECK(text("{seq}/a") == "naming_pattern: a name has no \"/\"; shard_depth makes directories");
    CHECK(text("{seq:06}", R"(,"shard_depth":2)").find("take 6 digits of the sequence, so it has to begin with {seq:0N} of more") !=
          std::string::npos);
    CHECK(text("{seq}", R"(,"shard_depth":1,"shard_width":1)").find("take 1 digits") != std::string::npos);
    CHECK(text("{seq:07}", R"(,"shard_depth":2)") == "");
    // 20 digits, a dash, the text, ".bin" and ".4294967295.refused"
    const auto long_text = [&](std::size_t size, const std::string& more = {}) {
        return text(("{seq}-" + std::string(size, 'x')).c_str(), R"(,"metadata_extension":"")" + more);
    };
    CHECK(long_text(211) == "");
    CHECK(long_text(212) ==
          "naming_pattern: a name would have up to 256 bytes, the ending of a refused chunk included; a file name has at most 255");
    CHECK(long_text(211, R"(,"payload_extension":"bins")").find("up to 256 bytes") != std::string::npos);
    // A pattern is the producer's.
    CHECK(refused(R"("naming_pattern":"x")", MQB_SIDE_CONSUMER) == "");
}

TEST_CASE("the README has the options as they are") {
    std::ifstream in(MQB_DIR_SPOOL_README);
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    CHECK(page.find(mqb::sdk::docs_table<config>()) != std::string::npos);
}
