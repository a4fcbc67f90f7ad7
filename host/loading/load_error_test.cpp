#include "host/loading/load_error.hpp"

#include <doctest/doctest.h>

using namespace mqb::loading;

TEST_CASE("a missing client library is named") {
    CHECK(explain_load_error("/p/libmqb_kafka.so", "librdkafka.so.1: cannot open shared object file: No such file or directory") ==
          "needs the client library librdkafka.so.1, which is not installed");
}

TEST_CASE("a missing symbol is named") {
    CHECK(explain_load_error("/p/libmqb_x.so", "/p/libmqb_x.so: undefined symbol: rd_kafka_new (fatal)") ==
          "needs the symbol rd_kafka_new, which no library has (undefined symbol)");
}

TEST_CASE("other texts of the loader stay, without the file's name") {
    CHECK(explain_load_error("/p/libmqb_x.so", "/p/libmqb_x.so: file too short") == "cannot be loaded: file too short");
    CHECK(explain_load_error("/p/libmqb_x.so", "/lib/libc.so.6: version `GLIBC_2.99' not found (required by /p/libmqb_x.so)") ==
          "cannot be loaded: /lib/libc.so.6: version `GLIBC_2.99' not found (required by /p/libmqb_x.so)");
}
