#include "host/uri/uri_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::host;

namespace {

uri_text parts_of(const std::string& text) {
    const auto out = split_uri(text);
    REQUIRE(out.has_value());
    return *out;
}

std::string complaint(const std::string& text) {
    const auto out = split_uri(text);
    return out ? "" : out.error().text;
}

}  // namespace

TEST_CASE("a URI has a scheme, an authority, a path and parameters") {
    const uri_text uri = parts_of("nice-one://me:pw@a:1,b:2/deep/path?x=1&y=a=b&z=");
    CHECK(uri.endpoint.scheme == "nice-one");
    CHECK(uri.endpoint.authority == "me:pw@a:1,b:2");
    CHECK(uri.endpoint.path == "/deep/path");
    CHECK(uri.endpoint.parameters == uri_parameters{{"x", "1"}, {"y", "a=b"}, {"z", ""}});
    CHECK(uri.middlewares.empty());
}

TEST_CASE("without // there is a path alone, with it the authority ends at the next slash") {
    CHECK(parts_of("file:a/b").endpoint.path == "a/b");
    CHECK(parts_of("file:a/b").endpoint.authority.empty());
    CHECK(parts_of("file:///a").endpoint.path == "/a");
    CHECK(parts_of("file://a").endpoint.authority == "a");
    CHECK(parts_of("null:").endpoint.path.empty());
}

TEST_CASE("middlewares keep their order") {
    const uri_text uri = parts_of("-?format=raw|retry?a=1&b=2|dlq");
    CHECK(uri.endpoint.scheme == "-");
    REQUIRE(uri.middlewares.size() == 2);
    CHECK(uri.middlewares[0].name == "retry");
    CHECK(uri.middlewares[0].parameters == uri_parameters{{"a", "1"}, {"b", "2"}});
    CHECK(uri.middlewares[1].name == "dlq");
    CHECK(parts_of("stdio:?format=raw").endpoint.scheme == "-");
}

TEST_CASE("what is inside a variable is no part of the URI") {
    const uri_text uri = parts_of("file:${A:-x?y|z&/}/b?c=${D:-e&f=g}");
    CHECK(uri.endpoint.path == "${A:-x?y|z&/}/b");
    CHECK(uri.endpoint.parameters == uri_parameters{{"c", "${D:-e&f=g}"}});
    CHECK(parts_of("m://${HOST:-a/b}/p").endpoint.authority == "${HOST:-a/b}");
    // One that does not end is text.
    CHECK(parts_of("file:${A?b=1").endpoint.parameters.size() == 1);
}

TEST_CASE("each mistake is named") {
    CHECK(complaint("").find("is empty") != std::string::npos);
    CHECK(complaint("a/b").find("\"a/b\" has no scheme") != std::string::npos);
    CHECK(complaint("a b:c").find("the scheme \"a b\"") != std::string::npos);
    CHECK(complaint("a:b?c").find("parameter \"c\" has no value") != std::string::npos);
    CHECK(complaint("a:b?=c").find("parameter \"=c\" has no name") != std::string::npos);
    CHECK(complaint("a:b|").find("the middleware \"\"") != std::string::npos);
    CHECK(complaint("a:b|x y").find("the middleware \"x y\"") != std::string::npos);
    CHECK(complaint("a:b?%4=c").find("\"%4\" is no escape") != std::string::npos);
}

TEST_CASE("escapes are bytes, but not inside variables") {
    CHECK(percent_decoded("a%20%7c%7C${X%41}").value() == "a ||${X%41}");
    CHECK(percent_decoded("%00").value() == std::string(1, '\0'));
    for (const char* bad : {"%", "%4", "%zz", "a%g0"}) {
        INFO(bad);
        CHECK_FALSE(percent_decoded(bad).has_value());
    }
}

TEST_CASE("a dollar that starts no variable is doubled, so that it stays") {
    CHECK(value_text("a$b").value() == "a$$b");
    CHECK(value_text("$%7Bpayload:x%7D").value() == "$${payload:x}");
    CHECK(value_text("${X}$").value() == "${X}$$");
    CHECK(value_text("%24%7BX}").value() == "$${X}");
}
