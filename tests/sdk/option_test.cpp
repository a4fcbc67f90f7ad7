#include <mqb/sdk/option_docs.hpp>
#include <mqb/sdk/option_parse.hpp>
#include <mqb/sdk/option_schema.hpp>

#include <doctest/doctest.h>

namespace sdk = mqb::sdk;
using sdk::option;

namespace {

enum class codec { none, gzip };

struct tls {
    bool required;
    std::optional<std::string> ca_file;
    static constexpr auto options() {
        return sdk::options(option("required", &tls::required).by_default(false),
                            option("ca_file", &tls::ca_file).doc("CA of the \"server\"."));
    }
};

struct config {
    std::string url, password;
    std::uint16_t port;
    std::int64_t offset;
    double ratio;
    codec compression;
    tls security;
    std::vector<std::string> brokers;
    std::map<std::string, std::int64_t> weights;
    std::optional<std::vector<codec>> codecs;
    std::uint64_t budget;
    sdk::template_field key;
    sdk::child_field inner;
    sdk::json_value extra;

    static constexpr auto options() {
        return sdk::options(option("url", &config::url).required().alias("uri").uri_authority().not_empty().doc("Where."),
                            option("password", &config::password).secret(), option("port", &config::port).by_default(5672),
                            option("offset", &config::offset).by_default(-1).at_least(-2).at_most(1000),
                            option("ratio", &config::ratio).by_default(0.25),
                            option("compression", &config::compression)
                                .value("none", codec::none)
                                .value("gzip", codec::gzip)
                                .by_default("none")
                                .by_default_in_uri("gzip"),
                            option("tls", &config::security), option("brokers", &config::brokers).by_default_json(R"(["a","b"])"),
                            option("weights", &config::weights).at_least(-2).deprecated(),
                            option("codecs", &config::codecs).value("none", codec::none).value("gzip", codec::gzip),
                            option("budget", &config::budget).size().by_default("1 MiB").consumer_only(), option("key", &config::key),
                            option("inner", &config::inner).child_publisher(),
                            option("extra", &config::extra).schema(R"("type":"object","additionalProperties":{})"));
    }
};

constexpr std::string_view wanted =
    R"({"type":"object","additionalProperties":false,"properties":{)"
    R"("url":{"type":"string","minLength":1,"description":"Where.","x-mqb-uri":"authority","x-mqb-aliases":["uri"]},)"
    R"("password":{"type":"string","x-mqb-secret":true},)"
    R"("port":{"type":"integer","minimum":0,"maximum":65535,"default":5672},)"
    R"("offset":{"type":"integer","minimum":-2,"maximum":1000,"default":-1},)"
    R"("ratio":{"type":"number","default":0.25},)"
    R"("compression":{"type":"string","enum":["none","gzip"],"default":"none","x-mqb-uri-default":"gzip"},)"
    R"("tls":{"type":"object","additionalProperties":false,"properties":{"required":{"type":"boolean","default":false},)"
    R"("ca_file":{"type":"string","description":"CA of the \"server\"."}}},)"
    R"("brokers":{"type":"array","items":{"type":"string"},"default":["a","b"]},)"
    R"("weights":{"type":"object","additionalProperties":{"type":"integer","minimum":-2},"deprecated":true},)"
    R"("codecs":{"type":"array","items":{"type":"string","enum":["none","gzip"]}},)"
    R"("budget":{"type":"integer","minimum":0,"default":1048576,"x-mqb-size":true,"x-mqb-sides":["consumer"]},)"
    R"("key":{"type":"string","x-mqb-template":true},)"
    R"("inner":{"x-mqb-endpoint":"publisher"},)"
    R"("extra":{"type":"object","additionalProperties":{}}},"required":["url"]})";

std::string why(std::string_view json) {
    try {
        sdk::parse_config<config>(json);
    } catch (const sdk::failure& thrown) {
        CHECK(thrown.answer == sdk::status::bad_config);
        return thrown.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the schema is made by the compiler, and is JSON") {
    static_assert(sdk::schema_of<config>().size() > 0);
    CHECK(sdk::schema_of<config>() == wanted);
    CHECK_NOTHROW(sdk::parse_json(sdk::schema_of<config>()));
    CHECK(sdk::schema_of<sdk::no_config>() == R"({"type":"object","additionalProperties":false,"properties":{}})");
}

TEST_CASE("what is not given has its default, also inside a block") {
    const config c = sdk::parse_config<config>(R"({"url":"x"})");
    CHECK(c.port == 5672);
    CHECK(c.offset == -1);
    CHECK(c.ratio == 0.25);
    CHECK(c.compression == codec::none);
    CHECK_FALSE(c.security.required);
    CHECK_FALSE(c.security.ca_file);
    CHECK(c.brokers == std::vector<std::string>{"a", "b"});
    CHECK(c.budget == 1 << 20);
    CHECK_FALSE(c.key);
    CHECK_FALSE(c.inner);
}

TEST_CASE("what is given is read") {
    const config c = sdk::parse_config<config>(
        R"({"uri":"y","port":1,"compression":"gzip","tls":{"required":true,"ca_file":"f"},"brokers":[],"weights":{"a":1,"b":-2},"codecs":["gzip","none"],)"
        R"("budget":7,"key":3,"inner":{"null":null},"extra":{"q":[1]},"password":null})");
    CHECK(c.url == "y");
    CHECK(c.compression == codec::gzip);
    CHECK(c.codecs == std::vector<codec>{codec::gzip, codec::none});
    CHECK(c.security.ca_file == "f");
    CHECK(c.brokers.empty());
    CHECK(c.weights.at("b") == -2);
    CHECK(c.budget == 7);
    CHECK(c.key.number == 3u);
    CHECK(c.inner.path == "/inner");
    CHECK(c.extra.find("q")->items.size() == 1);
    CHECK(c.password.empty());
}

TEST_CASE("sizes have units") {
    const auto budget = [](std::string_view text) {
        return sdk::parse_config<config>(sdk::join(R"({"url":"x","budget":")", text, "\"}")).budget;
    };
    CHECK(budget("5") == 5);
    CHECK(budget("5k") == 5000);
    CHECK(budget("5 M") == 5'000'000);
    CHECK(budget("2GiB") == 2ull << 30);
    for (const char* text : {"", "k", "5 kB", "5 KiBs", "-5", "20000000000000000000", "18446744073709551615G"})
        CHECK(why(sdk::join(R"({"url":"x","budget":")", text, "\"}")) != "");
}

TEST_CASE("what is wrong is named with its place") {
    CHECK(why("{}") == "url: required");
    CHECK(why(R"({"url":null})") == "url: required");
    CHECK(why(R"({"url":""})") == "url: too short");
    CHECK(why(R"({"url":1})") == "url: text was expected, not a number");
    CHECK(why(R"({"url":"x","prot":1})") == "prot: unknown key");
    CHECK(why(R"({"url":"x","tls":{"ca":1}})") == "tls/ca: unknown key");
    CHECK(why(R"({"url":"x","port":70000})") == "port: a whole number in range was expected");
    CHECK(why(R"({"url":"x","port":1.5})") == "port: a whole number in range was expected");
    CHECK(why(R"({"url":"x","offset":-3})") == "offset: less than -2");
    CHECK(why(R"({"url":"x","compression":"lz4"})") == "compression: \"lz4\" is not one of its values");
    CHECK(why(R"({"url":"x","brokers":["a",1]})") == "brokers/1: text was expected, not a number");
    CHECK(why(R"({"url":"x","weights":{"a/b":"c"}})") == "weights/a~1b: a number was expected");
    CHECK(why("[]") == "configuration: an object was expected, not an array");
    CHECK(why("{").find("configuration: ") == 0);
}

TEST_CASE("the documentation is a table of the same options") {
    const std::string table = sdk::docs_table<config>();
    CHECK(table.find("| `url` (also `uri`) | text | required | both | Where. |\n") != std::string::npos);
    CHECK(table.find("| `compression` | text | `\"none\"` | both |  One of `none`, `gzip` |\n") != std::string::npos);
    CHECK(table.find("| `budget` | size | `\"1 MiB\"` | input |  |\n") != std::string::npos);
    CHECK(table.find("| `password` | text | – | both | Secret.  |\n") != std::string::npos);
}

TEST_CASE("a path is a text, or the number of a template") {
    struct target {
        sdk::path_template path;
        static constexpr auto options() { return sdk::options(option("path", &target::path).required().not_empty().exclusive_path()); }
    };
    CHECK(sdk::schema_of<target>() ==
          R"({"type":"object","additionalProperties":false,"properties":{"path":{"type":"string","x-mqb-template":"path","minLength":1,)"
          R"("x-mqb-exclusive":"path"}},"required":["path"]})");
    const auto plain = sdk::parse_config<target>(R"({"path":"a/b"})"), numbered = sdk::parse_config<target>(R"({"path":7})");
    CHECK(plain.path == "a/b");
    CHECK_FALSE(plain.path.has_tokens());
    CHECK(numbered.path.empty());
    CHECK(numbered.path.tokens().number == 7u);
    CHECK_THROWS_WITH(sdk::parse_config<target>(R"({"path":""})"), "path: too short");
    CHECK_THROWS_WITH(sdk::parse_config<target>(R"({"path":true})"), "path: text was expected, not a boolean");
}
