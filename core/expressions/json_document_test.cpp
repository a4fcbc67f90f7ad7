#include "core/expressions/json_document.hpp"
#include "core/expressions/machine.hpp"
#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

#include <pthread.h>

#include <random>
#include <string>

using namespace mqb::core::expressions;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t small_stack = 2u << 20;  // its frames are many times as large
#else
constexpr std::size_t small_stack = 256u << 10;
#endif

std::string wrong(std::string_view text) {
    json_document d;
    return std::string{d.read(text)};
}

std::string nested(std::string_view open, std::string_view inside, std::string_view close, std::size_t depth) {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += open;
    out += inside;
    for (std::size_t i = 0; i < depth; ++i) out += close;
    return out;
}

// On a thread with that much stack.
template <class Work>
void on_stack(std::size_t size, Work work) {
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, size) == 0);
    pthread_t thread;
    const auto run = [](void* of) -> void* {
        (*static_cast<Work*>(of))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("what is JSON is read, whatever stands around its values") {
    for (const char* good :
         {"1", " 1 ", "\"a\"", "true", "null", "[]", "{}", "[ ]", "{ }", "[1,2]", " [ 1 , \"]\" ] ", R"({"a":{"b":[{}]},"c":"\"}"})",
          R"(["\u00e4\n\/\ud83d\ude00"])", "-0.0", "1e400", "[\n]\n", "\t{\"a\"\r:\n1}"})
        CHECK_MESSAGE(wrong(good) == "", good);
}

TEST_CASE("what is no JSON is refused as a whole, wherever the mistake stands") {
    for (const char* bad : {"",
                            " ",
                            "x",
                            "nul",
                            "nulll",
                            "tru",
                            "True",
                            "[",
                            "]",
                            "{",
                            "}",
                            "[1",
                            "[1,",
                            "[1,]",
                            "[,1]",
                            "[1 2]",
                            "{\"a\"}",
                            "{\"a\":}",
                            "{\"a\" 1}",
                            "{a:1}",
                            "{\"a\":1,}",
                            "{1:2}",
                            "[1}",
                            "{\"a\":1]",
                            "1 2",
                            "{}{}",
                            "[]x",
                            "01",
                            "-",
                            "+1",
                            ".5",
                            "5.",
                            "1e",
                            "1e+",
                            "0x1",
                            "NaN",
                            "1\"a\"",
                            "\"a\"1",
                            "\"a",
                            "\"\\q\"",
                            "\"\\u12\"",
                            "\"\\ud800\"",
                            "\"\\udc00\"",
                            "\"\\ud800\\u0041\"",
                            "\"a\nb\"",
                            "\"\xff\"",
                            "[\"a\" : 1]",
                            "{\"a\",1}",
                            "{:1}",
                            "{\"\\q\":1}",
                            "[{\"a\":1,\"\\ud800\":1}]",
                            "\xef\xbb\xbf{}",
                            "/**/1",
                            "['a']",
                            "{\"b\":{\"c\":[1,{\"d\":tru}]},\"a\":1}"})
        CHECK_MESSAGE(wrong(bad) != "", bad);
    CHECK(transformed("a", "{\"b\":[1,{\"d\":tru}],\"a\":1}").starts_with("error: the payload is not structured JSON"));
}

TEST_CASE("C094: numbers that nobody touched do not change, and ids of 19 digits differ") {
    const std::string payload =
        R"({"id":6000000000000002181,"u":18446744073709551615,"n":-9223372036854775808,"big":123456789012345678901234567890,)"
        R"("f":0.1,"g":1.0,"h":1.10,"z":-0.0,"e":1e400,"flag":false})";
    CHECK(transformed("$root", payload) == payload);
    CHECK(transformed("{id: id, u: u, n: n, big: big, f: f, g: g, h: h, z: z, e: e, flag: true}", payload) ==
          R"({"id":6000000000000002181,"u":18446744073709551615,"n":-9223372036854775808,"big":123456789012345678901234567890,)"
          R"("f":0.1,"g":1.0,"h":1.10,"z":-0.0,"e":1e400,"flag":true})");
    CHECK(transformed("merge($root, {flag: true})", payload).starts_with(R"({"id":6000000000000002181,"u":18446744073709551615,)"));
    CHECK(filtered("id == 6000000000000002181", payload) == "keep");
    CHECK(filtered("id == 6000000000000002181", R"({"id":6000000000000002180})") == "drop");
    CHECK(filtered("u == 18446744073709551615 and u > 18446744073709551614", payload) == "keep");
    CHECK(filtered("big == 123456789012345678901234567890 and big != 123456789012345678901234567891", payload) == "keep");
    CHECK(filtered("e > 1e399 and e < 1e401", payload) == "keep");
    CHECK(transformed("e * 2", payload) == "2e400");
    CHECK(transformed("h + 0", payload) == "1.10");
    CHECK(transformed("{u: u - 1}", payload) == R"({"u":18446744073709551614})");
    CHECK(transformed("e + 1", payload) == "error: the result needs more than 38 digits");
    CHECK(filtered("x == 123456789012345678901234567890123456789.5", R"({"x":1})")
              .starts_with("compile: the number has more than 38 digits"));
    const std::string longest = R"({"x":1234567890123456789012345678901234567890123,"y":1234567890123456789012345678901234567890124})";
    CHECK(transformed("x", longest) == "1234567890123456789012345678901234567890123");
    CHECK(filtered("x == y", longest).starts_with("error: the number in \"x == y\" has more than 38 digits"));
}

TEST_CASE("texts that nobody touched stay byte for byte") {
    const std::string payload = R"({"t":"\u00e4\/\ud83d\ude00 \"q\"","k\u0065y":[ 1 , "\t" ]})";
    CHECK(transformed("t", payload) == R"("\u00e4\/\ud83d\ude00 \"q\"")");
    CHECK(transformed("{x: t, y: key}", payload) == R"({"x":"\u00e4\/\ud83d\ude00 \"q\"","y":[ 1 , "\t" ]})");
    CHECK(transformed("t == 'ä/😀 \"q\"'", payload) == "true");
    CHECK(transformed("t + '!'", payload) == R"("ä/😀 \"q\"!")");
    CHECK(transformed("len(t)", payload) == "7");
}

TEST_CASE("C095: deep nesting is an error with its name, on a small stack too") {
    on_stack(small_stack, [] {
        constexpr std::size_t deep = 100'000;
        const std::string lists = nested("[", "", "]", deep), objects = nested("{\"a\":", "1", "}", deep);
        for (const std::string& payload :
             {lists, objects, "{\"b\":" + objects + ",\"a\":1}", nested("[", "", "]", 1'100), nested("{\"a\":", "1", "}", 1'100)})
            for (const char* expression : {"a == 1", "$root == $root"}) {
                CHECK(filtered(expression, payload) == "error: the payload is not structured JSON: its nesting is deeper than 128");
                CHECK(filtered(expression, "{\"a\":1}") == "keep");
            }
        for (const std::size_t fine : {63u, 127u}) {
            const std::string payload = "{\"x\":" + nested("[", "", "]", fine) + ",\"a\":1}";
            CHECK(filtered("a == 1 and x == x", payload) == "keep");
            CHECK(transformed("x", payload) == nested("[", "", "]", fine));
            const std::string object = nested("{\"a\":", "1", "}", fine);
            CHECK(transformed("mergeDeep($root, $root)", object) == object);
            CHECK(transformed("$root == mergeDeep($root, $root)", object) == "true");
        }
    });
}

TEST_CASE("what an expression makes is no deeper than what it reads, on a small stack too") {
    on_stack(small_stack, [] {
        const auto made = [](std::string_view first, std::string_view step, std::size_t times, std::string_view then) {
            std::string out{first};
            for (std::size_t i = 0; i < times; ++i) out += step;
            return out + std::string{then};
        };
        const std::string deep = "error: the nesting of a value is deeper than 128";
        for (const auto& [first, step] : {std::pair{"a=[1];", "a=[a];"}, std::pair{"a={k:1};", "a={k:a};"}}) {
            for (const char* then : {"a", "string(a)", "[a == a]", "`${a}`", "[a] == [a]", "1 in [a] ? 1 : a"}) {
                CHECK_MESSAGE(transformed(made(first, step, 7'000, then), "{}") == deep, std::string{then});
                CHECK_MESSAGE(transformed(made(first, step, 128, then), "{}") == deep, std::string{then});
                CHECK_MESSAGE(!transformed(made(first, step, 126, then), "{}").starts_with("error"), std::string{then});
            }
        }
        CHECK(transformed(made("a={k:1};", "a={k:a};", 7'000, "len(mergeDeep(a, a))"), "{}") == deep);
        CHECK(transformed(made("a={k:1};", "a={k:a};", 127, "len(mergeDeep(a, a))"), "{}") == "1");
        // A part of the payload that is written as it came counts, too.
        const std::string whole = nested("[", "", "]", 128), plain = "[[" + nested("[", "", "]", 126) + ",{\"a\":[]}],[]]";
        CHECK(transformed("$root", whole) == whole);
        CHECK(transformed("[$root[0]]", whole) == whole);
        CHECK(transformed("[$root]", whole) == deep);
        CHECK(transformed("{x: [$root[0]]}", whole) == deep);
        CHECK(transformed("$root[1]", plain) == "[]");
        CHECK(transformed("[$root[0], 1]", plain) == "[" + plain.substr(1, plain.size() - 5) + ",1]");
        CHECK(transformed("[[$root[0], 1]]", plain) == deep);
    });
}

TEST_CASE("C097: of keys that repeat the last one counts, in what is judged and in what is written") {
    const std::string admin = R"({"role":"user","role":"admin"})", user = R"({"role":"admin","role":"user"})";
    CHECK(filtered("role == 'user'", admin) == "drop");
    CHECK(filtered("role == 'user'", user) == "keep");
    CHECK(transformed("{role: role, x: 1}", user) == R"({"role":"user","x":1})");
    CHECK(transformed("$root", user) == R"({"role":"user"})");
    CHECK(transformed("merge($root, {x: 1})", user) == R"({"role":"user","x":1})");
    CHECK(transformed("[1, {in: $root}]", user) == R"([1,{"in":{"role":"user"}}])");
    CHECK(transformed("keys($root)", user) == R"(["role"])");
    CHECK(transformed("values($root)", user) == R"(["user"])");
    CHECK(transformed("len($root)", user) == "1");
    CHECK(filtered("$root == {role: 'user'}", user) == "keep");
    const std::string disguised = R"({"role":"user","r\u006fle":"admin"})";
    CHECK(filtered("role == 'user'", disguised) == "drop");
    CHECK(transformed("$root", disguised) == R"({"role":"admin"})");
    const std::string inside = R"({"list":[ {"a":1,"b":{"c":1,"c":2}} , 3 ]})";
    CHECK(transformed("list", inside) == R"([{"a":1,"b":{"c":2}},3])");
    CHECK(transformed("list[0].b.c", inside) == "2");
    std::string many = "{";
    for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + (i == 99 ? "}" : ",");
    CHECK(transformed("len($root)", many) == "50");
    CHECK(transformed("$root.k7", many) == "57");
    CHECK(transformed("$root", many).starts_with(R"({"k0":50,"k1":51,)"));
}

TEST_CASE("an evaluation is bounded in steps and in memory") {
    std::string list = "{\"l\":[0";
    for (int i = 1; i < 5'000; ++i) list += "," + std::to_string(i);
    list += "]}";
    CHECK(transformed("count(l, # >= 0)", list) == "5000");
    CHECK(transformed("count(l, some(l, # < 0))", list) == "error: the expression takes more than 10000000 steps");
    CHECK(transformed("map([1..1000000], map([1..1000000], 1))", list) == "error: the expression needs more than 64 MiB of memory");
    CHECK(transformed("len([1..9000000])", list) == "error: the expression needs more than 64 MiB of memory");
    CHECK(transformed("{a: [1..1000000000000000]}", list) == "error: a range is no JSON; map([1..3], #) makes a list of one");
    CHECK(transformed("count(l, # >= 0)", list) == "5000");
}

TEST_CASE("work that grows with the square of a message is bounded, too") {
    std::string list = "0", members = "\"k\":0";
    for (int i = 1; i < 2'000; ++i) {
        list += "," + std::to_string(i);
        members += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
    }
    constexpr std::size_t large = 1u << 18;
    const std::string zeros = "0." + std::string(large, '0');
    const std::string payload = "{\"l\":[" + list + "],\"o\":{" + members + "},\"s\":\"" + std::string(large, 'x') + "\",\"n\":" + zeros +
                                ",\"z\":\"" + zeros + "\",\"b\":\"" + std::string(large, ' ') + "1\",\"t\":\"" +
                                std::string(large / 16, 'x') + "\"}";
    // Few of the steps that an evaluation has, so that the test is quick; the operations of each expression that are not counted by the
    // size of the message are fewer still.
    constexpr std::uint64_t steps = 50'000;
    const auto bounded = [&](const char* expression, purpose meant_for) -> std::string {
        const auto p = compile(expression, meant_for);
        if (!p) return p.error().text;
        workspace work{workspace::most_memory, steps};
        work.evaluation = 1;
        work.fields.resize(p->internal().fields.size());
        work.locals.resize(p->internal().locals.size());
        const subject of{bytes_of(payload), {}};
        try {
            return std::string{type_name(machine{p->internal(), work, &of}.run(p->internal().start).what)};
        } catch (const mistake& m) { return m.text; } catch (const arena::exhausted&) {
            return "memory";
        }
    };
    for (const char* expression : {"all(l, l == l)",
                                   "count(l, o[`k${#}`] == 1)",
                                   "len(flatten(map(l, l)))",
                                   "len(flatMap(l, l))",
                                   "all(l, contains(l, -1) or true)",
                                   "all(l, # not in l or true)",
                                   "count(l, matches(s, 'y'))",
                                   "all(l, s[260000 + # * 0] == 'x')",
                                   "all(l, s[260000:] != '')",
                                   "count(l, len(s) == 1)",
                                   "count(l, contains(s, 'y'))",
                                   "all(l, contains('y', s) or true)",
                                   "count(l, n == 1)",
                                   "all(l, n < 1)",
                                   "all(l, n + 1 > 0)",
                                   "count(l, number(z) == 1)",
                                   "all(l, isNumeric(z))",
                                   "count(l, z == 1)",
                                   "all(l, b == 1)",
                                   "all(l, len(`${n}`) < 99)"})
        CHECK_MESSAGE(bounded(expression, purpose::filter) == "the expression takes more than 50000 steps", std::string{expression});
    CHECK(bounded("m = merge(o); count(l, m[`k${#}`] == -1)", purpose::transform) == "the expression takes more than 50000 steps");
    for (const char* expression : {"all(l, s == s + '')", "len(map(l, upper(s)))", "len(map(l, merge(o, o)))", "len(map(l, `${s}${s}`))",
                                   "len(map(l, string($root)))", "len(map(l, split(t, 'x')))"}) {
        const std::string result = bounded(expression, purpose::filter);
        CHECK_MESSAGE((result == "the expression takes more than 50000 steps" || result == "memory"),
                      std::string{expression} << ": " << result);
    }
    CHECK(transformed("map(l, s)", payload) == "error: the expression needs more than 64 MiB of memory");
    CHECK(transformed("`${s}${s}${s}${s}` + `${s}`", payload).size() == 5 * large + 2);
}

TEST_CASE("a text is found in time that does not grow with the product of both lengths") {
    // Each place of the one begins as the other does, which differs in its last character.
    constexpr std::size_t large = 8u << 20;
    const std::string payload = "{\"t\":\"" + std::string(large, 'a') + "\",\"p\":\"" + std::string(large / 2, 'a') + "b\"}";
    CHECK(transformed("[contains(t, p), contains(p, 'ab'), len(split(t, p)), contains(t, '')]", payload) == "[false,true,1,true]");
    CHECK(transformed("[split('a,,b,', ','), split('aaa', 'aa'), split('', 'x')]", "{}") == R"([["a","","b",""],["","a"],[""]])");
}

TEST_CASE("a pattern takes steps by its size, for each letter of the text") {
    const std::string payload = "{\"t\":\"" + std::string(1u << 20, 'x') + "\"}",
                      more = "error: the expression takes more than 10000000 steps";
    std::string groups;
    for (int i = 0; i < 64; ++i) groups += "(x*)";
    CHECK(transformed("matches(t, '((x{1,20}){1,40})y')", payload) == more);
    CHECK(transformed("extract(t, '" + groups + "')", payload) == more);
    CHECK(transformed("matches(t, 'x{200}y')", payload) == "false");
    CHECK(transformed("[matches('xxy', '((x{1,20}){1,40})y'), len(extract('x', '" + groups + "'))]", payload) == "[true,65]");
}

TEST_CASE("the deepest expression is compiled and evaluated on a small stack") {
    on_stack(small_stack, [] {
        const auto around = [](std::string_view open, std::string_view inside, std::string_view close, std::size_t depth) {
            return nested(open, inside, close, depth);
        };
        for (const std::string& expression :
             {around("(", "a", ")", 99), around("[", "a", "]", 99), around("string(", "a", ")", 99), around("{k: ", "a", "}", 99),
              around("`${", "a", "}`", 60), around("map([a], ", "#", ")", 99), around("(a + ", "a", ")", 49),
              around("true ? ", "a", " : 1", 99), around("not ", "true", "", 99), "a" + around(" + a", "", "", 198),
              around("a ?? ", "a", "", 99), around("(1 * -", "a", ")", 33), around("l[", "0", "]", 99)}) {
            const std::string result = transformed(expression, R"({"a":1,"l":[0]})");
            CHECK_MESSAGE(!result.starts_with("compile: "), expression.substr(0, 40) << result);
        }
    });
}

TEST_CASE("payloads that are broken anywhere never crash an evaluation") {
    std::mt19937_64 dice{5};
    const std::string whole = R"({"a":[1,-2.5e3,"x\u00e4\n",true,null,{"b":{"c":"\ud83d\ude00"}}],"d":" ","e":{}})";
    const auto p = compile("a[5].b.c == d or len(a) > 3 and $root != e", purpose::filter),
               all = compile("merge($root, {x: a})", purpose::transform);
    evaluator e;
    for (int i = 0; i < 20'000; ++i) {
        std::string broken = whole;
        for (auto left = 1 + dice() % 3; left-- > 0;) {
            const std::size_t at = dice() % broken.size();
            switch (dice() % 3) {
                case 0: broken[at] = static_cast<char>(dice()); break;
                case 1: broken.erase(at, 1 + dice() % 4); break;
                default: broken.insert(at, 1, "{}[]\",:\\1tn"[dice() % 11]);
            }
            if (broken.empty()) broken = "1";
        }
        (void)e.holds(*p, bytes_of(broken), {});
        const auto written = e.json(*all, bytes_of(broken), {});
        if (written) CHECK(wrong(*written) == "");
    }
}
