#include <mqb/sdk/utf8.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mqb::sdk;

TEST_CASE("the first and last characters of every length are UTF-8, wherever they stand") {
    const std::string all = "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
    for (std::size_t before = 0; before < 20; ++before) CHECK(is_utf8(std::string(before, 'x') + all + "end"));
    CHECK(is_utf8(""));
}

TEST_CASE("what is cut, overlong, a surrogate or too large is not") {
    for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5",
                            "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3("}) {
        CAPTURE(bad);
        for (std::size_t before = 0; before < 20; ++before) {
            CHECK_FALSE(is_utf8(std::string(before, 'a') + bad));
            CHECK_FALSE(is_utf8(std::string(before, 'a') + bad + std::string(20, 'a')));
        }
    }
}

TEST_CASE("the bad part is the longest one that could have begun a character") {
    CHECK(utf8_character("\xe2\x82") == -2);
    CHECK(utf8_character("\xf0\x9f\x98(") == -3);
    CHECK(utf8_character("\xed\xa0\x80") == -1);
    CHECK(utf8_character("\xe2\x82\xac") == 3);
}

TEST_CASE("every bad part becomes one replacement character, and what is good stays") {
    const auto repaired = [](std::string_view text) {
        std::string to = "before ";
        append_as_utf8(text, to);
        CHECK(is_utf8(to));
        return to.substr(7);
    };
    const std::string r = "\xef\xbf\xbd";
    CHECK(repaired("") == "");
    CHECK(repaired("abc \xe2\x82\xac") == "abc \xe2\x82\xac");
    CHECK(repaired("\xff\xfe") == r + r);
    CHECK(repaired("\xc3(") == r + "(");
    CHECK(repaired("\xe2\x82") == r);  // a cut character is one part
    CHECK(repaired("\xf0\x9f\x98\xe2\x82\xac") == r + "\xe2\x82\xac");
    CHECK(repaired("\xed\xa0\x80") == r + r + r);  // a surrogate: no byte of it begins a character
    CHECK(repaired(std::string_view("\0\xc0", 2)) == std::string(1, '\0') + r);
}
