#include "json_string.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::file;

namespace {

std::string escaped(std::string_view text) {
    std::string to(text.size() * longest_escape + chunk_padding, '?');
    to.resize(static_cast<std::size_t>(put_json_text(to.data(), text) - to.data()));
    return to;
}
std::string unescaped(std::string_view inside) {
    std::string to(inside.size(), '?');
    to.resize(static_cast<std::size_t>(put_unescaped(to.data(), inside) - to.data()));
    return to;
}

}  // namespace

TEST_CASE("control characters, quotes and backslashes are escaped, nothing else") {
    CHECK(escaped("plain") == "plain");
    CHECK(escaped("a\"b\\c/d") == R"(a\"b\\c/d)");
    CHECK(escaped("\b\f\n\r\t") == R"(\b\f\n\r\t)");
    CHECK(escaped(std::string_view("\0\x01\x1f\x7f", 4)) == "\\u0000\\u0001\\u001f\x7f");
    CHECK(escaped("\xc3\xa9\xe2\x82\xac") == "\xc3\xa9\xe2\x82\xac");
    CHECK(escaped("") == "");
}

TEST_CASE("an escape is right at every place of texts of every size up to three chunks") {
    for (std::size_t size = 1; size <= 48; ++size)
        for (std::size_t at = 0; at < size; ++at) {
            const std::string exact_block(size, 'x');  // its own allocation: a read behind it is found by the sanitizer
            std::string text = exact_block;
            text[at] = '\n';
            const std::string expected = exact_block.substr(0, at) + "\\n" + exact_block.substr(at + 1);
            CHECK(escaped(std::string_view(text.data(), size)) == expected);
        }
}

TEST_CASE("escapes are read back to what they mean") {
    CHECK(unescaped("plain") == "plain");
    CHECK(unescaped(R"(a\"b\\c\/d)") == "a\"b\\c/d");
    CHECK(unescaped(R"(\b\f\n\r\t)") == "\b\f\n\r\t");
    CHECK(unescaped(R"(\u0041\u00e9\u20AC\ud83d\ude00!)") == "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80!");
    CHECK(unescaped(R"(\u0000)") == std::string(1, '\0'));
}
