#include "host/uri/uri_reader.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace mqb;
using namespace mqb::host;

namespace {

const std::map<std::string, std::string> schemas{
    {"file",
     R"({"type":"object","properties":{"path":{"type":"string","x-mqb-uri":"path","x-mqb-exclusive":"path"},"lines":{"type":"object"}},"additionalProperties":false})"},
    {"host",
     R"({"type":"object","properties":{"url":{"type":"string","x-mqb-uri":"authority"},"topic":{"type":"string","x-mqb-uri":"path"}},"additionalProperties":false})"},
    {"base",
     R"({"type":"object","properties":{"url":{"type":"string","x-mqb-uri":"driver"},"table":{"type":"string"}},"additionalProperties":false})"},
    {"queue",
     R"({"type":"object","properties":{"url":{"type":"string","x-mqb-uri":"driver"},"subject":{"type":"string","x-mqb-uri":"path"}},"additionalProperties":false})"},
    {"packed",
     R"({"type":"object","properties":{"path":{"type":"string","x-mqb-uri":"path"},"with":{"type":"string","default":"none","x-mqb-uri":"query","x-mqb-uri-default":"auto","x-mqb-aliases":["by"]}},"additionalProperties":false})"},
    {"sided",
     R"({"type":"object","properties":{"in":{"type":"string","x-mqb-uri":"query","x-mqb-uri-default":"i","x-mqb-sides":["consumer"]},"out":{"type":"string","x-mqb-uri":"query","x-mqb-uri-default":"o","x-mqb-sides":["publisher"]}},"additionalProperties":false})"},
    {"dir_spool", R"({"type":"object","properties":{"path":{"type":"string","x-mqb-uri":"path"}},"additionalProperties":false})"},
    {"all",
     R"({"type":"object","properties":{"to":{"type":"array","items":{"x-mqb-endpoint":"publisher"}}},"additionalProperties":false})"},
    {"both",
     R"({"type":"object","properties":{"first":{"x-mqb-endpoint":"publisher"},"then":{"x-mqb-endpoint":true}},"additionalProperties":false})"},
    {"null", R"({"type":["object","null"],"properties":{}, "additionalProperties":false})"},
    {"m:keep",
     R"({"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}},"where":{"x-mqb-endpoint":"publisher"}},"additionalProperties":false})"}};

std::string shown(const config::node& n) {
    std::string out;
    switch (n.what) {
        case config::shape::null: return "null";
        case config::shape::scalar: return n.text;
        case config::shape::list:
            for (const auto& item : n.items) out += (out.empty() ? "" : ", ") + shown(*item);
            return '[' + out + ']';
        case config::shape::map: break;
    }
    for (const auto& e : n.entries) out += (out.empty() ? "" : ", ") + e.key + ": " + shown(*e.value);
    return '{' + out + '}';
}

// The tree of the URI, or what is wrong with it.
std::string read(const std::string& text, core::side side = core::consumer_side) {
    config::findings found;
    uri_reader reader{[](const std::string& type, bool is_middleware) -> core::result<std::shared_ptr<const config::schema>> {
                          const auto at = schemas.find((is_middleware ? "m:" : "") + type);
                          if (at == schemas.end()) return core::failure{core::status::bad_config, "no \"" + type + '"'};
                          return config::read_schema(at->second);
                      },
                      found};
    const config::node_ptr made = reader.read(text, "SOURCE", side);
    CHECK((made == nullptr) == found.has_errors());
    return made ? shown(*made) : found.sorted().front().line();
}

}  // namespace

TEST_CASE("a user and a password where no host is taken are refused and not told") {
    const std::string refusal = "SOURCE: \"file\" takes no user and password before an @; in a path write the @ as %40";
    CHECK(read("file://user:pw@h/x") == refusal);
    CHECK(read("file://:pw@h") == refusal);
    CHECK(read("null://user:pw@h").find("pw") == std::string::npos);
    CHECK(read("null:user:pw@h") == "SOURCE: \"null\" takes no path, and one stands there");
    CHECK(read("host://user:pw@h/t") == "{host: {url: user:pw@h, topic: t}}");
    CHECK(read("file://a@b/c") == "{file: {path: a@b/c}}");
    CHECK(read("file://a:b/c@d") == "{file: {path: a:b/c@d}}");
    CHECK(read("file:a:b@c") == "{file: {path: a:b@c}}");
    CHECK(read("file://${A:-x@y:z}/c") == "{file: {path: ${A:-x@y:z}/c}}");
}

TEST_CASE("a field may mean something else in a URI that says nothing of it") {
    CHECK(read("packed:a") == "{packed: {path: a, with: auto}}");
    CHECK(read("packed:") == "{packed: {with: auto}}");
    CHECK(read("packed:a?with=none") == "{packed: {path: a, with: none}}");
    CHECK(read("packed:a?by=none") == "{packed: {path: a, with: none}}");
    CHECK(read("all:?to=packed%3Aa") == "{all: {to: [{packed: {path: a, with: auto}}]}}");
}

TEST_CASE("what a URI says nothing of is said for the side that has the field") {
    CHECK(read("sided:", core::consumer_side) == "{sided: {in: i}}");
    CHECK(read("sided:", core::publisher_side) == "{sided: {out: o}}");
    CHECK(read("sided:?out=p", core::publisher_side) == "{sided: {out: p}}");
    CHECK(read("-", core::publisher_side) == "{file: {path: /dev/stdout}}");
    // What is nested has a side of its own, and what stands behind it that of the whole.
    CHECK(read("all:?to=sided%3A&to=file%3A-") == "{all: {to: [{sided: {out: o}}, {file: {path: /dev/stdout}}]}}");
    CHECK(read("sided:|keep?where=sided%3A") == "{sided: {in: i}, middlewares: [{keep: {where: {sided: {out: o}}}}]}");
    CHECK(read("both:?first=sided%3A&then=sided%3A") == "{both: {first: {sided: {out: o}}, then: {sided: {in: i}}}}");
}

TEST_CASE("the path is what the schema says") {
    CHECK(read("file:a/b") == "{file: {path: a/b}}");
    CHECK(read("file://a/b") == "{file: {path: a/b}}");
    CHECK(read("file:///a/b") == "{file: {path: /a/b}}");
    CHECK(read("dir-spool:x") == "{dir_spool: {path: x}}");
    CHECK(read("-") == "{file: {path: /dev/stdin}}");
    CHECK(read("file:-") == "{file: {path: /dev/stdin}}");
    CHECK(read("file:./-") == "{file: {path: ./-}}");
    CHECK(read("dir-spool:-") == "{dir_spool: {path: -}}");
    CHECK(read("null:") == "{null: null}");
}

TEST_CASE("an authority is apart from the path, a driver gets the URL") {
    CHECK(read("host://a:1,b:2/t") == "{host: {url: a:1,b:2, topic: t}}");
    CHECK(read("host://a:1") == "{host: {url: a:1}}");
    CHECK(read("base://u:p%40@h/db?table=t&ssl=on&x=%20") == "{base: {url: base://u:p%40@h/db?ssl=on&x=%20, table: t}}");
    CHECK(read("queue://h:4222/s.%3E") == "{queue: {url: queue://h:4222, subject: s.>}}");
    CHECK(read("base:?url=other%3A%2F%2Fh") == "{base: {url: other://h}}");
}

TEST_CASE("parameters are texts, JSON, lists or endpoints") {
    CHECK(read(R"(file:a?lines={"b":"c%7Cd"})") == "{file: {path: a, lines: {b: c|d}}}");
    CHECK(read("all:?to=file%3Aa&to=host%3A%2F%2Fb%2Ft") == "{all: {to: [{file: {path: a}}, {host: {url: b, topic: t}}]}}");
    CHECK(read("file:a|keep?names=x&names=y&where=file%3Ad%2520e") ==
          "{file: {path: a}, middlewares: [{keep: {names: [x, y], where: {file: {path: d e}}}}]}");
    CHECK(read("file:a|keep") == "{file: {path: a}, middlewares: [{keep: null}]}");
}

TEST_CASE("what does not fit is named") {
    CHECK(read("fail:a") == "SOURCE: no \"fail\"");
    CHECK(read("file:a?pth=b") == "SOURCE: \"file\" has no parameter \"pth\" (did you mean \"path\"?)");
    CHECK(read("file:a?path=b") == "SOURCE: \"path\" is said twice");
    CHECK(read("null:x") == "SOURCE: \"null\" takes no path, and \"x\" stands there");
    CHECK(read("base:?ssl=on") == "SOURCE: the parameter \"ssl\" is for a connection URL, and there is none");
    CHECK(read("file:a|kep") == "SOURCE: no \"kep\"");
    CHECK(read("file:a|keep?where=b") == "SOURCE: \"b\" has no scheme: a URI begins with SCHEME:, such as file:b, or is -");
    CHECK(read("file:a?lines={").starts_with("SOURCE: parameter \"lines\": is no JSON: "));
    std::string deep = "null:";
    for (int i = 0; i < 12; ++i) {
        std::string escaped;
        for (const char c : deep) escaped += c == '%' ? "%25" : c == '?' ? "%3F" : c == '=' ? "%3D" : c == '&' ? "%26" : std::string(1, c);
        deep = "all:?to=" + escaped;
    }
    CHECK(read(deep) == "SOURCE: URIs in each other more than 8 deep");
}
