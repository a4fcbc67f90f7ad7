#include "csv_file_header.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;
using names = std::vector<std::string>;

TEST_CASE("the first record that is not empty names the columns") {
    const csv_dialect dialect;
    CHECK(read_csv_header("a,b\n1,2\n", false, dialect).columns == names{"a", "b"});
    CHECK(read_csv_header("\xef\xbb\xbf\n\r\n\"a\n\"\"x\",b\r\n1", false, dialect).columns == names{"a\n\"x", "b"});
    CHECK(read_csv_header("a,a,b", true, dialect).columns == names{"a", "a_2", "b"});
    CHECK(read_csv_header("\xef\xbb\xbf\r\n\n", true, dialect).columns.empty());
    CHECK(read_csv_header("\xef\xbb\xbf\r\n\n", true, dialect).why_not == "");
}

TEST_CASE("what has no end is no header") {
    const csv_dialect dialect;
    CHECK(read_csv_header("a,\"b\n1,2\n", true, dialect).why_not == "its first record ends inside quotes");
    CHECK(read_csv_header("a,b", false, dialect).why_not == "its first record is longer than 1048576 bytes");
}

TEST_CASE("a difference of columns is named") {
    CHECK(difference({"a", "b"}, {"a", "b"}) == "");
    CHECK(difference({"a", "b"}, {"b", "a"}) == "has them in another order");
    CHECK(difference({"a", "x"}, {"a", "b", "c"}) == "lacks 'b', 'c' and has 'x'");
    CHECK(difference({"a", "x"}, {"a"}) == "has 'x'");
    CHECK(difference({"a"}, {"a", "x"}) == "lacks 'x'");
}
