#include "file_start.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

TEST_CASE("a UTF-8 mark is skipped, whatever the pieces it comes in") {
    CHECK(look_at_start("\xef\xbb\xbfid,n", false, record_format::csv).skip == 3);
    CHECK(look_at_start("\xef\xbb\xbf", true, record_format::raw).skip == 3);
    CHECK(!look_at_start("", false, record_format::csv).known);
    CHECK(!look_at_start("\xef", false, record_format::csv).known);
    CHECK(!look_at_start("\xef\xbb", false, record_format::csv).known);
    CHECK(look_at_start("\xef\xbb", true, record_format::csv).known);
    CHECK(look_at_start("", true, record_format::csv).known);
    CHECK(look_at_start("a", false, record_format::csv).known);
    CHECK(look_at_start("\xef"
                        "a",
                        false, record_format::csv)
              .skip == 0);
}

TEST_CASE("UTF-16 is named, but raw records may be anything") {
    CHECK(look_at_start(std::string_view("\xff\xfe"
                                         "a\0",
                                         4),
                        false, record_format::csv)
              .problem == "is UTF-16LE by its byte order mark; only UTF-8 is read as `csv`");
    CHECK(look_at_start(std::string_view("\xfe\xff\0a", 4), false, record_format::normal).problem.starts_with("is UTF-16BE"));
    CHECK(look_at_start(std::string_view("\xff\xfe"
                                         "a\0",
                                         4),
                        false, record_format::raw)
              .problem == "");
}

TEST_CASE("a compressed file is named") {
    CHECK(look_at_start("\x1f\x8b\x08\x01", false, record_format::raw).problem ==
          "begins with a gzip magic header but no `compression` is configured; `compression: gzip` reads it");
    CHECK(look_at_start("\x28\xb5\x2f\xfd", false, record_format::csv).problem.find("zstd") != std::string::npos);
    CHECK(look_at_start("\x04\x22\x4d\x18", true, record_format::json).problem.find("lz4") != std::string::npos);
    CHECK(!look_at_start("\x1f", false, record_format::raw).known);
}
