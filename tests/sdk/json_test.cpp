#include <mqb/sdk/json.hpp>

#include <doctest/doctest.h>

using mqb::sdk::json_kind;
using mqb::sdk::parse_json;

namespace {

bool is_refused(std::string_view text, mqb::sdk::json_limits limits = {}) {
    try {
        parse_json(text, limits);
    } catch (const mqb::sdk::json_error&) { return true; }
    return false;
}

}  // namespace

TEST_CASE("values keep their kind, numbers their text, objects their order") {
    const auto value = parse_json(R"( {"b": [1, -2.50, 1e400, true, false, null], "a": {"t": "x"}} )");
    REQUIRE(value.is(json_kind::object));
    CHECK(value.members[0].name == "b");
    const auto& items = value.find("b")->items;
    REQUIRE(items.size() == 6);
    CHECK(items[1].text == "-2.50");
    CHECK(items[2].text == "1e400");
    CHECK(items[0].as_integer<int>() == 1);
    CHECK_FALSE(items[1].as_integer<int>());
    CHECK(items[1].as_double() == -2.5);
    CHECK(items[3].boolean);
    CHECK_FALSE(items[4].boolean);
    CHECK(items[5].is(json_kind::null));
    CHECK(value.find("a")->find("t")->text == "x");
    CHECK(value.find("c") == nullptr);
}

TEST_CASE("an integer that does not fit is no integer") {
    CHECK_FALSE(parse_json("256").as_integer<std::uint8_t>());
    CHECK(parse_json("255").as_integer<std::uint8_t>() == 255);
    CHECK(parse_json("18446744073709551615").as_integer<std::uint64_t>() == UINT64_MAX);
    CHECK_FALSE(parse_json("-1").as_integer<std::uint64_t>());
}

TEST_CASE("escapes are decoded") {
    CHECK(parse_json(R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")").text == "\"\\/\b\f\n\r\t\u00e9\U0001F600");
    CHECK(parse_json(R"("a\u0000b")").text == std::string("a\0b", 3));
}

TEST_CASE("what is not JSON is refused") {
    for (const char* text : {"",
                             " ",
                             "{",
                             "[1,]",
                             "{\"a\":1,}",
                             "{a:1}",
                             "01",
                             "1.",
                             ".5",
                             "+1",
                             "1e",
                             "nul",
                             "tru",
                             "\"a",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "1 2",
                             "[1 2]",
                             "{\"a\" 1}",
                             "\"\n\"",
                             "\"\\ud800\"",
                             "\"\\udc00\"",
                             "\"\\ud800\\u0041\"",
                             "NaN",
                             "/**/1",
                             "'a'"})
        CHECK_MESSAGE(is_refused(text), text);
}

TEST_CASE("what is not UTF-8 is refused") {
    for (const char* text :
         {"\"\xff\"", "\"\xc0\x80\"", "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\x80\""})
        CHECK(is_refused(text));
    CHECK(parse_json("\"\xf4\x8f\xbf\xbf\"").text.size() == 4);
}

TEST_CASE("a repeated key is refused") { CHECK(is_refused(R"({"a":1,"b":2,"a":3})")); }

TEST_CASE("depth, values and size are bounded") {
    CHECK(is_refused(std::string(100000, '[')));
    CHECK_FALSE(is_refused(std::string(64, '[') + std::string(64, ']')));
    CHECK(is_refused(std::string(66, '[') + std::string(66, ']')));
    CHECK(is_refused("[1,2,3]", {.bytes = 100, .values = 3, .depth = 2}));
    CHECK(is_refused("[1,2,3]", {.bytes = 6, .values = 10, .depth = 2}));
}

TEST_CASE("text that is cut anywhere is refused and read no farther") {
    const std::string whole = R"({"key":[1,-2.5e3,"a\u00e9\ud83d\ude00",true,null,{"k":"\u20ac"}]})";
    REQUIRE_FALSE(is_refused(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));  // no terminator behind it
        CHECK(is_refused(std::string_view(exact.data(), exact.size())));
    }
}

TEST_CASE("text is written so that it reads back") {
    const std::string text("a\"\\\n\t\r\x01\0\u00e9", 10);
    std::string json;
    mqb::sdk::append_json_text(json, text);
    CHECK(parse_json(json).text == text);
}
