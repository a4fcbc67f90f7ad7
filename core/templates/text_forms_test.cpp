#include "core/templates/text_forms.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

using namespace mqb::core;
using namespace mqb::core::templates;

namespace {

std::string base64(std::string_view bytes) {
    std::string out;
    append_base64(out, bytes);
    return out;
}

std::string lossy(std::string_view text) {
    std::string out;
    append_lossy(out, text);
    return out;
}

std::string time_of(std::int64_t seconds, std::uint32_t nanoseconds = 0) {
    std::string out;
    append_time(out, seconds, nanoseconds);
    return out;
}

std::string form(int type, std::string_view value) {
    std::string out;
    append_metadata(out, {type, value});
    return out;
}

template <class Number>
std::string bytes(Number n) {
    std::string out(sizeof n, '\0');
    std::memcpy(out.data(), &n, sizeof n);
    return out;
}

}  // namespace

TEST_CASE("base64 has its padding") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("\xff\xfe\xfd\xfc") == "//79/A==");
}

TEST_CASE("what is not UTF-8 becomes U+FFFD, one for each part of a character") {
    CHECK(lossy("plain") == "plain");
    CHECK(lossy("ä€😀") == "ä€😀");
    CHECK(lossy("\xff") == "\xef\xbf\xbd");
    CHECK(lossy("a\xc3") == "a\xef\xbf\xbd");
    CHECK(lossy("\xe2\x82z") == "\xef\xbf\xbdz");
    CHECK(lossy("\xf0\x9f\x98") == "\xef\xbf\xbd");
    CHECK(lossy("\xf0\x9f\x98\xff") == "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(lossy("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
    CHECK(lossy("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // longer than it needs to be
    CHECK(lossy("\xe0\x80\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(lossy("\xf4\x90\x80\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(lossy("\x80\xc3\xa4\xbf") == "\xef\xbf\xbdä\xef\xbf\xbd");
}

TEST_CASE("times are RFC 3339, whatever the year") {
    CHECK(time_of(0) == "1970-01-01T00:00:00Z");
    CHECK(time_of(-1) == "1969-12-31T23:59:59Z");
    CHECK(time_of(1'709'210'096, 120'000'000) == "2024-02-29T12:34:56.12Z");
    CHECK(time_of(951'782'400, 1) == "2000-02-29T00:00:00.000000001Z");
    CHECK(time_of(253'402'300'800) == "10000-01-01T00:00:00Z");
    CHECK(time_of(-62'167'219'201) == "-0001-12-31T23:59:59Z");
    CHECK(time_of(std::numeric_limits<std::int64_t>::max()) == "292277026596-12-04T15:30:07Z");
    CHECK(time_of(std::numeric_limits<std::int64_t>::min()) == "-292277022657-01-27T08:29:52Z");
}

TEST_CASE("metadata has the text form of its type, and is bytes where it is none of it") {
    CHECK(form(0, "") == "");
    CHECK(form(1, "hi") == "aGk=");
    CHECK(form(2, "hi") == "hi");
    CHECK(form(2, "\xff") == "/w==");
    CHECK(form(3, bytes(char{0})) == "false");
    CHECK(form(3, bytes(char{2})) == "true");
    CHECK(form(3, "") == "");
    CHECK(form(4, bytes(std::int64_t{-7})) == "-7");
    CHECK(form(4, "123") == "MTIz");
    CHECK(form(5, bytes(0.1)) == "0.1");
    CHECK(form(5, bytes(1e300)) == "1e+300");
    CHECK(form(5, bytes(std::numeric_limits<double>::infinity())) == "inf");
    CHECK(form(5, bytes(-std::numeric_limits<double>::infinity())) == "-inf");
    CHECK(form(5, bytes(std::nan(""))) == "nan");
    CHECK(form(6, bytes(std::int64_t{1}) + bytes(std::uint32_t{500'000'000})) == "1970-01-01T00:00:01.5Z");
    CHECK(form(6, bytes(std::int64_t{1}) + bytes(std::uint32_t{1'000'000'000})) == "AQAAAAAAAAAAypo7");
    CHECK(form(7, R"({"a": 1})") == R"({"a": 1})");
    CHECK(form(9, "x") == "eA==");
    CHECK(form(200, "x") == "eA==");
}
