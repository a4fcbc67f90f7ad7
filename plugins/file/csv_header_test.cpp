#include "csv_header.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;
using names = std::vector<std::string>;

TEST_CASE("the fields of a header are read as a row's are") {
    CHECK(csv_fields(R"(id,"na,me","he said ""hi""",)", {}) == names{"id", "na,me", "he said \"hi\"", ""});
    CHECK(csv_fields(R"("a"b,c"d")", {}) == names{"ab", "c\"d\""});
    CHECK(csv_fields("", {}) == names{""});
    csv_dialect plain;
    plain.quote.reset();
    plain.separator = ';';
    CHECK(csv_fields("\"a;b\"", plain) == names{"\"a", "b\""});
}

TEST_CASE("a name that repeats gets a suffix that no other column has") {
    names repeated{"id", "name", "name", "name"};
    CHECK(make_unique(repeated));
    CHECK(repeated == names{"id", "name", "name_2", "name_3"});
    names taken{"a", "a", "a_2", "", ""};
    CHECK(make_unique(taken));
    CHECK(taken == names{"a", "a_3", "a_2", "", "_2"});
    names fine{"a", "b"};
    CHECK(!make_unique(fine));
}

TEST_CASE("keys are written as JSON, short and long") {
    const std::string long_name(70, 'k');
    csv_dialect dialect;
    dialect.columns = {"a\"b", long_name, "c"};
    const csv_keys keys(dialect);
    std::string to(1024, '?');
    char* at = to.data();
    for (std::size_t i = 0; i < keys.count(); ++i) at = keys.put(at, i);
    to.resize(static_cast<std::size_t>(at - to.data()));
    CHECK(to == R"({"a\"b":"","k)" + long_name.substr(1) + R"(":"","c":")");
    CHECK(keys.total_size() == to.size() + 2);
}
