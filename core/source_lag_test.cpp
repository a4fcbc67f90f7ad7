#include "core/source_lag.hpp"

#include <doctest/doctest.h>

using mqb::core::lag_of;

TEST_CASE("a lag is a whole number of messages, of bytes, or both; anything else is none") {
    const auto messages = lag_of(R"({"messages":12,"more":"x"})");
    REQUIRE(messages);
    CHECK(messages->messages == 12);
    CHECK_FALSE(messages->bytes);
    const auto both = lag_of(R"({"bytes":0,"messages":18446744073709551615})");
    REQUIRE(both);
    CHECK(both->messages == UINT64_MAX);
    CHECK(both->bytes == 0);
    CHECK(lag_of(R"({"messages":-1,"bytes":3})")->bytes == 3);
    CHECK_FALSE(lag_of(R"({"messages":-1,"bytes":3})")->messages);
    for (const char* wrong : {"", "{}", "7", "[]", "{\"messages\":1.5}", "{\"messages\":\"1\"}", "{\"messages\":1", "{\"lag\":1}"})
        CHECK_FALSE(lag_of(wrong));
}
