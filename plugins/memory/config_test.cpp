#include "config.hpp"

#include <mqb/sdk/option_parse.hpp>

#include <doctest/doctest.h>

using mqb::memory::config;
using mqb::sdk::parse_config;

namespace {

std::string text_of_failure(std::string_view json) {
    try {
        parse_config<config>(json);
    } catch (const mqb::sdk::failure& thrown) {
        CHECK(thrown.answer == mqb::sdk::status::bad_config);
        return thrown.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a topic is a name, with or without its scheme, under either key") {
    CHECK(parse_config<config>(R"({"topic":"a"})").channel_name() == "a");
    CHECK(parse_config<config>(R"({"url":"memory://b"})").channel_name() == "b");
    CHECK(parse_config<config>(R"({"url":"b","topic":"a"})").channel_name() == "a");
}

TEST_CASE("the defaults are those of the contract") {
    const config c = parse_config<config>(R"({"topic":"a"})");
    CHECK(c.capacity == 100);
    CHECK(c.capacity_bytes == 64u << 20);
    CHECK(c.request_timeout_ms == 30000);
    CHECK_FALSE(c.subscribe_mode);
    CHECK_FALSE(c.enable_nack);
}

TEST_CASE("fields without effect are accepted as long as they ask for nothing that is missing") {
    CHECK(text_of_failure(R"({"topic":"a","request_reply":false,"request_timeout_ms":1500,"enable_nack":true})") == "");
}

TEST_CASE("what this version does not have is refused, and named") {
    CHECK(text_of_failure(R"({"topic":"ipc://a"})").find("ipc:// (a channel between processes) is not supported by this version") == 7);
    CHECK(text_of_failure(R"({"topic":"unix:///a.sock"})").find("not supported by this version") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"a","request_reply":true})").find("request_reply: true is not supported") == 0);
    CHECK(text_of_failure(R"({"topic":"a","subscribe_mode":true})").find("subscribe_mode: true is not supported") == 0);
    CHECK(text_of_failure(R"({"topic":"kafka://a"})").find("neither a name nor memory://name") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"memory://"})") == "topic: the name is empty");
    CHECK(text_of_failure("{}") == "topic: required");
}
