#include "utf8.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

TEST_CASE("valid UTF-8 of every length passes, also across chunks of sixteen bytes") {
    for (std::size_t before = 0; before < 40; ++before) {
        const std::string text =
            std::string(before, 'x') + "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" + "end";
        CHECK(is_utf8(text));
    }
    CHECK(is_utf8(""));
}

TEST_CASE("what is not UTF-8 is found at its first byte") {
    for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5",
                            "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3("}) {
        CAPTURE(bad);
        CHECK(valid_utf8_prefix(std::string(20, 'a') + bad) == 20);
        CHECK(valid_utf8_prefix(std::string(20, 'a') + bad + std::string(20, 'a')) == 20);
    }
}

TEST_CASE("every maximal bad part becomes one replacement character") {
    const auto repaired = [](std::string_view text) {
        std::string to;
        append_as_utf8(text, to);
        return to;
    };
    const std::string r = "\xef\xbf\xbd";
    CHECK(repaired("abc") == "abc");
    CHECK(repaired("a\xff"
                   "b") == "a" + r + "b");
    CHECK(repaired("\xc3(") == r + "(");
    CHECK(repaired("\xe2\x82") == r);  // a cut character is one part
    CHECK(repaired("\xe2\x82"
                   "a") == r + "a");
    CHECK(repaired("\xf0\x9f\x98"
                   "\xe2\x82\xac") == r + "\xe2\x82\xac");
    CHECK(repaired("\xed\xa0\x80") == r + r + r);  // a surrogate: no byte of it begins a character
}
