#include "host/config/document.hpp"

#include "host/config/validation.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::config;

namespace {

struct spot {
    std::uint32_t line, column;
    friend bool operator==(const spot&, const spot&) = default;
};
spot of(position at) { return {at.line, at.column}; }

// The document as JSON.
std::string json(const std::string& text, const char* name = "a.yaml") {
    findings found;
    const node_ptr root = read_document(name, text, found);
    REQUIRE(root);
    CHECK_FALSE(found.has_errors());
    return free_json(*root);
}

std::string first_error(const std::string& text, const char* name = "a.yaml") {
    findings found;
    (void)read_document(name, text, found);
    REQUIRE(found.has_errors());
    return found.sorted().front().line();
}

}  // namespace

TEST_CASE("a key and a value have their own places, from 1") {
    findings found;
    const node_ptr root = read_document("a.yaml", "one: 1\ntwo:\n  three: [x, {y: z}]\n", found);
    const entry* two = root->find("two");
    CHECK(of(two->at) == spot{2, 1});
    const entry* three = two->value->find("three");
    CHECK(of(three->at) == spot{3, 3});
    CHECK(of(three->value->items[0]->at) == spot{3, 11});
    CHECK(of(three->value->items[1]->find("y")->at) == spot{3, 15});
    CHECK(of(three->value->items[1]->find("y")->value->at) == spot{3, 18});
}

TEST_CASE("the places of a JSON text are those of its tokens") {
    findings found;
    const node_ptr root = read_document("a.json", "{\n  \"one\": 1,\n  \"t\\u0077o\": {\"three\": [\"x\", null]}\n}", found);
    REQUIRE(root);
    CHECK(of(root->find("one")->at) == spot{2, 3});
    CHECK(of(root->find("one")->value->at) == spot{2, 10});
    const entry* two = root->find("two");
    CHECK(of(two->at) == spot{3, 3});
    CHECK(of(two->value->find("three")->at) == spot{3, 16});
    CHECK(of(two->value->find("three")->value->items[1]->at) == spot{3, 31});
}

TEST_CASE("words that other readers guess about stay what they are") {
    CHECK(json("{a: NO, b: 0123, c: 1e5, d: yes, e: 'true', f: true, g: ~, h: 0x1f, i: 12:30}") ==
          R"({"a":"NO","b":"0123","c":1e5,"d":"yes","e":"true","f":true,"g":null,"h":"0x1f","i":"12:30"})");
}

TEST_CASE("a number of JSON keeps every digit") {
    CHECK(json(R"({"a": 123456789012345678901234567890, "b": 1e400, "c": 0.10, "d": "7", "e": -0})", "a.json") ==
          R"({"a":123456789012345678901234567890,"b":1e400,"c":0.10,"d":"7","e":-0})");
}

TEST_CASE("merge keys follow the merge rules") {
    const std::string text =
        "base: &d {batch: 10, timeout: 5s}\n"
        "more: &e {batch: 11, size: 1}\n"
        "a: {<<: *d, batch: 20}\n"
        "b: {<<: [*d, *e]}\n"
        "c: &c {<<: *e, timeout: 1s}\n"
        "d: {own: 1, <<: *c}\n";
    CHECK(
        json(text) ==
        R"({"base":{"batch":10,"timeout":"5s"},"more":{"batch":11,"size":1},"a":{"batch":20,"timeout":"5s"},)"
        R"("b":{"batch":10,"timeout":"5s","size":1},"c":{"timeout":"1s","batch":11,"size":1},"d":{"own":1,"timeout":"1s","batch":11,"size":1}})");
}

TEST_CASE("a quoted << is a key like any other") { CHECK(json("{'<<': 1}") == R"({"<<":1})"); }

TEST_CASE("aliases of scalars, also as keys") {
    CHECK(json("{a: &x 'NO', b: *x, c: &n ~, d: *n}") == R"({"a":"NO","b":"NO","c":null,"d":null})");
}

TEST_CASE("what cannot be read is told with its place") {
    CHECK(first_error("a: 1\nb: 2\na: 3\n") == "a.yaml:3:1: the key \"a\" is here twice; the first is in line 1");
    CHECK(first_error("{\"a\": 1,\n \"a\": 2}", "a.json") == "a.json:2:2: the key \"a\" is here twice; the first is in line 1");
    CHECK(first_error("a: *nobody\n").starts_with("a.yaml:1:4: "));
    CHECK(first_error("a: &a\n  b: *a\n") == "a.yaml:2:6: the alias stands inside its own anchor");
    CHECK(first_error("a: {<<: 5}\n") == "a.yaml:1:5: << takes a map or a list of maps");
    CHECK(first_error("a: 1\n---\nb: 2\n").find("more than one document") != std::string::npos);
    CHECK(first_error("a: !env X\n") == "a.yaml:1:4: tags are not supported");
    CHECK(first_error("r:\n  input: { file: { path: x }\n  output: null\n").starts_with("a.yaml:3:"));
    CHECK(first_error("{[1]: 2}") == "a.yaml:1:2: a key has to be a text; or this is never closed");
    CHECK(first_error("{a: {b: 1}") == "a.yaml:1:1: a key has to be a text; or this is never closed");
    CHECK(first_error("x", "a.toml") == "a.toml: TOML is not read: write YAML or JSON");
}

TEST_CASE("JSON is JSON to the letter") {
    for (const char* text :
         {"{'a': 1}", "{a: 1}", "{\"a\": 1,}", "{\"a\": 01}", "{\"a\": NaN}", "{\"a\": tru}", "{\"a\": 1} x", "{\"a\" 1}",
          "{\"a\": \"\\x\"}", "{\"a\": 1", "[1, 2", "{\"a\": nul}", "{\"a\": +1}", "{\"a\": 1.}", "// c\n{}"}) {
        CAPTURE(text);
        findings found;
        (void)read_document("a.json", text, found);
        CHECK(found.has_errors());
    }
    CHECK(json("{\"a\": \"\\ud83d\\ude00\\/\"}", "a.json") == "{\"a\":\"\xf0\x9f\x98\x80/\"}");
}

TEST_CASE("C090: ten levels of aliases or of merges that multiply cost nothing") {
    std::string merged = "m0: &m0 {";
    for (int i = 0; i < 1000; ++i) merged += "k" + std::to_string(i) + ": 1, ";
    merged += "}\nlist: [";
    for (int i = 0; i < 300; ++i) merged += "{<<: *m0, own: 1}, ";
    CHECK(first_error(merged + "]").find("aliases counted as copies") != std::string::npos);
    CHECK(first_error("a: {<<: *nobody}\n").starts_with("a.yaml:1:9: "));
    CHECK(first_error("a: &a {b: {<<: *a}}\n") == "a.yaml:1:16: the alias stands inside its own anchor");
}

TEST_CASE("many values are refused as they come, many keys in one map are no trouble") {
    std::string text;
    for (int i = 0; i < 150'000; ++i) text += "k" + std::to_string(i) + ":\n";
    findings found;
    const node_ptr root = read_document("a.yaml", text, found);
    REQUIRE(root);
    CHECK(root->entries.size() == 150'000);
    text = "[";
    for (int i = 0; i < 300'000; ++i) text += "1,";
    CHECK(first_error(text, "a.json").find("more than 200000 values") != std::string::npos);
    text.clear();
    for (int i = 0; i < 300'000; ++i) text += "- 1\n";
    CHECK(first_error(text) == "a.yaml:200000:3: more than 200000 values, aliases counted as copies");
}

TEST_CASE("aliases that multiply are refused") {
    std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i <= 10; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) text += (j ? ", " : "") + before;
        text += "]\n";
    }
    CHECK(first_error(text).find("aliases counted as copies") != std::string::npos);
}

TEST_CASE("what is never closed is refused before all of it is in memory") {
    for (const char* part : {"[", "[1, ", "{a: ", "a", "1, ", "&a ", "#\n"}) {
        CAPTURE(part);
        std::string text;
        while (text.size() < (8u << 20)) text += part;
        CHECK(first_error(text) == "a.yaml:1:1: goes on for more than 512 KiB without an end: something is never closed");
    }
    std::string quoted = "a: 1\nb: \"";
    quoted.append(1u << 20, 'x');
    CHECK(first_error(quoted) == "a.yaml:2:1: goes on for more than 512 KiB without an end: something is never closed");
    std::string flow = "{";
    for (int i = 0; i < 10'000; ++i) flow += "\"key" + std::to_string(i) + "\": {\"a\": [1, 2]},\n";
    CHECK(json(flow + "}").size() > 100'000);
}

TEST_CASE("nesting is bounded") {
    CHECK(first_error(std::string(10'000, '[')).starts_with("a.yaml:1:"));
    CHECK(first_error(std::string(10'000, '['), "a.json").starts_with("a.json:1:"));
    CHECK(first_error(std::string(65, '[') + std::string(65, ']')).find("nested more than 64 levels") != std::string::npos);
    std::string compact;
    for (int i = 0; i < 10'000; ++i) compact += "- ";
    CHECK(first_error(compact + "x").find("nested more than 64 levels") != std::string::npos);
    compact.clear();
    for (int i = 0; i < 10'000; ++i) compact += "{a: ";
    CHECK(first_error("x: " + compact).find("nested more than 64 levels") != std::string::npos);
    CHECK(json(std::string(63, '[') + std::string(63, ']')).size() == 126);
    std::string text = "a0: &a0 [1]\n";
    for (int i = 1; i <= 70; ++i) text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    CHECK(first_error(text).find("nested more than 64 levels") != std::string::npos);
}

TEST_CASE("an empty file is a null") {
    CHECK(json("") == "null");
    CHECK(json("# nothing\n") == "null");
    CHECK(json("", "a.json") == "null");
}

TEST_CASE("a file that cannot be read is told") {
    findings found;
    CHECK(read_document_file("/nowhere/routes.yaml", found) == nullptr);
    CHECK(found.sorted().front().line() == "/nowhere/routes.yaml: cannot be read: No such file or directory");
    CHECK(read_document_file("/tmp", found) == nullptr);
    CHECK(found.sorted().back().line() == "/tmp: cannot be read: is a directory");
}
