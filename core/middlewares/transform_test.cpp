#include "core/middlewares/transform.hpp"

#include "core/middlewares/message_stage.hpp"
#include "core/middlewares/stage_publisher.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace mqb::core;

namespace {

// The stage by itself.
class trial {
public:
    explicit trial(std::string_view config) {
        auto made = transform_factory{}.make(config, publisher_side);
        REQUIRE(made.has_value());
        stage_ = std::move(*made);
    }
    // The payload that comes out; "same" where nothing was touched, else the reason.
    std::string operator()(std::string_view payload, bool is_null = false) {
        message m;
        if (!is_null) m.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
        made_.clear();
        std::string why;
        switch (stage_->apply(m, made_, why)) {
            case staged::passes: return "same";
            case staged::changed: note_ = text_of(m.metadata, "mqb.transform_error"); return std::string{m.payload.text()};
            case staged::discarded: return "discarded: " + why;
            case staged::refused: return why;
            case staged::filtered: return "filtered";
        }
        return {};
    }
    [[nodiscard]] const std::string& note() const { return note_; }

private:
    std::unique_ptr<message_stage> stage_;
    std::vector<counted_block> made_;
    std::string note_;
};

failure mistake_of(std::string_view config) {
    const auto promised = transform_factory{}.promise(config, publisher_side, {});
    REQUIRE_FALSE(promised.has_value());
    CHECK(promised.error().what == status::bad_config);
    return promised.error();
}

constexpr std::string_view fields = R"({"schema": {"type": "object", "required": ["id"], "properties": {
  "id": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"}, "s": {"type": "string"}, "e": {"type": "string", "enum": ["a", "b"]},
  "l": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "string", "contentMediaType": "application/json", "contentSchema":
  {"type": "object", "properties": {"q": {"type": "integer"}}}}, "d": {"type": "string", "default": "x"}, "u": {"type": ["string", "null"]},
  "many": {"enum": [1, {"k": [1.0], "j": null}, "é"]}}})";

std::string with(std::string_view rest) { return std::string{fields} + std::string{rest} + '}'; }

}  // namespace

TEST_CASE("a mapping makes a document of paths, its keys sorted") {
    trial t{R"({"mapping": {"x": "$.a.b[1].c", "y.z": "a.b[0]", "w": "$.d.e", "q": "$.none", "all": "$"}})"};
    CHECK(t(R"({"a":{"b":[1,{"c":2}]},"d.e":5})") == R"({"all":{"a":{"b":[1,{"c":2}]},"d.e":5},"x":2,"y":{"z":1}})");
    CHECK(t("[1]") == R"({"all":[1]})");
    CHECK(t(R"({"a": {"b": [ 1.50 , {"c": "\u00e9"} ]}})") ==
          R"({"all":{"a": {"b": [ 1.50 , {"c": "\u00e9"} ]}},"x":"\u00e9","y":{"z":1.50}})");
    // What was judged is what is written.
    CHECK(t(R"({"a":{"b":[0]},"a":{"b":[7],"b":[8]}})") == R"({"all":{"a":{"b":[8]}},"y":{"z":8}})");
}

TEST_CASE("a mapped field that is not there is left out, has its default, or fails") {
    trial t{
        R"({"mapping": {"x": {"path": "b", "default": [1]}, "y": {"path": "a", "required": true}, "n": {"path": "c", "default": null}}})"};
    CHECK(t(R"({"a":1})") == R"({"n":null,"x":[1],"y":1})");
    CHECK(t(R"({"a":null,"b":false})") == R"({"n":null,"x":false,"y":null})");
    CHECK(t("{}") == "failed at a [missing_required]: the field is not there");
    trial none{R"({"mapping": {"a.b.c": "x", "a.d": "y"}})"};
    CHECK(none(R"({"x":1})") == R"({"a":{"b":{"c":1}}})");
    CHECK(none(R"({"y":1})") == R"({"a":{"d":1}})");
    CHECK(none("{}") == "{}");
}

TEST_CASE("payloads that a transform cannot read fail, those of which it wants nothing are not read") {
    trial t{R"({"mapping": {"x": "a"}})"};
    CHECK(t("notjson") == "failed at $ [parse]: the payload is not structured JSON: it is no JSON");
    CHECK(t("") == "failed at $ [parse]: the payload is not structured JSON: it is empty");
    CHECK(t("", true) == "failed at $ [parse]: the message has no payload");
    trial nothing{"{}"};
    CHECK(nothing("notjson") == "same");
    CHECK(nothing("") == "same");
    CHECK(nothing("", true) == "same");
    trial constant{R"({"expression": "{k: 1}"})"};
    CHECK(constant("", true) == R"({"k":1})");
}

TEST_CASE("an expression sees the mapped document") {
    trial t{R"({"mapping": {"n": "a.n"}, "expression": "{id: n, double: n * 2, a: a}"})"};
    CHECK(t(R"({"a":{"n":1.50}})") == R"({"id":1.50,"double":3.00,"a":null})");
    CHECK(t(R"({"a":{"n":"x"}})").starts_with("failed at $ [expression]: \"*\" does not work with"));
    trial text{R"({"expression": "name"})"};
    CHECK(text(R"({"name":"é"})") == "\"é\"");
}

TEST_CASE("a schema coerces, exactly") {
    trial t{with("")};
    CHECK(t(R"({"id":"42","n":"1.50","b":"1","s":7})") == R"({"id":42,"n":1.5,"b":true,"s":"7","d":"x"})");
    CHECK(t(R"({"id":"+5","d":""})") == R"({"id":5,"d":""})");
    CHECK(t(R"({"id":" 5","d":""})") == R"({"id":5,"d":""})");
    CHECK(t(R"({"id":"-007","d":""})") == R"({"id":-7,"d":""})");
    CHECK(t(R"({"id":"9007199254740993123456789012345678901234567890","d":""})") ==
          R"({"id":9007199254740993123456789012345678901234567890,"d":""})");
    CHECK(t(R"({"id":1,"n":"9007199254740993","d":""})") == R"({"id":1,"n":9007199254740993,"d":""})");
    CHECK(t(R"({"id":"\u0035\n","d":""})") == R"({"id":5,"d":""})");
    for (const char* n : {R"("+-5")", R"("--5")", R"("+")", R"(".5")", R"("1.")"}) {
        CAPTURE(n);
        CHECK(t(std::string{R"({"id":1,"n":)"} + n + '}').starts_with("failed at $.n [coercion]: this "));
    }
    CHECK(t(R"({"id":1,"n":"2.00","d":""})") == R"({"id":1,"n":2.0,"d":""})");
    CHECK(t(R"({"id":1,"n":"1e400","d":""})") == R"({"id":1,"n":1e400,"d":""})");
    CHECK(t(R"({"id":1,"b":"false","s":1.50,"d":""})") == R"({"id":1,"b":false,"s":"1.50","d":""})");
    for (const char* id : {R"("4.0")", R"("x")", "1.5", R"("")", R"("1 2")", R"("--1")", "true", "[1]"}) {
        CAPTURE(id);
        CHECK(t(std::string{R"({"id":)"} + id + '}').starts_with("failed at $.id [coercion]: this "));
    }
    for (const char* b : {R"("yes")", R"("TRUE")", "1", R"(" true")"}) {
        CAPTURE(b);
        CHECK(t(std::string{R"({"id":1,"b":)"} + b + '}').starts_with("failed at $.b [coercion]: this "));
    }
    CHECK(t(R"({"id":1,"l":["1",2],"d":""})") == R"({"id":1,"l":[1,2],"d":""})");
    CHECK(t(R"({"id":1,"l":["1","z"]})") == "failed at $.l[1] [coercion]: this string is no integer");
    CHECK(t(R"({"id":1,"s":null})") == "failed at $.s [type_mismatch]: null where string is wanted");
    CHECK(t(R"({"id":1,"s":true})") == "failed at $.s [coercion]: this bool is no string");
    CHECK(t(R"({"id":1,"u":null,"d":""})") == "same");
    CHECK(t("[1]") == "failed at $ [coercion]: this array is no object");
}

TEST_CASE("what a schema has nothing to say against goes on as it came, byte for byte") {
    trial t{with("")};
    CHECK(t(R"({ "extra": 9 , "id": 1.0, "d": "", "n": 1e2 })") == "same");  // 1.0 is an integer, as JSON Schema has it
    CHECK(t(R"({"id":1e2,"d":""})") == "same");
    CHECK(t(R"({"extra":{"a":[1.50]},"id":"1","d":""})") == R"({"extra":{"a":[1.50]},"id":1,"d":""})");
    trial any{R"({"schema": {"type": "object"}})"};
    CHECK(any(R"({"b":1,"a":2})") == "same");
}

TEST_CASE("required fields, defaults and choices of a schema") {
    trial t{with("")};
    CHECK(t("{}") == "failed at $.id [missing_required]: the field is not there");
    CHECK(t(R"({"id":1})") == R"({"id":1,"d":"x"})");
    CHECK(t(R"({"id":1,"e":"c"})") == R"(failed at $.e [enum]: value is not one of ["a", "b"])");
    CHECK(t(R"({"id":1,"e":"\u0061","d":""})") == "same");
    for (const char* good : {"1", "1.0", R"({"j":null,"k":[1]})", R"("\u00e9")"}) {
        CAPTURE(good);
        CHECK(t(std::string{R"({"id":1,"d":"","many":)"} + good + '}') == "same");
    }
    for (const char* bad : {"2", R"({"j":null,"k":[1,1]})", R"({"j":null})", "null", R"("e")"}) {
        CAPTURE(bad);
        CHECK(t(std::string{R"({"id":1,"d":"","many":)"} + bad + '}').starts_with("failed at $.many [enum]: "));
    }
    trial plain{with(R"(, "apply_defaults": false)")};
    CHECK(plain(R"({"id":1})") == "same");
}

TEST_CASE("JSON in a text takes its place, and has a schema of its own") {
    trial t{with("")};
    CHECK(t(R"({"id":1,"o":"{\"q\":\"7\"}","d":""})") == R"({"id":1,"o":{"q":7},"d":""})");
    CHECK(t(R"({"id":1,"o":"{bad"})").starts_with("failed at $.o [content]: the text is not structured JSON: "));
    CHECK(t(R"({"id":1,"o":"{\"q\":\"z\"}"})") == "failed at $.o.q [coercion]: this string is no integer");
    const std::string deep = std::string(126, '[') + std::string(126, ']');
    trial inner{R"({"schema": {"properties": {"o": {"type": "string", "contentMediaType": "application/json"}}}})"};
    CHECK(inner(R"({"o":")" + deep + "\"}") == R"({"o":)" + deep + '}');
    CHECK(inner(R"({"o":"[[)" + deep + "]]\"}")
              .starts_with("failed at $.o [content]: with the JSON in the text the document is nested deeper"));
}

TEST_CASE("a schema that does not coerce, and empty texts that are null") {
    trial strict{with(R"(, "coerce": false)")};
    CHECK(strict(R"({"id":"42"})") == "failed at $.id [type_mismatch]: string where integer is wanted");
    trial empty{with(R"(, "coerce_empty_as_null": true)")};
    CHECK(empty(R"({"id":1,"n":""})") ==
          "failed at $.n [type_mismatch]: an empty text is null here (coerce_empty_as_null), where number is wanted");
    CHECK(empty(R"({"id":1,"s":"","d":""})") == "same");
    trial nullable{R"({"schema": {"properties": {"n": {"type": "number", "nullable": true}}}, "coerce_empty_as_null": true})"};
    CHECK(nullable(R"({"n":""})") == R"({"n":null})");
    CHECK(nullable(R"({"n":null})") == "same");
}

TEST_CASE("a message that cannot be transformed is refused, goes on with the reason, or is discarded") {
    CHECK(trial{with(R"(, "on_error": "reject")")}("{}").starts_with("failed at $.id"));
    CHECK(trial{with(R"(, "on_error": "drop")")}("{}").starts_with("discarded: failed at $.id"));
    trial t{with(R"(, "on_error": "pass_through")")};
    CHECK(t("{}") == "{}");
    CHECK(t.note() == "transform failed at $.id [missing_required]: the field is not there");
    CHECK(t(R"({"id":"1","d":""})") == R"({"id":1,"d":""})");
    CHECK(t.note().empty());
}

TEST_CASE("mistakes in the configuration of a transform are told when it is loaded") {
    CHECK(mistake_of(R"({"mapping": {"x": "a..b"}})").text == R"(mapping: "x": "a..b" is no path: a name is missing)");
    CHECK(mistake_of(R"({"mapping": {"x": "a[b]"}})").text == R"(mapping: "x": "a[b]" is no path: an index is a number in brackets)");
    CHECK(mistake_of(R"({"mapping": {"x": ""}})").text == R"(mapping: "x": "" is no path: it is empty)");
    CHECK(mistake_of(R"({"mapping": {"a.": "x"}})").text == R"(mapping: "a." is no key: names with dots between them are)");
    CHECK(mistake_of(R"({"mapping": {"a": "x", "a.b": "y"}})").text ==
          R"(mapping: "a.b" stands inside another key, which is a value already)");
    CHECK(mistake_of(R"({"mapping": {"a.b": "x", "a": "y"}})").text == R"(mapping: "a" is an object already, because of another key)");
    const failure why = mistake_of(R"_({"expression": "lenn(a)"})_");
    CHECK(why.text == R"(expression: there is no function "lenn" (did you mean "len"?))");
    CHECK(why.excerpt == "  lenn(a)\n  ^^^^");
    CHECK(mistake_of(R"({"schema": {"type": "strin"}})").text ==
          "schema.type: has to be one of null, boolean, integer, number, string, array and object, or a list of them");
    CHECK(mistake_of(R"({"schema": {"properties": {"a": {"items": 1}}}})").text == "schema.properties.a.items: has to be a JSON object");
    CHECK(mistake_of(R"({"schema": {"enum": []}})").text == "schema.enum: has to be a list of values");
    CHECK(mistake_of(R"({"schema": {}, "schema_file": "x.json"})").text == "set either schema or schema_file, not both");
    CHECK(mistake_of(R"({"schema_file": "/nowhere/x.json"})").text == "schema_file: /nowhere/x.json: No such file or directory");
    CHECK(mistake_of(R"({"schema_file": "/"})").text == "schema_file: /: is not a file");
}

TEST_CASE("C094: numbers of the configuration are what is written there") {
    trial t{R"({"mapping": {"a": {"path": "x", "default": 1.50}, "b": {"path": "x", "default": [1e400, 12345678901234567890123]}}})"};
    CHECK(t("{}") == R"({"a":1.50,"b":[1e400, 12345678901234567890123]})");
    trial schema{
        R"({"schema": {"properties": {"d": {"default": 1.0}, "f": {"default": 1e400}, "e": {"enum": [12345678901234567890123]}}}})"};
    CHECK(schema(R"({"e":12345678901234567890123})") == R"({"e":12345678901234567890123,"d":1.0,"f":1e400})");
    CHECK(schema(R"({"e":12345678901234567890124})") == "failed at $.e [enum]: value is not one of [12345678901234567890123]");
}

TEST_CASE("schemas as deep as documents, and keys that repeat inside JSON in texts") {
    std::string open, close;
    for (int i = 0; i < 60; ++i) open += R"({"properties":{"a":)", close += "}}";
    trial deep{R"({"schema":)" + open + R"({"type":"integer"})" + close + '}'};
    std::string payload = "\"1\"", made = "1";
    for (int i = 0; i < 60; ++i) payload = R"({"a":)" + payload + '}', made = R"({"a":)" + made + '}';
    CHECK(deep(payload) == made);
    trial content{R"({"schema": {"properties": {"o": {"contentMediaType": "application/json"}}}})"};
    CHECK(content(R"({"o":"{\"a\":1,\"a\":2}"})") == R"({"o":{"a":2}})");
    CHECK(content(R"({"o":1,"o":"[{\"a\":1,\"a\":2}]"})") == R"({"o":[{"a":2}]})");
}

TEST_CASE("a schema may stand in a file") {
    std::string folder = (std::filesystem::temp_directory_path() / "mqb-transform-").string() + std::string(6, 'X');
    REQUIRE(::mkdtemp(folder.data()));
    const std::string file = folder + "/schema.json";
    std::ofstream{file} << R"({"properties": {"a": {"type": "integer"}}})";
    CHECK(trial{R"({"schema_file": ")" + file + "\"}"}(R"({"a":"1"})") == R"({"a":1})");
    std::ofstream{file} << "{bad";
    CHECK(mistake_of(R"({"schema_file": ")" + file + "\"}").text.starts_with("schema_file: " + file + ": is no JSON: "));
    std::filesystem::remove_all(folder);
}

TEST_CASE("C097: what a transform judges is what it writes, also where a key repeats") {
    trial schema{with("")};
    CHECK(schema(R"({"id":"x","id":"7","d":"","extra":{"k":1,"k":2}})") == R"({"id":7,"d":"","extra":{"k":2}})");
    CHECK(schema(R"({"id":"x","id":7,"d":""})") == R"({"id":7,"d":""})");
    trial expression{R"({"expression": "{k: id, all: $root}"})"};
    CHECK(expression(R"({"id":1,"id":2})") == R"({"k":2,"all":{"id":2}})");
}

TEST_CASE("what is made of a message is bounded") {
    trial t{R"({"mapping": {"a": "$", "b": "$", "c": "$", "d": "$", "e": "$"}})"};
    const std::string large = '"' + std::string(20u << 20, 'x') + '"';
    CHECK(t(large) == "failed at $ [content]: the mapped document is longer than 64 MiB");
    CHECK(t("1") == R"({"a":1,"b":1,"c":1,"d":1,"e":1})");
    trial defaults{R"({"schema": {"items": {"properties": {"a": {"default": ")" + std::string(4000, 'x') + R"("}}}}})"};
    std::string many = "[{}";
    for (int i = 1; i < 20'000; ++i) many += ",{}";
    CHECK(defaults(many + ']') == "failed at $ [content]: the document would be longer than 64 MiB");
}
