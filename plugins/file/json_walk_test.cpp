#include "json_walk.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json_check.hpp"

using namespace mqb::file;

TEST_CASE("members are found with their values as written") {
    json_walk walk(" { \"a\" : 1.50 , \"b\\\"\":\"x,}\\\\\", \"c\":{\"d\":[1,\"]\"]} ,\"e\":[ ] , \"f\":true} ");
    CHECK(walk.is_object());
    std::vector<std::string> seen;
    while (const auto member = walk.member()) seen.push_back(std::string(member->key) + " = " + std::string(member->value));
    CHECK(seen == std::vector<std::string>{"a = 1.50", "b\\\" = \"x,}\\\\\"", "c = {\"d\":[1,\"]\"]}", "e = [ ]", "f = true"});
}

TEST_CASE("elements are found, and scalars have none") {
    json_walk walk("[1, \"two\",[3],{\"f\":4} ,null]");
    CHECK(walk.is_array());
    std::vector<std::string> seen;
    while (const auto element = walk.element()) seen.emplace_back(*element);
    CHECK(seen == std::vector<std::string>{"1", "\"two\"", "[3]", "{\"f\":4}", "null"});
    for (const char* scalar : {"1", "\"a\"", "null", " true "}) {
        json_walk none(scalar);
        CHECK(!none.is_object());
        CHECK(!none.is_array());
        CHECK(!none.element());
    }
    CHECK(!json_walk("{}").member());
    CHECK(!json_walk(" [ ] ").element());
}

TEST_CASE("only whole JSON values are JSON, and one check serves many texts") {
    json_check check;
    for (const char* good : {"1", "-1.5e3", "\"\\u00e9\"", "[1, {\"a\":null}]", " {} ", "true", "\n[]\n"}) {
        CAPTURE(good);
        CHECK(check.is_json(good));
    }
    for (const char* bad :
         {"", " ", "{", "{\"a\":}", "[1,]", "01", "nul", "\"a", "\"\xff\"", "\"\x01\"", "{} {}", "1 2", "'a'", "\"\\ud800\"", "// c\n1"}) {
        CAPTURE(bad);
        CHECK(!check.is_json(bad));
        CHECK(check.is_json("[{}]"));
    }
    CHECK(check.is_json(std::string(500, '[') + std::string(500, ']')));
    CHECK(!check.is_json(std::string(600, '[') + std::string(600, ']')));
}
