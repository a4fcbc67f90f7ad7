#include "host/config/scalar.hpp"

#include <doctest/doctest.h>

using namespace mqb::config;

TEST_CASE("numbers are those of JSON") {
    for (const char* text : {"0", "-0", "12", "-3.5", "1e5", "1E-5", "0.10", "123456789012345678901234567890"}) CHECK(is_json_number(text));
    for (const char* text : {"", "-", "+1", "01", ".5", "5.", "1e", "0x1", "1_000", "inf", "NaN", " 1", "1 "})
        CHECK_FALSE(is_json_number(text));
    CHECK(is_json_integer("-12"));
    CHECK_FALSE(is_json_integer("1.0"));
    CHECK_FALSE(is_json_integer("1e3"));
}

TEST_CASE("sizes have decimal and binary units") {
    CHECK(read_size("64 MiB") == 64u << 20);
    CHECK(read_size("64MiB") == 64u << 20);
    CHECK(read_size("10k") == 10'000u);
    CHECK(read_size("1 G") == 1'000'000'000u);
    CHECK(read_size("2 KiB") == 2048u);
    CHECK(read_size("17") == 17u);
    for (const char* text : {"", "MiB", "-1", "1.5 MiB", "1 mib", "1 MB", "99999999999999999999", "99999999999 GiB"})
        CHECK_FALSE(read_size(text));
}

TEST_CASE("JSON texts are escaped") { CHECK(json_string("a\"b\n\x01ü") == "\"a\\\"b\\n\\u0001ü\""); }
