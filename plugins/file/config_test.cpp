#include "config.hpp"

#include <doctest/doctest.h>

#include <mqb/plugin.h>
#include <mqb/sdk/option_parse.hpp>
#include <mqb/sdk/option_schema.hpp>

using namespace mqb::file;

namespace {

config read(std::string_view json, std::uint32_t side = MQB_SIDE_CONSUMER) { return mqb::sdk::parse_config<config>(json, side); }
std::string refused(std::string_view json, std::uint32_t side = MQB_SIDE_CONSUMER) {
    try {
        read(json, side);
        return "";
    } catch (const mqb::sdk::failure& e) {
        CHECK(e.answer == mqb::sdk::status::bad_config);
        return e.what();
    }
}

}  // namespace

TEST_CASE("only the path is needed") {
    const config c = read(R"({"path":"in"})");
    CHECK(c.path == "in");
    CHECK(c.format == record_format::normal);
    CHECK(c.delimiter_byte() == '\n');
    CHECK(c.max_record_bytes == 104857600);
    CHECK(c.fsync == fsync_mode::off);
    CHECK(!c.has_csv_settings());
    CHECK(refused("{}") == "path: required");
    CHECK(refused(R"({"path":""})") != "");
    CHECK(refused(R"({"path":"in","delet":true})") == "delet: unknown key");
}

TEST_CASE("formats have two names each") {
    CHECK(read(R"({"path":"a","format":"envelope"})").format == record_format::normal);
    CHECK(read(R"({"path":"a","format":"envelope_json"})").format == record_format::json);
    CHECK(read(R"({"path":"a","format":"envelope_text"})").format == record_format::text);
    CHECK(read(R"({"path":"a","format":"payload"})").format == record_format::raw);
}

TEST_CASE("a delimiter is one byte or hex") {
    CHECK(read(R"({"path":"a","delimiter":"0x00"})").delimiter_byte() == '\0');
    CHECK(read(R"({"path":"a","delimiter":"0x1E"})").delimiter_byte() == '\x1e');
    CHECK(read(R"({"path":"a","format":"raw","delimiter":";"})").delimiter_byte() == ';');
    CHECK(read(R"({"path":"a","delimiter":"|"})").delimiter_byte() == '|');
    for (const char* bad : {"", "ab", "0x", "0xzz", "\\\\n", "\xc3\xa9"}) {
        CAPTURE(bad);
        CHECK(refused(std::string(R"({"path":"a","delimiter":")") + bad + "\"}").starts_with("delimiter: "));
    }
    CHECK(refused(R"({"path":"a","format":"json","delimiter":"x"})") == "delimiter: \"x\" may be part of a JSON record itself");
}

TEST_CASE("the csv block becomes a dialect") {
    const config c =
        read(R"({"path":"a","format":"csv","delimiter":"0x1e","csv":{"separator":"tab","quote":"'","header":false,"columns":["x","y"]}})");
    CHECK(c.dialect().separator == '\t');
    CHECK(c.dialect().quote == '\'');
    CHECK(c.dialect().delimiter == '\x1e');
    CHECK(!c.dialect().header);
    CHECK(c.dialect().columns == std::vector<std::string>{"x", "y"});
    CHECK(c.has_csv_settings());
    CHECK(!read(R"({"path":"a","format":"csv","csv":{"separator":"auto","quote":"none"}})").dialect().separator);
    CHECK(!read(R"({"path":"a","format":"csv","csv":{"quote":"none"}})").dialect().quote);
    CHECK(refused(R"({"path":"a","format":"csv","csv":{"quote":"''"}})").starts_with("csv.quote: "));
    CHECK(refused(R"({"path":"a","format":"csv","csv":{"on_mismatch":"fail"}})") == "csv.on_mismatch: `fail` is for outputs");
    CHECK(refused(R"({"path":"a","format":"csv","csv":{"columns":["x","x"]}})") == "csv: `columns` repeats 'x'");
    const config typed = read(R"({"path":"a","format":"csv","csv":{"columns":["x","y"],"types":{"y":"number","x":"string"}}})");
    CHECK(typed.dialect().types == std::map<std::string, csv_type>{{"x", csv_type::text}, {"y", csv_type::number}});
    CHECK(typed.has_csv_settings());
    CHECK(refused(R"({"path":"a","format":"csv","csv":{"columns":["x"],"types":{"y":"number"}}})") ==
          "csv.types: 'y' is not among the `columns`");
    CHECK(refused(R"({"path":"a","format":"csv","csv":{"types":{"y":"float"}}})").starts_with("csv/types/y: "));
}

TEST_CASE("a csv dialect that cannot be written is refused") {
    const auto why = [](const std::string& csv) {
        return refused(R"({"path":"a","format":"csv","csv":{)" + csv + "}}", MQB_SIDE_PUBLISHER);
    };
    CHECK(why(R"("header":false,"nested":"json","on_mismatch":"fail")") == "");
    CHECK(why(R"("separator":"auto")") == "csv: `separator: auto` is for inputs");
    CHECK(why(R"("separator":"ab")").starts_with("csv.separator: "));
    CHECK(why(R"("quote":"")").starts_with("csv.quote: "));
    CHECK(why(R"("separator":"'","quote":"'")") == "csv: `separator` and `quote` must differ");
    CHECK(why(R"("columns":["x","y","x"])") == "csv: `columns` repeats 'x'");
    CHECK(why(R"("quote":"none","columns":["x,y"])") == "csv: the column 'x,y' cannot be written without quotes, and `quote` is none");
    CHECK(why(R"("quote":"none","columns":["x","y"])") == "");
    CHECK(refused(R"({"path":"a","format":"csv","delimiter":","})", MQB_SIDE_PUBLISHER) ==
          "csv: the record `delimiter` must be neither the `separator` nor the `quote`");
}

TEST_CASE("rolling needs to know when") {
    const auto why = [](const std::string& rolling, const std::string& path = "a") {
        return refused(R"({"path":")" + path + R"(","rolling":{)" + rolling + "}}", MQB_SIDE_PUBLISHER);
    };
    CHECK(why("") == "");
    CHECK(why(R"("max_bytes":"10M","every":"1d","keep":7)") == "");
    CHECK(why(R"("every":"hourly")") == "rolling.every: a number and one of s, m, h, d was expected, as 1h, not \"hourly\"");
    CHECK(why(R"("keep":7)") == "rolling.keep: says nothing without `max_bytes` or `every`");
    CHECK(why(R"("max_bytes":0)") != "");
    CHECK(why(R"("max_bytes":1)", "/dev/stdout") == "rolling: /dev/stdout has no other file to go on with");
}

TEST_CASE("parts are asked for by two names, which must agree") {
    const auto parts = [](const std::string& more) { return read(R"({"path":"a")" + more + "}", MQB_SIDE_PUBLISHER).is_parts(); };
    CHECK_FALSE(parts(""));
    CHECK_FALSE(parts(R"(,"name_by":"write_time")"));
    CHECK_FALSE(parts(R"(,"idempotency":false)"));
    CHECK(parts(R"(,"idempotency":true)"));
    CHECK(parts(R"(,"name_by":"source_position")"));
    CHECK(parts(R"(,"name_by":"source_position","idempotency":true)"));
    const auto why = [](const std::string& more, const std::string& path = "a") {
        return refused(R"({"path":")" + path + R"(",)" + more + "}", MQB_SIDE_PUBLISHER);
    };
    CHECK(why(R"("name_by":"source_position","idempotency":false)") == "idempotency: is old for `name_by`, and says something else");
    CHECK(why(R"("name_by":"write_time","idempotency":true)") == "idempotency: is old for `name_by`, and says something else");
    CHECK(why(R"("name_by":"source_position","compression":"gzip")") == "name_by: parts are neither compressed nor encrypted");
    CHECK(why(R"("idempotency":true,"encryption":{"key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="})") ==
          "name_by: parts are neither compressed nor encrypted");
    CHECK(why(R"("name_by":"source_position")", "parts/") == "");
    CHECK(why(R"("name_by":"source_position")", "-") == "name_by: /dev/stdout has no names");
    CHECK(why(R"("name_by":"source_position","rolling":{"max_bytes":1})").starts_with("rolling: says nothing with "));
}

TEST_CASE("standard input is read, standard output written") {
    CHECK(refused(R"({"path":"/dev/stdin"})") == "");
    CHECK(refused(R"({"path":"/dev/stdout"})", MQB_SIDE_PUBLISHER) == "");
    CHECK(refused(R"({"path":"/dev/stdout"})") == "path: /dev/stdout cannot be read");
    CHECK(refused(R"({"path":"/dev/stdin"})", MQB_SIDE_PUBLISHER) == "path: /dev/stdin cannot be written");
    CHECK(with_stream(read(R"({"path":"-"})"), MQB_SIDE_CONSUMER).path == "/dev/stdin");
    CHECK(with_stream(read(R"({"path":"-"})", MQB_SIDE_PUBLISHER), MQB_SIDE_PUBLISHER).path == "/dev/stdout");
    CHECK(with_stream(read(R"({"path":"./-"})"), MQB_SIDE_CONSUMER).path == "./-");
    CHECK(refused(R"({"path":"-","mode":"group_subscribe","group_id":"g"})").starts_with("path: /dev/stdin has no position"));
    CHECK(refused(R"({"path":"-","rolling":{"max_bytes":1}})", MQB_SIDE_PUBLISHER).starts_with("rolling: /dev/stdout "));
}

TEST_CASE("every option of the contract is known") {
    const std::string_view schema = mqb::sdk::schema_of<config>();
    for (const char* key :
         {"path",        "format",     "mode",    "delete",      "group_id",        "read_from_tail", "delimiter",         "csv",
          "compression", "encryption", "name_by", "idempotency", "source_metadata", "fsync",          "fsync_interval_ms", "separator",
          "quote",       "header",     "columns", "nested",      "on_mismatch"})
        CHECK(schema.find('"' + std::string(key) + "\":{") != std::string_view::npos);
}
