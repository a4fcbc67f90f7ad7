#include "host/config/json_schema.hpp"

#include "host/config/fake_types.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mqb::config;
namespace json = boost::json;

namespace {

std::string at(const json::value& schema, const char* pointer) {
    boost::system::error_code failed;
    const json::value* found = schema.find_pointer(pointer, failed);
    return found ? std::string{json::serialize(*found)} : "nothing";
}

}  // namespace

TEST_CASE("the schema of a route file has every known type on its side, and what each takes there") {
    const json::value schema = json::parse(json_schema(fakes::make_types()));
    CHECK(at(schema, "/$schema") == R"("https://json-schema.org/draft/2020-12/schema")");
    CHECK(at(schema, "/$defs/input/properties/file") == R"({"$ref":"#/$defs/input-file"})");
    CHECK(at(schema, "/$defs/input/properties/sink") == "nothing");
    CHECK(at(schema, "/$defs/output/anyOf/2/properties/sink") == R"({"$ref":"#/$defs/output-sink"})");
    CHECK(at(schema, "/$defs/output/anyOf/2/properties/queue") == "nothing");
    CHECK(at(schema, "/$defs/input-file/properties/delete/default") == "false");
    CHECK(at(schema, "/$defs/output-file/properties/delete") == "nothing");
    CHECK(at(schema, "/$defs/input-file/required") == R"(["path"])");
    CHECK(at(schema, "/$defs/input-file/additionalProperties") == "false");
    CHECK(at(schema, "/$defs/input-middleware/properties/again") == "nothing");
    CHECK(at(schema, "/$defs/output-middleware/properties/again") == R"({"$ref":"#/$defs/output-middleware-again"})");
}

TEST_CASE("nested endpoints and aliases are in it") {
    const json::value schema = json::parse(json_schema(fakes::make_types()));
    CHECK(at(schema, "/$defs/output-spread/items") == R"({"$ref":"#/$defs/output"})");
    CHECK(at(schema, "/$defs/output-pull") == R"({"$ref":"#/$defs/input"})");
    CHECK(at(schema, "/$defs/output-choose/anyOf/0/properties/cases/additionalProperties") == R"({"$ref":"#/$defs/output"})");
    CHECK(at(schema, "/$defs/output-choose/anyOf/0/properties/else/$ref") == R"("#/$defs/output")");
    CHECK(at(schema, "/$defs/route/properties/input/$ref") == R"("#/$defs/input")");
    CHECK(at(schema, "/$defs/route/properties/batch_size/anyOf/0") == R"({"type":"integer","minimum":1E0,"maximum":1E8})");
    CHECK(at(schema, "/$defs/route/properties/batch_size/anyOf/1") == R"({"type":"string","pattern":"\\$\\{"})");
}

TEST_CASE("an endpoint has one type, settings stand beside the routes") {
    const json::value schema = json::parse(json_schema(fakes::make_types()));
    CHECK(at(schema, "/$defs/input/then") == R"({"minProperties":2,"maxProperties":2})");
    CHECK(at(schema, "/$defs/input/else") == R"({"maxProperties":1,"minProperties":1})");
    CHECK(at(schema, "/$defs/output/anyOf/2/else") == R"({"maxProperties":1})");
    CHECK(at(schema, "/then/properties/ui_addr/deprecated") == "true");
    CHECK(at(schema, "/then/properties/metrics_addr/enum") == R"(["",null])");
    CHECK(at(schema, "/then/additionalProperties") == "false");
    CHECK(at(schema, "/else/else/additionalProperties") == R"({"$ref":"#/$defs/route"})");
}

TEST_CASE("everything that is referred to is there") {
    const std::string text = json_schema(fakes::make_types());
    const json::value schema = json::parse(text);
    const std::string mark = R"("$ref":"#)";
    std::size_t count = 0;
    for (std::size_t from = 0; (from = text.find(mark, from)) != std::string::npos; ++count) {
        from += mark.size();
        const std::string pointer = text.substr(from, text.find('"', from) - from);
        CAPTURE(pointer);
        CHECK(at(schema, pointer.c_str()) != "nothing");
    }
    CHECK(count > 20);
}
