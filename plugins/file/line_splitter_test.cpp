#include "line_splitter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::file;

namespace {

struct split {
    std::vector<std::string> records;
    std::vector<std::size_t> too_long;
    std::vector<std::size_t> begins;
    std::size_t held = 0;  // the most bytes that were kept at a time
};

// Gives the text in pieces, as a reader of blocks does, and collects what is found.
split all(line_splitter splitter, std::string_view text, std::size_t piece, bool at_end = true) {
    split result;
    std::string unread;
    std::size_t position = 0;
    for (;;) {
        const bool last = text.empty();
        const look seen = splitter.next(unread, last && at_end);
        if (seen.what == found::record) result.records.push_back(unread.substr(seen.begin, seen.size));
        if (seen.what == found::record) result.begins.push_back(position + seen.begin);
        if (seen.what == found::too_long) result.too_long.push_back(seen.size);
        unread.erase(0, seen.taken);
        position += seen.taken;
        result.held = std::max(result.held, unread.size());
        if (seen.what != found::more && seen.what != found::too_much) continue;
        if (last) return result;
        unread += text.substr(0, piece);
        text.remove_prefix(std::min(piece, text.size()));
    }
}
using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("records are found whatever the pieces they come in") {
    for (std::size_t piece = 1; piece < 16; ++piece) {
        const split s = all({'\n', 100, false}, "a\n\nbc\r\n\r\n\nlast", piece);
        CHECK(s.records == lines{"a", "bc", "last"});
        CHECK(s.begins == std::vector<std::size_t>{0, 3, 10});
    }
}

TEST_CASE("a last record without a delimiter counts only at the end of the file") {
    CHECK(all({'\n', 100, false}, "a\nb\nc", 2).records == lines{"a", "b", "c"});
    CHECK(all({'\n', 100, false}, "a\nb\nc", 2, false).records == lines{"a", "b"});
    CHECK(all({'\n', 100, false}, "", 1).records.empty());
    CHECK(all({'\n', 100, false}, "x\r", 1).records == lines{"x"});
}

TEST_CASE("raw records keep their CR, but a blank line is none") {
    CHECK(all({'\n', 100, true}, "a\r\n\r\nb\r", 3).records == lines{"a\r", "b\r"});
}

TEST_CASE("any byte may be the delimiter, and then CR and LF are ordinary") {
    CHECK(all({'\0', 100, false}, std::string_view("a\r\0b\n\0\0c", 8), 3).records == lines{"a\r", "b\n", "c"});
    CHECK(all({'\xff', 100, false},
              "a\xff"
              "b",
              1)
              .records == lines{"a", "b"});
}

TEST_CASE("a record that is too long is skipped in bounded memory and told with its size") {
    const std::string text = "ok1\n" + std::string(1000, 'x') + "\nok2\n" + std::string(500, 'y');
    for (const std::size_t piece : {1U, 7U, 64U, 5000U}) {
        const split s = all({'\n', 100, false}, text, piece);
        CHECK(s.records == lines{"ok1", "ok2"});
        CHECK(s.too_long == std::vector<std::size_t>{1000, 500});
        if (piece < 100) CHECK(s.held <= 100 + piece);
    }
}

TEST_CASE("a record of just the longest size is no error") {
    const split s = all({'\n', 5, false}, "12345\n123456\n1\n", 4);
    CHECK(s.records == lines{"12345", "1"});
    CHECK(s.too_long == std::vector<std::size_t>{6});
}
