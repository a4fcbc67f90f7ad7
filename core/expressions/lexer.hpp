// lexer: the words of an expression's text, one after another. One thread.
//
//   number := digit+ ["." digit+] [("e" | "E") ["+" | "-"] digit+]        name := (letter | "_" | "$") (letter | digit | "_" | "$")*
//   text   := "'" … "'" | '"' … '"'      with \\ \' \" \` \n \r \t \uHHHH; any other \ is itself
//   template := "`" (character | "${" expression "}")* "`"      with \$ too
#pragma once

#include "core/expressions/mistake.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

enum class word : std::uint8_t { end, number, text, pattern, name, sign };

struct token {
    word what = word::end;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    std::string_view text;  // as it stands in the source; && and || are "and" and "or", of the word `name`

    [[nodiscard]] bool is(std::string_view sign_or_name) const noexcept {
        return (what == word::sign || what == word::name) && text == sign_or_name;
    }
};

class lexer {
public:
    // Reads source[from, to). The source outlives the lexer and the tokens.
    lexer(std::string_view source, std::uint32_t from, std::uint32_t to) noexcept : source_(source), at_(from), to_(to) {}
    // Throws a mistake.
    [[nodiscard]] token next();

private:
    [[nodiscard]] token made(word what, std::uint32_t from) const noexcept;
    [[nodiscard]] char peek(std::uint32_t ahead = 0) const noexcept { return at_ + ahead < to_ ? source_[at_ + ahead] : '\0'; }
    void skip_digits() noexcept;
    token number();
    token quoted(char quote);
    token sign();

    std::string_view source_;
    std::uint32_t at_;
    std::uint32_t to_;
};

// Where the template or the expression in one that begins at `from` ends: at its "`" or "}". Throws a mistake.
[[nodiscard]] std::uint32_t end_of_template(std::string_view source, std::uint32_t from, std::uint32_t to);
[[nodiscard]] std::uint32_t end_of_hole(std::string_view source, std::uint32_t from, std::uint32_t to);

// What the characters between the quotes mean; `quote`: "`" in a template, where `\$` is a `$`.
[[nodiscard]] std::string unquoted(std::string_view between, std::uint32_t offset, char quote = '"');

}  // namespace mqb::core::expressions
