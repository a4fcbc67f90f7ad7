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
    CHECK(parse_config<config>(R"({"topic":"a"})").where().name == "a");
    CHECK(parse_config<config>(R"({"url":"memory://b"})").where().name == "b");
    CHECK_FALSE(parse_config<config>(R"({"url":"memory://b"})").where().is_socket());
    CHECK(parse_config<config>(R"({"url":"b","topic":"a"})").where().name == "a");
}

TEST_CASE("the defaults are those of the contract") {
    const config c = parse_config<config>(R"({"topic":"a"})");
    CHECK(c.capacity == 100);
    CHECK(c.capacity_bytes == 64u << 20);
    CHECK(c.request_timeout_ms == 30000);
    CHECK_FALSE(c.subscribe_mode);
    CHECK_FALSE(c.ack);
    CHECK_FALSE(c.request_reply);
}

TEST_CASE("fields without effect are accepted as long as they ask for nothing that is missing") {
    CHECK(text_of_failure(R"({"topic":"a","request_reply":false,"request_timeout_ms":1500,"enable_nack":true})") == "");
}

TEST_CASE("a socket is named by its name or by its whole path") {
    using kind = mqb::memory::address::kind;
    const auto named = parse_config<config>(R"({"url":"ipc://my-queue"})").where();
    CHECK(named.what == kind::named_socket);
    CHECK(named.name == "my-queue");
    for (const char* text : {R"({"url":"ipc:///var/run/my.sock"})", R"({"topic":"unix:///var/run/my.sock"})"}) {
        const auto path = parse_config<config>(text).where();
        CHECK(path.what == kind::socket_path);
        CHECK(path.name == "/var/run/my.sock");
    }
}

TEST_CASE("what names nothing is refused, and why") {
    CHECK(text_of_failure(R"({"topic":"unix://my.sock"})").find("the path has to be absolute") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"ipc://"})") == "topic: the name is empty");
    CHECK(text_of_failure(R"({"topic":"ipc://../x"})").find("no \"/\" and no \"..\"") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"ipc://a/b"})").find("no \"/\"") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"pipe://x"})").find("Windows") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"kafka://a"})").find("is none of name, memory://name, ipc://name") != std::string::npos);
    CHECK(text_of_failure(R"({"topic":"memory://"})") == "topic: the name is empty");
    CHECK(text_of_failure("{}") == "topic: required");
}

TEST_CASE("C071: a path that no socket can have is refused with the limit") {
    const std::string longest = "/" + std::string(106, 'x');
    CHECK(text_of_failure(R"({"topic":"ipc://)" + longest + R"("})") == "");
    CHECK(text_of_failure(R"({"topic":"ipc://)" + longest + R"(x"})").find("has 108 bytes; a socket path has at most 107") !=
          std::string::npos);
}

TEST_CASE("what a socket cannot do is refused") {
    CHECK(text_of_failure(R"({"topic":"ipc://a","request_reply":true})").find("request_reply: a socket carries no answers") == 0);
    CHECK(text_of_failure(R"({"topic":"ipc://a","subscribe_mode":true})").find("subscribe_mode: not through a socket") == 0);
    CHECK(text_of_failure(R"({"topic":"a","request_reply":true,"ack":true})").find("ack: says nothing beside request_reply") == 0);
    CHECK(text_of_failure(R"({"topic":"ipc://a","ack":true})") == "");
    CHECK(text_of_failure(R"({"topic":"a","subscribe_mode":true,"ack":true})") == "");
    CHECK(text_of_failure(R"({"topic":"a","subscribe_mode":true,"request_reply":true})") ==
          "request_reply: many subscribers have no one answer; leave one of the two out");
}
