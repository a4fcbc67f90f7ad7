#include "host/loading/abi_text.hpp"

#include <doctest/doctest.h>

using namespace mqb::loading;

TEST_CASE("a text of a plugin becomes one line of valid UTF-8") {
    CHECK(readable("plain, \ttab, \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80") == "plain, \ttab, \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
    CHECK(readable("two\nlines\r\x1B[31m\x7F") == "two lines  [31m ");
    CHECK(readable(std::string_view{"a\0b", 3}) == "a b");
    CHECK(readable("a\xC2\x85z") == "a z");  // a line end of the second control block
    const std::string none = "\xEF\xBF\xBD";
    CHECK(readable("a\xFFz") == "a" + none + "z");
    CHECK(readable("\xC3") == none);
    CHECK(readable("\xC0\x80") == none + none);                        // overlong
    CHECK(readable("\xED\xA0\x80") == none + none + none);             // half of a pair
    CHECK(readable("\xF4\x90\x80\x80") == none + none + none + none);  // beyond the last
    CHECK(readable(std::string(5000, 'x')).size() == longest_text);
    CHECK(readable("\xC3\xA4\xC3\xA4", 3) == "\xC3\xA4");
}
