#include "core/near_match.hpp"

#include <doctest/doctest.h>

using namespace mqb::core;

TEST_CASE("near names come nearest first, each once, and distant ones not at all") {
    const std::vector<std::string> known{"kafka", "file", "mqtt", "nats", "kafka", "kafkas", "memory"};
    CHECK(nearest_of("kafak", known) == std::vector<std::string>{"kafka", "kafkas"});
    CHECK(nearest_of("kafkaa", known) == std::vector<std::string>{"kafka", "kafkas"});
    CHECK(nearest_of("fiel", known) == std::vector<std::string>{"file"});
    CHECK(nearest_of("rabbitmq", known).empty());
    CHECK(nearest_of("", known).empty());
    CHECK(nearest_of("x", {"y", "xy"}) == std::vector<std::string>{"xy"});
}

TEST_CASE("no more than three are named") {
    CHECK(nearest_of("aaaa", {"aaab", "aaac", "aaad", "aaae"}) == std::vector<std::string>{"aaab", "aaac", "aaad"});
}
