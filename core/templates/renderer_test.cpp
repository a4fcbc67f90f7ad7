#include "core/templates/trial_test.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

long allocations_so_far() noexcept;

using namespace mqb::core;
using namespace mqb::core::templates;

TEST_CASE("a field of the payload: texts bare, everything else as it is written") {
    trial t{R"({"s":"te\"xt","e":"","u":"\u00e4\n","n":1.50,"big":6000000000000002181,"t":true,"z":null,"l":[ 10, {"x": [true]}],
                "o":{"b":1, "a":2},"0":"zero","a b":{"c-d":"e"}})"};
    CHECK(t("${payload:s}") == "te\"xt");
    CHECK(t("<${payload:e}>") == "<>");
    CHECK(t("${payload:u}") == "ä\n");
    CHECK(t("${payload:n}/${payload:big}/${payload:t}") == "1.50/6000000000000002181/true");
    CHECK(t("${payload:l.0}") == "10");
    CHECK(t("${payload:l.1.x.0}") == "true");
    CHECK(t("${payload:l}") == R"([ 10, {"x": [true]}])");
    CHECK(t("${payload:o}") == R"({"b":1, "a":2})");
    CHECK(t("${payload:0}") == "zero");
    CHECK(t("${ payload : a b.c-d }") == "e");
    CHECK(t("a${payload:s}b${payload:n}c") == "ate\"xtb1.50c");
}

TEST_CASE("what is not there, or null, is empty, and the rendering says so") {
    trial t{R"({"a":{"b":1},"z":null,"l":[1],"s":"x"})"};
    CHECK(t("<${payload:c}>") == "<> (${payload:c} has no value)");
    CHECK(t("<${payload:z}${payload:c}>") == "<> (${payload:z} has no value)");
    for (const char* token : {"${payload:a.c}", "${payload:a.b.c}", "${payload:l.1}", "${payload:l.x}", "${payload:l.99999999999}",
                              "${payload:s.0}", "${payload:a.0}", "${metadata:k}"})
        CHECK(t(token) == std::string{" ("} + token + " has no value)");
}

TEST_CASE("the whole payload") {
    CHECK(trial{R"( {"a": 1.0} )"}("${payload:}") == R"({"a": 1.0})");
    CHECK(trial{R"("te\u0078t")"}("${payload}") == "text");
    CHECK(trial{"[1, 2]"}("${payload:1}") == "2");
    CHECK(trial{"null"}("${payload:}") == " (${payload:} has no value)");
}

TEST_CASE("a payload that is no JSON has no fields") {
    CHECK(trial{"text"}("<${payload:a}${payload:b}>") ==
          "<> (${payload:a} has no value: the payload is not structured JSON: it is no JSON)");
    CHECK(trial{""}("${payload:}") == " (${payload:} has no value: the payload is not structured JSON: it is empty)");
    CHECK(trial{}("${payload:a}") == " (${payload:a} has no value: the message has no payload)");
    const std::string deep = std::string(129, '[') + std::string(129, ']');
    CHECK(trial{deep}("${payload:0}") ==
          " (${payload:0} has no value: the payload is not structured JSON: its nesting is deeper than 128)");
}

TEST_CASE("where a key repeats the last one counts, on the way and in what is written") {
    trial t{R"({"a":1,"a":{"b":"x","b":"y","c":{"d":1,"d":2}}})"};
    CHECK(t("${payload:a.b}") == "y");
    CHECK(t("${payload:a}") == R"({"b":"y","c":{"d":2}})");
}

TEST_CASE("metadata in its one text form") {
    trial t{no_payload, {{"k", "first"}, {"x", "y"}, {"k", "last"}, {"a.b", "dotted"}, {"empty", ""}}};
    CHECK(t("${metadata:x}-${ metadata : a.b }") == "y-dotted");
    CHECK(t("<${metadata:empty}>") == "<>");
    CHECK(t("${metadata:none}") == " (${metadata:none} has no value)");
    CHECK(trial{no_payload, {{"k", "v1"}}}("${metadata:k | base64}") == "djE=");
}

TEST_CASE("types of metadata, and the last one of a key") {
    const auto entry = [](int type, std::string_view key, std::string_view value) {
        std::string out{
            static_cast<char>(type), '\0', static_cast<char>(key.size()), '\0', static_cast<char>(value.size()), '\0', '\0', '\0'};
        return out.append(key).append(value);
    };
    const std::string block = entry(1, "b", "\xff\x01") + entry(3, "t", "\x01") +
                              entry(4, "i", std::string_view{"\xfe\xff\xff\xff\xff\xff\xff\xff", 8}) + entry(0, "n", "") +
                              entry(2, "again", "1") + entry(2, "again", "2") + entry(2, "gone", "1") + entry(0, "gone", "") +
                              entry(2, "bad", "\xff");
    trial t;
    t.of.metadata = bytes_of(block);
    CHECK(t("${metadata:b}") == "/wE=");
    CHECK(t("${metadata:b | base64}") == "/wE=");
    CHECK(t("${metadata:t}/${metadata:i}/${metadata:again}") == "true/-2/2");
    CHECK(t("${metadata:i | base64}") == "LTI=");
    CHECK(t("${metadata:n}") == " (${metadata:n} has no value)");
    CHECK(t("${metadata:gone}") == " (${metadata:gone} has no value)");
    CHECK(t("${metadata:bad}") == "/w==");
}

TEST_CASE("the message: its id and its payload as text") {
    trial t{"h\xffi"};
    CHECK(t("${message:id}") == "0190163d-8694-739b-aea5-966c26f8ad91");
    CHECK(t("${message:payload}") == "h\xef\xbf\xbdi (${message:payload} has no value: the payload is not UTF-8)");
    CHECK(t("${message:payload | base64}") == "aP9p");
    t.of.id = {};
    CHECK(t("${message:id}") == " (${message:id} has no value)");
    CHECK(trial{}("<${message:payload}>") == "<> (${message:payload} has no value)");
    CHECK(trial{""}("<${message:payload}>") == "<>");
    CHECK(trial{"no JSON"}("<${message:payload}>") == "<no JSON>");
}

TEST_CASE("generated values") {
    trial t;
    CHECK(t("${gen:now}") == "2026-01-31T10:00:00Z");
    CHECK(t("${gen:timestamp}") == "1769853600123");
    CHECK(t("${gen:random(5,5)}/${gen:random( -3 , -3 )}") == "5/-3");
    const std::string uuid = t("${gen:uuid}");
    REQUIRE(uuid.size() == 36);
    CHECK(uuid.substr(0, 15) == "019c137e-c17b-7");  // 1769853600123 in hex, and the version
    CHECK(uuid != t("${gen:uuid}"));
}

TEST_CASE("a counter begins at 0 for each template, and all that use the template share it") {
    const auto a = *compile("${gen:counter}"), b = *compile("${gen:counter},${gen:counter}");
    const text_template same = a;
    trial t;
    std::string out;
    for (const text_template* one : {&a, &same, &b, &a, &b}) {
        CHECK(t.by.append(out, *one, {}).is_whole());
        out += ' ';
    }
    CHECK(out == "0 1 0,1 2 2,3 ");
    std::vector<std::string> texts(4);
    std::vector<std::thread> threads;
    for (std::string& text : texts)
        threads.emplace_back([&text, shared = *compile("${gen:counter}"), &a] {
            renderer mine;
            for (int i = 0; i < 1'000; ++i) {
                (void)mine.append(text, a, {});
                text += ' ';
            }
        });
    for (std::thread& one : threads) one.join();
    std::set<std::string> seen;
    for (const std::string& text : texts)
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find(' ', at);
            seen.insert(text.substr(at, end - at));
            at = end + 1;
        }
    CHECK(seen.size() == 4'000);
    CHECK(seen.contains("3"));
    CHECK(seen.contains("4002"));
}

TEST_CASE("random numbers reach both ends and never pass them") {
    const auto die = *compile("${gen:random(1,6)}"), all = *compile("${gen:random(-9223372036854775808,9223372036854775807)}");
    renderer by;
    std::set<std::string> seen, wide;
    for (int i = 0; i < 1'000; ++i) {
        std::string out;
        CHECK(by.append(out, die, {}).is_whole());
        seen.insert(out);
        out.clear();
        CHECK(by.append(out, all, {}).is_whole());
        wide.insert(out);
    }
    CHECK(seen == std::set<std::string>{"1", "2", "3", "4", "5", "6"});
    CHECK(wide.size() == 1'000);
    CHECK(std::ranges::any_of(wide, [](const std::string& s) { return s.starts_with('-'); }));
}

TEST_CASE("in a JSON text values are escaped, unless they are raw or stand there as JSON") {
    trial t{R"({"n":"a\"b\u0041","o":{"x":"y"},"l":[1,"z"],"i":150})", {{"k", "q\"\n\x01"}}};
    CHECK(t(R"("${payload:n}")", escaping::json) == R"("a\"b\u0041")");
    CHECK(t(R"("${payload:n | raw}")", escaping::json) == R"("a"bA")");
    CHECK(t(R"("${payload:n}")") == R"("a"bA")");
    CHECK(t(R"("${payload:n|base64}")", escaping::json) == R"("YSJiQQ==")");
    CHECK(t(R"({"k":"${metadata:k}"})", escaping::json) == R"({"k":"q\"\n\u0001"})");
    CHECK(t(R"({"a":${payload:i},"o":${payload:o},"l":${payload:l}})", escaping::json) == R"({"a":150,"o":{"x":"y"},"l":[1,"z"]})");
    CHECK(t(R"({"o":"${payload:o}","\"${x:}":"${payload:l}"})", escaping::json) == R"({"o":"{\"x\":\"y\"}","\"${x:}":"[1,\"z\"]"})");
    CHECK(t(R"({"o":${payload:o | raw}})", escaping::json) == R"({"o":{"x":"y"}})");
    CHECK(trial{"a\"\xff"}(R"("${message:payload}")", escaping::json) ==
          "\"a\\\"\xef\xbf\xbd\" (${message:payload} has no value: the payload is not UTF-8)");
}

TEST_CASE("in a path a value is a part of one name") {
    trial t{R"({"a":"DE","slash":"../x","deep":"a/b","dot":".","dots":"..","empty":"","zero":"a\u0000b","o":{"k":"a/b"},"n":1.5})"};
    const auto path = [&](std::string_view source) { return t(source, escaping::path); };
    CHECK(path("out/${payload:a}.jsonl") == "out/DE.jsonl");
    CHECK(path("../${payload:a}/./${payload:n}") == "../DE/./1.5");
    CHECK(path("/${payload:a}") == "/DE");
    CHECK(path(".${payload:a}") == ".DE");
    CHECK(path("${payload:dots}${payload:a}/x") == "..DE/x");
    for (const char* source : {"out/${payload:slash}", "${payload:deep}", "${payload:zero}", "${payload:o}", "x${payload:o.k}"})
        CHECK(path(source).ends_with(" is no part of a path: it has a / or a U+0000)"));
    CHECK(path("out/${payload:empty}.jsonl") == "out/.jsonl (${payload:empty} is no part of a path: it is empty)");
    CHECK(path("out/${payload:none}.jsonl") == "out/.jsonl (${payload:none} has no value)");
    for (const char* source :
         {"${payload:dot}", "${payload:dots}", "a/${payload:dots}/b", "${payload:dot}${payload:dot}/b", "a/.${payload:dot}"}) {
        CAPTURE(source);
        CHECK(path(source).find(" is no part of a path: it makes a name that is . or ..)") != std::string::npos);
    }
    CHECK(path("${payload:a | base64}") == "compile: base64 has a /, which no name of a file has");
    CHECK(path("../x") == "../x");
}

TEST_CASE("what is written stands behind what was there") {
    trial t{R"({"a":1})"};
    std::string out = "before ";
    CHECK(t.by.append(out, *compile("<${payload:a}>"), t.of).is_whole());
    CHECK(out == "before <1>");
    CHECK(t.by.append(out, *compile(" and text"), t.of).is_whole());
    CHECK(out == "before <1> and text");
}

TEST_CASE("the text of one message is bounded") {
    const std::string large(renderer::longest_text / 2, 'x');
    trial t{large};
    std::string out = "kept";
    CHECK(t.by.append(out, *compile("${message:payload}${message:payload}"), t.of).is_whole());
    CHECK(out.size() == 4 + renderer::longest_text);
    out.resize(4);
    const auto longer = *compile("${message:payload}${message:payload}.");
    const rendering r = t.by.append(out, longer, t.of);
    CHECK(r.what == rendered::too_long);
    CHECK(why_not(longer, r) == "the text is longer than 64 MiB");
    CHECK(out == "kept");
    // Counted with its escapes, and as base64.
    const std::string quotes(renderer::longest_text / 2 + 1, '"'), most(renderer::longest_text / 4 * 3, 'x');
    trial q{quotes}, b{most};
    CHECK(q.by.append(out, *compile("${message:payload}", escaping::json), q.of).what == rendered::too_long);
    CHECK(q.by.append(out, *compile("${message:payload | raw}", escaping::json), q.of).is_whole());
    out.clear();
    CHECK(b.by.append(out, *compile("${message:payload | base64}"), b.of).is_whole());
    CHECK(out.size() == renderer::longest_text);
    out.clear();
    CHECK(b.by.append(out, *compile("${message:payload | base64}."), b.of).what == rendered::too_long);
    CHECK(out.empty());
}

TEST_CASE("rendering allocates nothing once its memory is there") {
    trial t{R"({"a":{"b":"te\u0078t"},"l":[1,2]})", {{"k", "v"}, {"n", "7"}}};
    std::string out;
    for (const char* source : {"${metadata:k}-${metadata:n}", "${message:id} ${gen:uuid} ${gen:now} ${gen:counter} ${gen:random(1,9)}",
                               "${payload:a.b} ${payload:l} ${payload:none}", "${message:payload | base64}"}) {
        const auto made = *compile(source, escaping::json);
        out.clear();
        (void)t.by.append(out, made, t.of);
        out.reserve(out.size() + 64);
        const long before = allocations_so_far();
        for (int i = 0; i < 100; ++i) {
            out.clear();
            (void)t.by.append(out, made, t.of);
        }
        CHECK_MESSAGE(allocations_so_far() == before, source);
    }
}

TEST_CASE("what a very long message needed is not kept, whatever it was needed for") {
    const std::string not_utf8 = std::string(4u << 20, 'x') + '\xff', escaped = '"' + std::string(4u << 20, 'x') + "\\u0041\"";
    trial lossy{not_utf8}, field{escaped}, entry{"1", {{"k", std::string(4u << 20, 'x')}}};
    std::string out;
    out.reserve(8u << 20);
    for (const auto& of_each :
         {std::pair{&lossy, "${message:payload}"}, std::pair{&field, "${payload:}"}, std::pair{&entry, "${metadata:k}"}}) {
        auto* const t = of_each.first;
        const char* const source = of_each.second;
        const auto made = *compile(source);
        (void)t->by.append(out, made, t->of);
        out.clear();
        const long before = allocations_so_far();
        (void)t->by.append(out, made, t->of);
        if (before != 0) CHECK_MESSAGE(allocations_so_far() > before, source);  // else nobody counts
        out.clear();
    }
}
