#include "json_leaves.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

namespace {

std::string leaves(std::string_view text, bool into_objects = true) {
    // A copy of its own, so that a look behind the end is seen.
    const std::string copy(text);
    json_leaves walk;
    if (!walk.begin(copy, into_objects)) return "no object";
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
