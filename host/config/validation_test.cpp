#include "host/config/validation.hpp"

#include "host/config/document.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::config;

namespace {

struct checked {
    std::string json;
    std::vector<std::string> lines;
    std::vector<std::string> secrets;
};

checked check(const std::string& schema_text, const std::string& yaml, std::uint32_t side = 1, const char* name = "a.yaml") {
    findings found;
    checked out;
    const auto against = read_schema(schema_text);
    REQUIRE(against.has_value());
    const node_ptr root = read_document(name, yaml, found);
    REQUIRE(root);
    out.json = validation{found, out.secrets}.check(*root, **against, {{1, 1}, "r.input.x", side});
    for (const finding& f : found.sorted()) out.lines.push_back(f.line());
    return out;
}

using lines = std::vector<std::string>;

constexpr const char* typed = R"({"type": "object", "properties": {
    "s": {"type": "string"}, "i": {"type": "integer", "minimum": 1, "maximum": 10}, "n": {"type": "number"}, "b": {"type": "boolean"},
    "z": {"type": "integer", "x-mqb-size": true}, "l": {"type": "array", "items": {"type": "string"}}, "u": {"type": ["integer", "string"]},
    "m": {"type": "object", "additionalProperties": {"type": "string"}}, "any": {}}})";

}  // namespace

TEST_CASE("a scalar is what the schema wants") {
    CHECK(check(typed, "{s: NO, i: 7, n: 1e5, b: true}").json == R"({"s":"NO","i":7,"n":1e5,"b":true})");
    CHECK(check(typed, "{s: 0123}").json == R"({"s":"0123"})");
    CHECK(check(typed, "{s: true}").json == R"({"s":"true"})");
    CHECK(check(typed, "{i: '7', b: \"false\", n: '1.50'}").json == R"({"i":7,"n":1.50,"b":false})");
    CHECK(check(typed, "{u: 5}").json == R"({"u":5})");
    CHECK(check(typed, "{u: '5'}").json == R"({"u":"5"})");
    CHECK(check(typed, "{z: 64 MiB}").json == R"({"z":67108864})");
    CHECK(check(typed, "{l: [1, no]}").json == R"({"l":["1","no"]})");
    CHECK(check(typed, "{m: {b: 2, a: 1}}").json == R"({"m":{"b":"2","a":"1"}})");
    CHECK(check(typed, "{any: {a: [1, NO, '2']}}").json == R"({"any":{"a":[1,"NO","2"]}})");
    CHECK(check(typed, R"({"s": 12, "n": 123456789012345678901234567890})", 1, "a.json").json ==
          R"({"s":"12","n":123456789012345678901234567890})");
}

TEST_CASE("all that is wrong is told at once, each with its place") {
    const checked out = check(typed, "s: [1]\ni: many\nn: 0x1\nb: yes\nz: 5 MB\nl: {}\nm:\n  k: [2]\nq: 1\n");
    CHECK(out.lines ==
          lines{"a.yaml:1:4: r.input.x.s: a list where text is wanted", "a.yaml:2:4: r.input.x.i: \"many\" where integer is wanted",
                "a.yaml:3:4: r.input.x.n: \"0x1\" where number is wanted", "a.yaml:4:4: r.input.x.b: \"yes\" where boolean is wanted",
                "a.yaml:5:4: r.input.x.z: \"5 MB\" is not a size: a number of bytes, or one with k, M, G, KiB, MiB or GiB",
                "a.yaml:6:1: r.input.x.l: a map where list is wanted", "a.yaml:8:6: r.input.x.m.k: a list where text is wanted",
                "a.yaml:9:1: r.input.x.q: unknown key; known are s, i, n, b, z, l, u, m or any"});
}

TEST_CASE("bounds hold") {
    CHECK(check(typed, "{i: 0}").lines == lines{"a.yaml:1:5: r.input.x.i: has to be at least 1"});
    CHECK(check(typed, "{i: 11}").lines == lines{"a.yaml:1:5: r.input.x.i: has to be at most 10"});
    CHECK(check(R"({"type":"integer"})", "99999999999999999999").lines == lines{"a.yaml:1:1: r.input.x: does not fit 64 bits"});
    CHECK(check(R"({"type":"integer"})", "18446744073709551615").json == "18446744073709551615");
    CHECK(check(R"({"type":"integer","x-mqb-size":true,"minimum":1})", "0 MiB").lines ==
          lines{"a.yaml:1:1: r.input.x: has to be at least 1"});
    CHECK(check(R"({"type":"string", "minLength": 1})", "''").lines == lines{"a.yaml:1:1: r.input.x: is empty"});
}

TEST_CASE("defaults are filled in, aliases resolved, null says nothing") {
    const char* schema =
        R"({"type":"object","properties":{"path":{"type":"string","x-mqb-aliases":["file"]},"n":{"type":"integer","default":5},
        "sub":{"type":"object","properties":{"a":{"type":"boolean","default":true}}},"maybe":{"type":["string","null"]}},"required":["path"]})";
    CHECK(check(schema, "{file: x}").json == R"({"path":"x","n":5})");
    CHECK(check(schema, "{path: x, n: ~, sub: {}, maybe: ~}").json == R"({"path":"x","n":5,"sub":{"a":true},"maybe":null})");
    CHECK(check(schema, "{n: 1}").lines == lines{"a.yaml:1:1: r.input.x.path: missing"});
    CHECK(check(schema, "{path: ~}").lines == lines{"a.yaml:1:1: r.input.x.path: missing"});
    CHECK(check(schema, "{path: x, file: y}").lines == lines{"a.yaml:1:11: r.input.x.file: the same as \"path\", which is here too"});
}

TEST_CASE("an unknown word of an enumeration is told with the known ones") {
    const char* schema = R"({"type":"object","properties":{"c":{"type":"string","enum":["none","gzip","zstd"]}}})";
    CHECK(check(schema, "{c: gzib}").lines == lines{"a.yaml:1:5: r.input.x.c: \"gzib\" is not known here (did you mean \"gzip\"?)"});
    CHECK(check(schema, "{c: brotli}").lines ==
          lines{"a.yaml:1:5: r.input.x.c: \"brotli\" is not known here; known are none, gzip or zstd"});
}

TEST_CASE("a secret is collected and never shown") {
    const char* schema = R"({"type":"object","properties":{"p":{"type":"integer","x-mqb-secret":true},"url":{"type":"string"}}})";
    const checked out = check(schema, "{p: hunter2, url: 'amqp://me:pass%20word@host/'}");
    CHECK(out.lines == lines{"a.yaml:1:5: r.input.x.p: the value where integer is wanted"});
    CHECK(out.secrets == std::vector<std::string>{"hunter2", "pass%20word"});
}

TEST_CASE("what stands inside a secret is one too") {
    const char* schema =
        R"({"type":"object","properties":{"keys":{"type":"object","x-mqb-secret":true,"additionalProperties":{"type":"integer"}},
        "list":{"type":"array","x-mqb-secret":true,"items":{"type":"boolean"}}}})";
    const checked out = check(schema, "{keys: {old: hunter2}, list: [hunter3]}");
    CHECK(out.lines == lines{"a.yaml:1:14: r.input.x.keys.old: the value where integer is wanted",
                             "a.yaml:1:31: r.input.x.list[0]: the value where boolean is wanted"});
    CHECK(out.secrets == std::vector<std::string>{"hunter2", "hunter3"});
}

TEST_CASE("fields of one side are refused at the other") {
    const char* schema =
        R"({"type":"object","properties":{"tail":{"type":"boolean","default":false,"x-mqb-sides":["consumer"]},"old":{"type":"string","deprecated":true}}})";
    CHECK(check(schema, "{tail: true}", 1).lines.empty());
    CHECK(check(schema, "{tail: true}", 2).lines == lines{"a.yaml:1:2: r.input.x.tail: only for an input"});
    CHECK(check(schema, "{}", 1).json == R"({"tail":false})");
    CHECK(check(schema, "{}", 2).json == "{}");
    CHECK(check(schema, "{old: x}").lines == lines{"a.yaml:1:2: warning: r.input.x.old: deprecated"});
}

TEST_CASE("an endpoint inside a configuration is taken out with its place, null stands for it") {
    findings found;
    std::vector<std::string> secrets;
    const auto against =
        read_schema(R"({"type":"object","properties":{"to":{"x-mqb-endpoint":"consumer","x-mqb-aliases":["at"]},"more":{"type":"array",
        "items":{"x-mqb-endpoint":true}}}})");
    REQUIRE(against.has_value());
    validation checks{found, secrets};
    const node_ptr root = read_document("a.yaml", "{at: {a: 1}, more: [null, {b: 2}]}", found);
    CHECK(checks.check(*root, **against, {{1, 1}, "r.input.x", 1}) == R"({"to":null,"more":[null,null]})");
    const std::vector<nested_value> nested = checks.take_nested();
    REQUIRE(nested.size() == 3);
    CHECK(nested[0].where == "/to");
    CHECK(nested[0].path == "r.input.x.at");
    CHECK(nested[0].side == 1);
    CHECK(free_json(*nested[0].value) == R"({"a":1})");
    CHECK(nested[1].where == "/more/0");
    CHECK(nested[1].side == 0);
    CHECK(nested[2].where == "/more/1");
    CHECK(nested[2].path == "r.input.x.more[1]");
    CHECK(checks.take_nested().empty());
    CHECK_FALSE(found.has_errors());
}

TEST_CASE("what this version cannot do is refused, not ignored") {
    const char* schema = R"({"type":"object","properties":{"store":{"x-mqb-store":true}}})";
    CHECK(check(schema, "{store: s}").lines == lines{"a.yaml:1:2: r.input.x.store: a store is not supported by this version"});
}

TEST_CASE("the mistake of a template is told at its place, with an excerpt unless it is secret") {
    const char* schema = R"({"type":["string","object"],"x-mqb-template":true,"properties":{"key":{"type":"string","x-mqb-template":true},
        "hidden":{"type":"string","x-mqb-secret":true,"x-mqb-template":true},"keys":{"items":{"type":"string","x-mqb-template":true}}}})";
    CHECK(check(schema, "'a ${payload:b}'").json == R"("a ${payload:b}")");
    CHECK(check(schema, "{key: 'a ${payload:b} $${x}', keys: ['${gen:now}']}").json ==
          R"({"key":"a ${payload:b} $${x}","keys":["${gen:now}"]})");
    CHECK(check(schema, "'${gen:no}'").lines == lines{"a.yaml:1:1: r.input.x: unknown selector: ${gen:…} knows uuid, now, timestamp, "
                                                      "counter and random(a,b)\n  ${gen:no}\n        ^^"});
    CHECK(check(schema, "{key: '${payload:a', hidden: '${metadata:}', keys: [x, '${payload:a|b}']}").lines ==
          lines{"a.yaml:1:7: r.input.x.key: \"${\" without \"}\"; a \"${\" that is text is written \"$${\"\n  ${payload:a\n  ^^",
                "a.yaml:1:30: r.input.x.hidden: ${metadata:…} wants a key",
                "a.yaml:1:56: r.input.x.keys[1]: unknown filter: known are raw and base64\n  ${payload:a|b}\n              ^"});
    CHECK(check(schema, "{key: [a]}").lines == lines{"a.yaml:1:7: r.input.x.key: a list where text is wanted"});
}

TEST_CASE("a broken schema is told as such") {
    CHECK_FALSE(read_schema("{").has_value());
    CHECK_FALSE(read_schema("[]").has_value());
    CHECK_FALSE(read_schema(R"({"type":"text"})").has_value());
    CHECK_FALSE(read_schema(R"({"properties":[]})").has_value());
    CHECK_FALSE(read_schema(R"({"minimum":"a"})").has_value());
    CHECK(read_schema("").has_value());
    CHECK(read_schema(R"({"type":"string"})").value()->type_text() == "text");
}
