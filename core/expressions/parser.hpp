// parser: from words to the tree of a program. Throws mistakes; one thread, used once.
//
// Weakest first: ?: | or | and | == != < > <= >= in, not in | + - | not | * / % | ^ (from the right) | ?? | - + in front
//
//   program  := (name "=" expression ";")* expression [";"]
//   postfix  := operand ("." name | "[" expression "]" | "[" [expression] ":" [expression] "]" | "." name "(" arguments ")")*
//   operand  := number | text | template | true | false | null | name | "meta" "." name | "meta" "[" text "]" | "$root" | "#"
//             | name "(" arguments ")" | "(" expression ")" | "[" [expression ("," expression)*] "]"
//             | "{" [key ":" expression ("," key ":" expression)*] "}"
//             | ("[" | "(") expression ".." expression ("]" | ")")
#pragma once

#include "core/expressions/code.hpp"
#include "core/expressions/functions.hpp"
#include "core/expressions/lexer.hpp"

#include <initializer_list>

namespace mqb::core::expressions {

class parser {
public:
    explicit parser(code& into) noexcept : code_(into) {}
    void run();

private:
    static constexpr int weakest = 1;  // `?:`, and with it every operator

    // What a range of the source is read with; templates read theirs inside the one around it.
    struct reading_state {
        lexer words;
        token now, next;
    };

    void begin(std::uint32_t from, std::uint32_t to);
    token take();
    [[nodiscard]] bool takes(std::string_view sign);
    void expect(std::string_view sign, std::string_view after);
    [[noreturn]] void unexpected(std::string_view wanted);

    std::uint32_t statements();
    // Of operators at least that strong.
    std::uint32_t expression(int least);
    std::uint32_t operation(std::uint32_t left, int least);
    std::uint32_t conditional(std::uint32_t condition);
    std::uint32_t prefix();
    std::uint32_t postfix(std::uint32_t of, std::uint32_t from);
    std::uint32_t bracket(std::uint32_t of, std::uint32_t from);
    std::uint32_t operand();
    std::uint32_t name(const token& t);
    std::uint32_t metadata(const token& t);
    std::uint32_t called(const token& t);
    std::uint32_t closure_call(const token& t, closure c);
    std::uint32_t pattern_call(const token& t);
    std::uint32_t method(std::uint32_t of, const token& name, std::uint32_t from);
    std::vector<std::uint32_t> arguments(std::string_view of);
    void check_count(const function& f, std::size_t given, std::uint32_t from) const;
    std::uint32_t round_bracket(const token& t);
    std::uint32_t square_bracket(const token& t);
    std::uint32_t range(const token& t, std::uint32_t from);
    std::uint32_t object(const token& t);
    std::uint32_t template_of(const token& t);

    std::uint32_t add(op what, std::uint32_t from, std::span<const std::uint32_t> kids, std::uint32_t data = 0);
    std::uint32_t add(op what, std::uint32_t from, std::initializer_list<std::uint32_t> kids, std::uint32_t data = 0) {
        return add(what, from, std::span{kids.begin(), kids.size()}, data);
    }
    std::uint32_t constant(std::uint32_t from, const value& v);
    std::uint32_t text_constant(std::uint32_t from, std::string_view text);
    std::uint32_t field(std::uint32_t from, path p);
    // The path one step longer, where `of` is one; what its place is afterwards.
    std::optional<std::uint32_t> longer(std::uint32_t of, std::uint32_t from, step next);
    std::uint32_t name_of(std::string_view text);
    void enter(std::uint32_t at);
    void leave() noexcept { --brackets_; }

    code& code_;
    std::optional<reading_state> words_;
    std::uint32_t end_ = 0;  // of the word taken last
    int brackets_ = 0;
    int closures_ = 0;
};

// Evaluates what needs no message; later nodes are constants then. What fails stays, and fails when it is evaluated.
void fold(code& c, std::uint32_t node);

}  // namespace mqb::core::expressions
