#include "json_delimiter.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

namespace {

std::string freed(std::string_view text, char delimiter) {
    text_buffer buffer;
    buffer.append("before;/ ");
    buffer.append(text);
    free_of_delimiter(buffer, 9, delimiter);
    CHECK(buffer.text().substr(0, 9) == "before;/ ");
    return std::string(buffer.from(9));
}

}  // namespace

TEST_CASE("line breaks between values go") {
    CHECK(freed("{\"a\":\r\n [1,\n2]}", '\n') == "{\"a\": [1,2]}");
    CHECK(freed("{\"a\":1}", '\n') == "{\"a\":1}");
}

TEST_CASE("the delimiter becomes an escape inside strings and goes elsewhere") {
    CHECK(freed(R"({"a;":"b;c\";"})", ';') == R"({"a\u003b":"b\u003bc\"\u003b"})");
    CHECK(freed(R"({ "a b" : 1 })", ' ') == R"({"a\u0020b":1})");
    CHECK(freed(R"(["a\/b/c\\"])", '/') == R"(["a\u002fb\u002fc\\"])");
    CHECK(freed("[\"\xc3\xa9\xe2\x82\xac\"]", '\xa9') == "[\"\\u00e9\xe2\x82\xac\"]");
    CHECK(freed("[\"\xf0\x9f\x98\x80\"]", '\x9f') == "[\"\\ud83d\\ude00\"]");
}

TEST_CASE("bytes that JSON needs cannot be delimiters") {
    for (const char c : std::string_view("{}[]:,\"\\azAZ059+-._")) CHECK(is_json_syntax(c));
    for (const char c : std::string_view("\0\n;|\t #\x1e\xff", 9)) CHECK(!is_json_syntax(c));
}
