#include "csv_dialect.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

TEST_CASE("a byte is a character, a name, or hex") {
    CHECK(csv_byte(";") == ';');
    CHECK(csv_byte("tab") == '\t');
    CHECK(csv_byte("\\t") == '\t');
    CHECK(csv_byte("\t") == '\t');
    CHECK(csv_byte("space") == ' ');
    CHECK(csv_byte("comma") == ',');
    CHECK(csv_byte("semicolon") == ';');
    CHECK(csv_byte("pipe") == '|');
    CHECK(csv_byte("0x1f") == '\x1f');
    CHECK(csv_byte("0x7C") == '|');
    for (const char* bad : {"", ";;", "\xc3\xa9", "0x0a", "0x0d", "\n", "0xff", "0x1", "0xg0", "auto"}) {
        CAPTURE(bad);
        CHECK(!csv_byte(bad));
    }
}

TEST_CASE("dialects that cannot be told apart are refused with the reason") {
    CHECK(!why_unreadable({}));
    csv_dialect same;
    same.separator = '"';
    CHECK(why_unreadable(same) == "`separator` and `quote` must differ");
    csv_dialect guessed;
    guessed.separator.reset();
    guessed.quote = ';';
    CHECK(why_unreadable(guessed) == "`separator` and `quote` must differ");
    csv_dialect delimited;
    delimited.delimiter = ',';
    CHECK(why_unreadable(delimited) == "the record `delimiter` must be neither the `separator` nor the `quote`");
    csv_dialect repeated;
    repeated.columns = {"a", "b", "a"};
    CHECK(why_unreadable(repeated) == "`columns` repeats 'a'");
    csv_dialect headless;
    headless.header = false;
    CHECK(why_unreadable(headless) == "an input with `header: false` needs `columns`");
    headless.columns = {"id"};
    CHECK(!why_unreadable(headless));
}

TEST_CASE("the most frequent separator outside quotes is guessed") {
    CHECK(guess_separator("id;name;city", '"') == ';');
    CHECK(guess_separator("id\tname\tcity", '"') == '\t');
    CHECK(guess_separator("id|name", '"') == '|');
    CHECK(guess_separator(R"("a;b;c",d,e)", '"') == ',');
    CHECK(guess_separator(R"(a"b;c;d)", '"') == ';');
    CHECK(guess_separator(R"("a "" , ,";b;c)", '"') == ';');
    CHECK(guess_separator("single", '"') == ',');
    CHECK(guess_separator("a;b|c", '"') == ';');  // a tie: the first of , ; tab |
    CHECK(guess_separator("\"a;b\",c", std::nullopt) == ',');
}
