#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace mqb::core::expressions;

namespace {

std::string shape(std::string_view expression, purpose meant_for = purpose::transform) {
    const auto p = compile(expression, meant_for);
    return p ? p->text() : "mistake: " + p.error().text;
}

mistake mistake_of(std::string_view expression, purpose meant_for = purpose::transform) {
    const auto p = compile(expression, meant_for);
    REQUIRE_MESSAGE(!p.has_value(), expression);
    return p.error();
}

// An expression that compiles most of the time, of every kind of part.
struct generator {
    std::mt19937_64 dice;

    std::size_t below(std::size_t n) { return dice() % n; }
    std::string one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }
    std::string leaf() {
        return one_of(
            {"a",         "b.c",  "items[2].n", "meta.k", "meta[\"x.y\"]",  "$root", "1",  "2.50", "1e3",      "'t'",
             "\"q\\\"\"", "null", "true",       "false",  "$root[\"a b\"]", "[]",    "{}", "# ",   "`p${a}q`", "18446744073709551615"});
    }
    std::string made(int depth) {
        if (depth == 0) return leaf();
        const auto sub = [&] { return made(depth - 1); };
        switch (below(14)) {
            case 0: return "(" + sub() + ")";
            case 1: return sub() + one_of({" + ", " - ", " * ", " / ", " % ", " ^ ", "-"}) + sub();
            case 2: return sub() + one_of({" == ", " != ", "<", ">", " <= ", " >= ", " in ", " not in "}) + sub();
            case 3: return sub() + one_of({" and ", " or ", "&&", "||"}) + sub();
            case 4: return one_of({"not ", "!", "-", "+"}) + sub();
            case 5: return sub() + " ?? " + sub();
            case 6: return sub() + " ? " + sub() + " : " + sub();
            case 7: return "[" + sub() + ", " + sub() + "]";
            case 8: return "{k: " + sub() + ", \"l m\": " + sub() + "}";
            case 9: return one_of({"map", "filter", "all", "count", "flatMap"}) + "(" + sub() + ", " + sub() + ")";
            case 10: return one_of({"len", "sum", "upper", "string", "number", "keys", "type", "round"}) + "(" + sub() + ")";
            case 11: return sub() + one_of({".x", "[0]", "[\"k\"]", "[1:2]", "[:1]"});
            case 12: return one_of({"[1..", "(1.."}) + sub() + (below(2) == 0 ? "]" : ")");
            default: return "`x${" + sub() + "}y`";
        }
    }
};

}  // namespace

TEST_CASE("operators bind as the table says, weakest first") {
    CHECK(shape("a ? b : c ? d : e") == "(a ? b : (c ? d : e))");
    CHECK(shape("a or b and c == d + e * f ^ g ?? -h") == "(a or (b and (c == (d + (e * (f ^ (g ?? (-h))))))))");
    CHECK(shape("a ^ b ^ c") == "(a ^ (b ^ c))");
    CHECK(shape("a - b - c") == "((a - b) - c)");
    CHECK(shape("-a ^ b") == "((-a) ^ b)");
    CHECK(shape("not a * b") == "(not (a * b))");
    CHECK(shape("not a + b") == "((not a) + b)");
    CHECK(shape("not a == b") == "((not a) == b)");
    CHECK(shape("a not in b") == "(a not in b)");
    CHECK(shape("a && b || !c") == "((a and b) or (not c))");
    CHECK(shape("a or b or c or d") == "(a or b or c or d)");
    CHECK(shape("'a && b'") == "\"a && b\"");
    CHECK(shape("a ?? b ?? c") == "((a ?? b) ?? c)");
    CHECK(shape("a in [1..b]") == "(a in [1..b])");
    CHECK(shape("a.b[\"c d\"][0].e") == "a.b[\"c d\"][0].e");
    CHECK(shape("`a${b + `c${d}`}`") == "`${\"a\"}${(b + `${\"c\"}${d}`)}`");
}

TEST_CASE("what needs no message is a constant after compiling") {
    CHECK(shape("1 + 2 * 3") == "7");
    CHECK(shape("a > 60 * 60") == "(a > 3600)");
    CHECK(shape("upper('a') + 'b'") == "\"Ab\"");
    CHECK(shape("x in ['a', 'b' + 'c']") == "(x in [\"a\", \"bc\"])");
    CHECK(shape("true ? 1 / 0 : 2") == "(true ? (1 / 0) : 2)");
    CHECK(shape("{a: [1, 2], b: {c: 0.1 + 0.2}}") == "{a: [1, 2], b: {c: 0.3}}");
}

TEST_CASE("a constant that takes long to find is left to the evaluation") {
    CHECK(shape("len([1..100])") == "100");
    CHECK(shape("len([1..1000000])") == "len([1..1000000])");
    std::string many = "0";
    for (int i = 0; i < 150; ++i) many += " + len([1..1900000])";
    CHECK(compile(many, purpose::transform).has_value());
}

TEST_CASE("what is read of a message is known after compiling") {
    const auto p = compile("a.b > 1 and some(items, #.n == a.b) and $root[\"x y\"] == meta.k", purpose::filter);
    REQUIRE(p.has_value());
    CHECK(p->payload_paths() == std::vector<std::string>{"a.b", "items", "$root[\"x y\"]"});
    CHECK(p->metadata_keys() == std::vector<std::string>{"k"});
    CHECK(p->needs_payload());
    const auto none = compile("1 + 2", purpose::transform);
    REQUIRE(none.has_value());
    CHECK_FALSE(none->needs_payload());
}

TEST_CASE("a mistake says where it is, and what was probably meant") {
    struct row {
        const char* expression;
        std::uint32_t offset, length;
        const char* text;
    };
    const row rows[] = {
        {"lenn(a)", 0, 4, "there is no function \"lenn\" (did you mean \"len\"?)"},
        {"1 + matchess(a, 'x')", 4, 8, "there is no function \"matchess\" (did you mean \"matches\"?)"},
        {"len(a, b)", 0, 9, "\"len\" takes 1 argument, not 2"},
        {"round()", 0, 7, "\"round\" takes 1 to 2 arguments, not 0"},
        {"a ==", 4, 1, "the expression ends where a value is missing"},
        {"a b", 2, 1, "\"b\" stands where an operator or the end is expected"},
        {"(a", 2, 1, "the expression ends where \")\" after what stands in brackets is missing"},
        {"1 + a = 2", 6, 1, "\"=\" stands where an operator or the end is expected (did you mean \"==\"?)"},
        {"'abc", 0, 4, "the text does not end"},
        {"`a${b", 2, 3, "the part \"${\" of the template does not end"},
        {"# > 1", 0, 1, "\"#\" is the element of a list, inside map, filter and the like"},
        {"count(a)", 7, 1, "\")\" stands where \",\" and an expression about \"#\" in \"count\" is expected"},
        {"matches(a, '(')", 11, 3, "the pattern cannot be read: missing ): ("},
        {"matches(a, b)", 11, 1, "the pattern of \"matches\" is a text that stands in the expression"},
        {"meta == 1", 0, 4, "\"meta\" is followed by a key: meta.key or meta[\"a.key\"]"},
        {"meta.a.b", 0, 8, "a metadata key with a point is written meta[\"a.b\"]"},
        {"a[-1]", 2, 2, "an index is a whole number from 0 on"},
        {"{a: 1, a: 2}", 7, 1, "the key \"a\" stands here twice"},
        {"2 ** 3", 2, 2, "there is no operator \"**\" (did you mean \"^\"?)"},
        {"a & b", 2, 1, "the character \"&\" means nothing here (did you mean \"and\"?)"},
        {"1x", 0, 2, "\"1x\" is neither a number nor a name"},
        {"$foo", 0, 4, "\"$foo\" means nothing (did you mean \"$root\", the whole payload?)"},
        {"", 0, 1, "the expression ends where a value is missing"},
        {"a = 1", 2, 1, "what is set is followed by \";\" and an expression (did you mean \"==\"?)"},
        {"true = 1; 2", 0, 4, "\"true\" cannot be set"},
        {"123456789012345678901234567890123456789", 0, 39, "the number has more than 38 digits, or is out of range"},
        {"\xff", 0, 1, "the expression is not UTF-8"},
    };
    for (const row& r : rows) {
        const mistake m = mistake_of(r.expression);
        CAPTURE(r.expression);
        CHECK(m.text == r.text);
        CHECK(m.offset == r.offset);
        CHECK(m.length == r.length);
    }
}

TEST_CASE("the caret stands under the place") {
    CHECK(with_caret("a = 1", mistake_of("a = 1", purpose::filter)) ==
          "\"=\" sets a value, which a filter does not do (did you mean \"==\"?)\n  a = 1\n    ^\n");
    CHECK(with_caret("é + lenn(a)", mistake_of("é + lenn(a)")) ==
          "there is no function \"lenn\" (did you mean \"len\"?)\n  é + lenn(a)\n      ^^^^\n");
    CHECK(with_caret("a +\n\tlenn(b) +\n c", mistake_of("a +\n\tlenn(b) +\n c")) ==
          "there is no function \"lenn\" (did you mean \"len\"?)\n   lenn(b) +\n   ^^^^\n");
    const std::string far = std::string(1000, ' ') + "lenn(a)" + std::string(1000, ' ');
    CHECK(with_caret(far, mistake_of(far)).size() < 400);
}

TEST_CASE("a dollar sign is escaped in a template alone; a pattern in a plain text keeps its backslash") {
    CHECK(filtered(R"(matches(price, '^\$5'))", R"({"price":"$50"})") == "keep");
    CHECK(filtered(R"(matches(price, "^\$5"))", R"({"price":"x$5"})") == "drop");
    CHECK(transformed(R"('a\$b')", "{}") == R"("a\\$b")");
    CHECK(transformed(R"(`\${a} is ${a} \$ ${'\$'}`)", R"({"a":1})") == R"("${a} is 1 $ \\$")");
}

TEST_CASE("size and depth of an expression are bounded") {
    const auto repeated = [](std::string_view part, std::size_t count) {
        std::string out;
        for (std::size_t i = 0; i < count; ++i) out += part;
        return out;
    };
    CHECK(mistake_of(repeated(" ", longest_expression) + "1").text == "the expression is longer than 65536 bytes");
    CHECK(mistake_of(repeated("(", 60'000)).text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("[", 60'000)).text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("not ", 10'000) + "a").text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("-", 10'000) + "a").text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("a ? ", 10'000) + "a").text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("a^", 10'000) + "a").text == "the nesting of brackets is deeper than 100");
    CHECK(mistake_of(repeated("`${", 10'000)).text == "templates stand too deep in one another");
    CHECK(mistake_of("a" + repeated(" + a", 10'000)).text == "the nesting of operations is deeper than 200");
    CHECK(mistake_of("upper(a)" + repeated(".x", 10'000)).text == "the nesting of operations is deeper than 200");
    const std::string longest = "a" + repeated(".x", 127);
    CHECK(shape(longest) == longest);
    const mistake m = mistake_of("1 + " + longest + ".y.z");
    CHECK(m.text == "the path is longer than 128 steps");
    CHECK(m.offset == 4);
    CHECK(m.length == longest.size() + 2);
    CHECK(mistake_of("$root" + repeated("[0]", 20'000)).text == "the path is longer than 128 steps");
    CHECK(compile(repeated("a == 1 or ", 3'000) + "b", purpose::filter).has_value());
    CHECK(compile(repeated("(", 99) + "a" + repeated(")", 99), purpose::filter).has_value());
}

TEST_CASE("the text of a program compiles to the same program, and evaluates to the same") {
    generator g{std::mt19937_64{7}};
    const std::string payload = R"({"a":3,"b":{"c":"t"},"items":[1,2,{"n":5}],"a b":null})";
    int compiled = 0, evaluated = 0;
    for (int i = 0; i < 6'000; ++i) {
        const std::string expression = g.made(static_cast<int>(g.below(5)));
        const auto first = compile(expression, purpose::transform);
        if (!first) continue;
        ++compiled;
        const std::string text = first->text();
        CAPTURE(expression);
        CHECK(shape(text) == text);
        const std::string result = transformed(expression, payload, {{"k", "v"}});
        if (result.starts_with("error: ")) {
            CHECK(transformed(text, payload, {{"k", "v"}}).starts_with("error: "));
        } else {
            CHECK(transformed(text, payload, {{"k", "v"}}) == result);
            ++evaluated;
        }
        (void)filtered(expression, payload);
    }
    CHECK(compiled > 3'000);
    CHECK(evaluated > 900);
}

TEST_CASE("no text crashes the compiler") {
    std::mt19937_64 dice{11};
    const std::vector<std::string> parts = {
        "a", "meta", "$root", "#",   "map(", "(",  ")",  "[",        "]",    "{",           "}",        ",",   ":",  "?", "??",
        ".", "..",   "+",     "-",   "*",    "^",  "==", "=",        "!",    "not",         "in",       "and", "or", "'", "\"",
        "`", "${",   "1",     "1.5", "1e",   "\\", "\n", "\xc3\xa9", "\x80", "matches(a,'", "extract(", ";",   "&&", "|", "len("};
    for (int i = 0; i < 10'000; ++i) {
        std::string expression;
        for (auto left = dice() % 12; left-- > 0;) expression += parts[dice() % parts.size()];
        for (const purpose p : {purpose::filter, purpose::transform}) {
            const auto made = compile(expression, p);
            if (!made) CHECK(with_caret(expression, made.error()).find('^') != std::string::npos);
        }
    }
}
