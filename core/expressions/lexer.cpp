#include "core/expressions/lexer.hpp"

#include "core/expressions/json_text.hpp"

#include <array>

namespace mqb::core::expressions {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool begins_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 9> two_letters = {"==", "!=", "<=", ">=", "??", "..", "&&", "||", "**"};
constexpr std::string_view one_letter = "()[]{},:;?.+-*/%^<>=!#";

// Templates in the holes of templates; the parser has a bound of its own.
constexpr int deepest = 64;

[[noreturn]] void unclosed(std::uint32_t from, std::uint32_t to, const char* what) {
    throw mistake{from, to - from, std::string{what} + " does not end"};
}

std::uint32_t end_of_text(std::string_view source, std::uint32_t from, std::uint32_t to) {
    const char quote = source[from];
    for (std::uint32_t i = from + 1; i < to; ++i) {
        if (source[i] == '\\') {
            ++i;
        } else if (source[i] == quote) {
            return i;
        }
    }
    unclosed(from, to, "the text");
}

std::uint32_t end_of_hole(std::string_view source, std::uint32_t from, std::uint32_t to, int depth);

std::uint32_t end_of_template(std::string_view source, std::uint32_t from, std::uint32_t to, int depth) {
    if (depth > deepest) throw mistake{from, to - from, "templates stand too deep in one another"};
    for (std::uint32_t i = from + 1; i < to; ++i) {
        if (source[i] == '\\') {
            ++i;
        } else if (source[i] == '`') {
            return i;
        } else if (source[i] == '$' && i + 1 < to && source[i + 1] == '{') {
            i = end_of_hole(source, i + 2, to, depth);
        }
    }
    unclosed(from, to, "the template");
}

std::uint32_t end_of_hole(std::string_view source, std::uint32_t from, std::uint32_t to, int depth) {
    int braces = 0;
    for (std::uint32_t i = from; i < to; ++i) {
        switch (source[i]) {
            case '\'':
            case '"': i = end_of_text(source, i, to); break;
            case '`': i = end_of_template(source, i, to, depth + 1); break;
            case '{': ++braces; break;
            case '}':
                if (braces-- == 0) return i;
                break;
            default: break;
        }
    }
    unclosed(from - 2, to, "the part \"${\" of the template");
}

}  // namespace

std::uint32_t end_of_template(std::string_view source, std::uint32_t from, std::uint32_t to) {
    return end_of_template(source, from, to, 0);
}
std::uint32_t end_of_hole(std::string_view source, std::uint32_t from, std::uint32_t to) { return end_of_hole(source, from, to, 0); }

token lexer::made(word what, std::uint32_t from) const noexcept { return {what, from, at_ - from, source_.substr(from, at_ - from)}; }

void lexer::skip_digits() noexcept {
    while (is_digit(peek())) ++at_;
}

token lexer::number() {
    const std::uint32_t from = at_;
    skip_digits();
    if (peek() == '.' && is_digit(peek(1))) {
        ++at_;
        skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        const std::uint32_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
        if (is_digit(peek(sign))) {
            at_ += sign;
            skip_digits();
        }
    }
    if (begins_name(peek())) {
        while (begins_name(peek()) || is_digit(peek())) ++at_;
        const token whole = made(word::number, from);
        throw mistake{from, whole.length, "\"" + std::string{whole.text} + "\" is neither a number nor a name"};
    }
    return made(word::number, from);
}

token lexer::quoted(char quote) {
    const std::uint32_t from = at_;
    at_ = 1 + (quote == '`' ? end_of_template(source_, from, to_, 0) : end_of_text(source_, from, to_));
    return made(quote == '`' ? word::pattern : word::text, from);
}

token lexer::sign() {
    const std::uint32_t from = at_;
    for (const std::string_view two : two_letters) {
        if (source_.substr(from, to_ - from).substr(0, 2) != two) continue;
        at_ += 2;
        token t = made(word::sign, from);
        if (two == "**") throw mistake{from, 2, "there is no operator \"**\" (did you mean \"^\"?)"};
        if (two == "&&" || two == "||") {
            t.what = word::name;
            t.text = two == "&&" ? "and" : "or";
        }
        return t;
    }
    if (one_letter.find(source_[from]) != std::string_view::npos) {
        ++at_;
        return made(word::sign, from);
    }
    const char c = source_[from];
    const char* hint = c == '&' ? " (did you mean \"and\"?)" : c == '|' ? " (did you mean \"or\"?)" : "";
    throw mistake{from, 1, "the character \"" + std::string(1, c) + "\" means nothing here" + hint};
}

token lexer::next() {
    while (at_ < to_ && is_blank(source_[at_])) ++at_;
    if (at_ >= to_) return {word::end, to_, 0, {}};
    const char c = source_[at_];
    if (is_digit(c)) return number();
    if (c == '\'' || c == '"' || c == '`') return quoted(c);
    if (!begins_name(c)) return sign();
    const std::uint32_t from = at_;
    while (begins_name(peek()) || is_digit(peek())) ++at_;
    return made(word::name, from);
}

std::string unquoted(std::string_view between, std::uint32_t offset, char quote) {
    std::string out;
    out.reserve(between.size());
    for (std::size_t i = 0; i < between.size(); ++i) {
        if (between[i] != '\\' || i + 1 == between.size()) {
            out += between[i];
            continue;
        }
        const char c = between[++i];
        if (c == 'u') {
            std::size_t read = 0;
            const auto code = read_code_point(between.substr(i - 1), read);
            if (!code)
                throw mistake{offset + static_cast<std::uint32_t>(i) - 1, 2, "\\u is followed by four hexadecimal digits of a character"};
            append_utf8(out, *code);
            i += read - 2;
            continue;
        }
        switch (c) {
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 't': out += '\t'; break;
            case '\\':
            case '\'':
            case '"':
            case '`': out += c; break;
            default:
                if (c != '$' || quote != '`') out += '\\';
                out += c;
        }
    }
    return out;
}

}  // namespace mqb::core::expressions
