#include "json_leaves.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <memory>
#include <random>

using namespace mqb::file;

namespace {

std::string leaves(std::string_view text, bool into_objects = true) {
    // Exactly as large, so that a look behind the end is seen.
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    text.copy(copy.get(), text.size());
    json_leaves walk;
    if (!walk.begin({copy.get(), text.size()}, into_objects)) return "no object";
    std::string all;
    while (walk.next()) all += std::string(walk.path()) + "=" + std::string(walk.value()) + ";";
    return all;
}

}  // namespace

TEST_CASE("the values of an object are named by the way to them") {
    CHECK(leaves(R"({"a":1,"b":"x,}","c":[1,{"d":2}],"e":null})") == R"(a=1;b="x,}";c=[1,{"d":2}];e=null;)");
    CHECK(leaves(R"({"o":{"x":1,"y":{"z":[1,2]},"w":true},"s":"t"})") == R"(o.x=1;o.y.z=[1,2];o.w=true;s="t";)");
    CHECK(leaves(R"({"o":{"x":1,"y":{"z":[1,2]}},"s":"t"})", false) == R"(o={"x":1,"y":{"z":[1,2]}};s="t";)");
    CHECK(leaves(" { \"a\" : 1.50 ,\n\t\"o\" : { \"b\" : -1e5 } , \"c\":2 } \n") == "a=1.50;o.b=-1e5;c=2;");
}

TEST_CASE("objects without members have no values") {
    CHECK(leaves("{}") == "");
    CHECK(leaves(R"({"a":{},"b":{"c":{}}})") == "");
    CHECK(leaves(R"({"a":{},"b":1})") == "b=1;");
    CHECK(leaves(R"({"a":{}})", false) == "a={};");
}

TEST_CASE("keys are unescaped") { CHECK(leaves(R"({"a\"b":1,"\u00e9\n":{"x\\":2},"":3})") == "a\"b=1;\xc3\xa9\n.x\\=2;=3;"); }

TEST_CASE("what is no object has none") {
    for (const char* text : {"", " ", "[1]", "1", "\"{}\"", "null"}) CHECK(leaves(text) == "no object");
}

TEST_CASE("one walk serves many texts") {
    json_leaves walk;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(walk.begin(R"({"a":{"b":1},"c":2})", true));
        REQUIRE(walk.next());
        CHECK(walk.path() == "a.b");
        REQUIRE(walk.next());  // left in the middle the third time
        CHECK(walk.path() == "c");
    }
}

namespace {

using chance = std::mt19937;

std::string key_of(chance& r) {
    static constexpr std::string_view keys[] = {"a", "b.c", "", "a longer key than sixteen bytes", "\xc3\xa9", "x y"};
    return std::string(keys[r() % std::size(keys)]);
}

// Writes a value that is no object.
std::string leaf_of(chance& r) {
    static constexpr std::string_view leaves[] = {"1",
                                                  "-1.50e7",
                                                  "true",
                                                  "null",
                                                  "\"\"",
                                                  "\"}{],\\\"\"",
                                                  "\"a text that is longer than sixteen bytes \\\\\"",
                                                  "[]",
                                                  "[{\"a\":[1,{}]},\"]\"]"};
    return std::string(leaves[r() % std::size(leaves)]);
}

std::string white(chance& r) { return r() % 4 == 0 ? std::string(" \t\r\n").substr(r() % 4) : ""; }

// Writes an object, and what a walk through it has to find.
std::string object_of(chance& r, const std::string& above, int depth, std::string& expected) {
    std::string text = "{" + white(r);
    for (std::size_t n = r() % 4, i = 0; i < n; ++i) {
        if (i > 0) text += "," + white(r);
        const std::string key = key_of(r);
        text += '"' + key + '"' + white(r) + ':' + white(r);
        if (depth < 6 && r() % 2 == 0) {
            text += object_of(r, above + key + ".", depth + 1, expected);
        } else {
            const std::string leaf = leaf_of(r);
            text += leaf;
            expected += above + key + "=" + leaf + ";";
        }
        text += white(r);
    }
    return text + "}";
}

}  // namespace

TEST_CASE("objects of any shape are walked whole, in their order") {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        chance r(seed);
        std::string expected;
        const std::string text = white(r) + object_of(r, "", 0, expected) + white(r);
        CAPTURE(text);
        CHECK(leaves(text) == expected);
    }
}
