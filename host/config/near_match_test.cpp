#include "host/config/near_match.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using mqb::config::near_match;

TEST_CASE("a near match is what somebody probably meant") {
    const std::vector<std::string> known{"topic", "url", "group_id", "delete", "concurrency", "max_attempts"};
    CHECK(near_match("topik", known) == "topic");
    CHECK(near_match("tpoic", known) == "topic");
    CHECK(near_match("delet", known) == "delete");
    CHECK(near_match("concurency", known) == "concurrency");
    CHECK(near_match("max-attempts", known) == "max_attempts");
    CHECK(near_match("Topic", known) == "topic");
    CHECK(near_match("MAX-ATEMPTS", known) == "max_attempts");
    CHECK(near_match("--Replay", std::vector<std::string>{"--list", "--replay"}) == "--replay");
    CHECK(near_match("x", std::vector<std::string>{"y"}).empty());
    CHECK(near_match("ulr", known) == "url");
    CHECK(near_match("compression", known).empty());
    CHECK(near_match("", known).empty());
    CHECK(near_match(std::string(100'000, 'x'), known).empty());
}

TEST_CASE("a swap costs one step also after an equal beginning") {
    const std::vector<std::string> known{"retain_messages"};
    CHECK(near_match("retain_mesasges", known) == "retain_messages");
}
