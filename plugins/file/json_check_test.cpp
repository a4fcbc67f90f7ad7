#include "json_check.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace mqb::file;

TEST_CASE("a text is JSON or it is not") {
    json_check check;
    for (const char* text : {"{}", " [1, 2.50, -1e400]\n", "\"\\u00e9\\ud83d\\ude00\"", "null", "0", "{\"a\":{\"b\":[]}}", "\"\xc3\xa9\""})
        CHECK(check.is_json(text));
    for (const char* text :
         {"", " ", "{", "[1,]", "{\"a\"}", "01", "nul", "{}x", "{} {}", "\"\xff\"", "\"\xc3\"", "\"\\ud83d\"", "'a'", "\"\n\""})
        CHECK_FALSE(check.is_json(text));
    CHECK(check.is_json(std::string(512, '[') + std::string(512, ']')));
    CHECK_FALSE(check.is_json(std::string(513, '[') + std::string(513, ']')));
    CHECK(check.is_json("{}"));  // what was wrong before does not matter
}

TEST_CASE("where a text lies in memory does not matter") {
    // Allocators that keep blocks of one size side by side put a text right before the parser.
    for (std::size_t size = 16; size <= 512; size += 16) {
        const std::string text = '"' + std::string(size - 2, 'x') + '"';
        std::vector<std::unique_ptr<char[]>> texts;
        std::vector<std::unique_ptr<json_check>> checks;
        for (int i = 0; i < 64; ++i) {
            texts.emplace_back(new char[size]);
            text.copy(texts.back().get(), size);
            checks.push_back(std::make_unique<json_check>());
        }
        for (const auto& check : checks)
            for (const auto& one : texts) CHECK(check->is_json({one.get(), size}));
    }
}
