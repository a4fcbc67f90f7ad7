#include "host/commands/copy_progress.hpp"

#include <doctest/doctest.h>

using namespace mqb::host;
using seconds = std::chrono::duration<double>;

TEST_CASE("numbers are written for people") {
    CHECK(with_separators(0) == "0");
    CHECK(with_separators(999) == "999");
    CHECK(with_separators(1000) == "1,000");
    CHECK(with_separators(1234567) == "1,234,567");
    CHECK(bytes_text(0) == "0 B");
    CHECK(bytes_text(999) == "999 B");
    CHECK(bytes_text(1000) == "1.0 kB");
    CHECK(bytes_text(999'999) == "1.0 MB");
    CHECK(bytes_text(12'345'678) == "12 MB");
}

TEST_CASE("what is left is told of a source that counts it") {
    CHECK(left_text(std::nullopt) == "");
    CHECK(left_text(mqb::core::source_lag{}) == "");
    CHECK(left_text(mqb::core::source_lag{std::nullopt, 1'234'567'890}) == "; 1.2 GB to go");
    CHECK(left_text(mqb::core::source_lag{1'234'567, std::nullopt}) == "; 1,234,567 messages to go");
    CHECK(left_text(mqb::core::source_lag{5, 0}) == "; 0 B to go");
}

TEST_CASE("a rate is that of the last second, not of the whole copy") {
    copy_rate rate;
    CHECK(rate.line(100, 1000, seconds{0.5}) == "100 messages, 1.0 kB; 200 messages/s, 2.0 kB/s");
    CHECK(rate.line(1000, 10'000, seconds{1}) == "1,000 messages, 10 kB; 1,000 messages/s, 10 kB/s");
    // Within a second it stays.
    CHECK(rate.line(1500, 15'000, seconds{1.5}) == "1,500 messages, 15 kB; 1,000 messages/s, 10 kB/s");
    CHECK(rate.line(6000, 60'000, seconds{2}) == "6,000 messages, 60 kB; 5,000 messages/s, 50 kB/s");
    CHECK(rate.line(6000, 60'000, seconds{4}) == "6,000 messages, 60 kB; 0 messages/s, 0 B/s");
}
