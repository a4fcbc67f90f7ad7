#include "csv_row_end.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::file;

TEST_CASE("a row ends at the first delimiter outside quotes, however the bytes come") {
    const std::string row = R"(a,"b""
,",c"d,"")";
    for (std::size_t piece = 1; piece <= row.size() + 1; ++piece) {
        csv_row_end end(",", '"', '\n');
        const std::string text = row + "\nnext";
        std::optional<std::size_t> at;
        std::size_t given = 0;
        while (!at && given < text.size()) {
            given = std::min(text.size(), given + piece);
            at = end.find(std::string_view(text).substr(0, given));
        }
        CHECK(at == row.size());
    }
}

TEST_CASE("it tells when the bytes end inside quotes") {
    csv_row_end end(",", '"', '\n');
    CHECK(!end.find("a,\"b\n"));
    CHECK(end.inside_quotes());
    CHECK(!end.find("a,\"b\n\""));
    CHECK(!end.inside_quotes());
}

TEST_CASE("bytes that were searched may be dropped") {
    csv_row_end end(",", '"', '\n');
    CHECK(!end.find("a,\"b\n"));
    end.forget_searched();
    CHECK(end.find("\n\",x\ny") == 4);
}
