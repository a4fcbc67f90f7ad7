#include "host/logs/scrubber.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using mqb::host::scrubber;

TEST_CASE("a secret is taken out raw, decoded and in base64") {
    const std::vector<std::string> secrets{"p%40ss-word", "short"};
    const scrubber clean{secrets};
    CHECK(clean.clean("x p%40ss-word y p@ss-word") == "x *** y ***");
    CHECK(clean.clean("cCU0MHNzLXdvcmQ=") == "***cmQ=");
    CHECK(clean.clean("short stays") == "short stays");
    CHECK(scrubber{}.clean("all stays") == "all stays");
}

TEST_CASE("the longest form goes first") {
    const std::vector<std::string> secrets{"secret", "secret-two"};
    CHECK(scrubber{secrets}.clean("secret-two secret") == "*** ***");
}

TEST_CASE("user and password of a URL are taken out, however short and known or not") {
    const scrubber clean;
    CHECK(clean.clean("a://u:p@h:1/x?y and \"b://t@h\"") == "a://***@h:1/x?y and \"b://***@h\"");
    CHECK(clean.clean("a://u:p@ss@h c://u:p@h") == "a://***@h c://***@h");
    CHECK(clean.clean("a://u:p@") == "a://***@");
    CHECK(clean.clean("a://h/p@th a://@h :// a://h?m=x@y a://") == "a://h/p@th a://@h :// a://h?m=x@y a://");
}
