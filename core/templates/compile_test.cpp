#include "core/templates/text_template.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace mqb::core;
using namespace mqb::core::templates;

namespace {

struct variable {
    explicit variable(const char* value) { ::setenv("MQB_TEMPLATE_TEST", value, 1); }
    ~variable() { ::unsetenv("MQB_TEMPLATE_TEST"); }
};

std::string constant_of(std::string_view source) {
    const auto made = compile(source);
    if (!made) return "compile: " + made.error().text;
    return made->is_constant() ? made->constant() : "no constant";
}

}  // namespace

TEST_CASE("what is no token is text, byte for byte") {
    for (const char* text : {"", "plain", "$", "$$", "$5", "$x", "a$", "{}", "$$$", "$}", "${other:x}", "${NOPE}", "${}", "${ }", "${:x}",
                             "${Payload:x}", "${other:x|upper}", "${other:${x}", "é \xff"})
        CHECK(constant_of(text) == text);
    CHECK(constant_of("$${payload:x}") == "${payload:x}");
    CHECK(constant_of("$${") == "${");
    CHECK(constant_of("$$${payload:x}") == "$${payload:x}");
    CHECK(constant_of("a $${b} ${other:c} d") == "a ${b} ${other:c} d");
}

TEST_CASE("a variable of the environment is fixed when the template is compiled") {
    const variable one{"o\"ne"};
    CHECK(constant_of("<${env:MQB_TEMPLATE_TEST}>") == "<o\"ne>");
    CHECK(constant_of("${ env : MQB_TEMPLATE_TEST | raw }") == "o\"ne");
    CHECK(constant_of("${env:MQB_TEMPLATE_TEST|base64}") == "byJuZQ==");
    const auto made = compile("${env:MQB_TEMPLATE_TEST}", escaping::json);
    const variable two{"two"};
    CHECK(made->constant() == "o\"ne");
    const variable broken{"\xff"};
    CHECK(constant_of("${env:MQB_TEMPLATE_TEST}") == "compile: the value of the variable MQB_TEMPLATE_TEST is not UTF-8");
    CHECK(constant_of("${env:MQB_TEMPLATE_TEST|base64}") == "/w==");
}

TEST_CASE("the value of a variable is never read as a template") {
    const variable one{"${gen:counter}"};
    CHECK(constant_of("${env:MQB_TEMPLATE_TEST}") == "${gen:counter}");
}

TEST_CASE("a template knows what it is made of") {
    struct {
        const char* source;
        bool is_constant, reads_message, generates;
    } rows[] = {{"x", true, false, false},
                {"${payload:a}", false, true, false},
                {"${payload}", false, true, false},
                {"${metadata:k}", false, true, false},
                {"${message:id}", false, true, false},
                {"${message:payload}", false, true, false},
                {"${gen:uuid}", false, false, true},
                {"${gen:random(1,2)}${message:id}", false, true, true}};
    for (const auto& row : rows) {
        CAPTURE(row.source);
        const auto made = compile(row.source);
        REQUIRE(made.has_value());
        CHECK(made->source() == row.source);
        CHECK(made->is_constant() == row.is_constant);
        CHECK(made->reads_message() == row.reads_message);
        CHECK(made->generates() == row.generates);
    }
}

TEST_CASE("mistakes have their place") {
    struct {
        const char* source;
        std::uint32_t offset, length;
        const char* text;
    } rows[] = {
        {"a ${payload:b", 2, 2, "\"${\" without \"}\"; a \"${\" that is text is written \"$${\""},
        {"${other", 0, 2, "\"${\" without \"}\"; a \"${\" that is text is written \"$${\""},
        {"x${message:ids}", 11, 3, "unknown selector: ${message:…} knows id and payload"},
        {"${message}", 0, 10, "unknown selector: ${message:…} knows id and payload"},
        {"${gen:uid}", 6, 3, "unknown selector: ${gen:…} knows uuid, now, timestamp, counter and random(a,b)"},
        {"${gen}", 0, 6, "unknown selector: ${gen:…} knows uuid, now, timestamp, counter and random(a,b)"},
        {"${gen:random}", 6, 6, "random wants two whole numbers, such as random(1,6)"},
        {"${gen:random()}", 0, 15, "random wants two whole numbers, such as random(1,6)"},
        {"${gen:random(1)}", 13, 1, "random wants two whole numbers, such as random(1,6)"},
        {"${gen:random(1,x)}", 13, 3, "random wants two whole numbers, such as random(1,6)"},
        {"${gen:random(1,9223372036854775808)}", 13, 21, "random wants two whole numbers, such as random(1,6)"},
        {"${gen:random(6, 1)}", 13, 4, "the first number of random is larger than the second one"},
        {"${metadata:}", 0, 12, "${metadata:…} wants a key"},
        {"${metadata}", 0, 11, "${metadata:…} wants a key"},
        {"${payload:a..b}", 10, 4, "the path has an empty name"},
        {"${payload:.a}", 10, 2, "the path has an empty name"},
        {"${payload:a.}", 10, 2, "the path has an empty name"},
        {"${payload:a|upper}", 12, 5, "unknown filter: known are raw and base64"},
        {"${payload:a|}", 0, 13, "unknown filter: known are raw and base64"},
        {"${payload:a | raw | base64}", 14, 12, "unknown filter: known are raw and base64"},
        {"${env:}", 0, 7, "${env:…} wants the name of a variable"},
        {"${env:MQB_NO_SUCH_VARIABLE}", 6, 20, "the variable MQB_NO_SUCH_VARIABLE is not set"},
        {"${env:MQB_NO_SUCH_VARIABLE|up}", 27, 2, "unknown filter: known are raw and base64"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.source);
        const auto made = compile(row.source);
        REQUIRE_FALSE(made.has_value());
        CHECK(made.error().text == row.text);
        CHECK(made.error().offset == row.offset);
        CHECK(made.error().length == row.length);
    }
    CHECK(expressions::excerpt("x${message:ids}", compile("x${message:ids}").error()) == "  x${message:ids}\n             ^^^");
}

TEST_CASE("in JSON a backslash before a token is a mistake: it would take the escape of a quote in the value away") {
    const auto made = compile(R"({"a":"x\${payload:b}"})", escaping::json);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().text == R"(in JSON no backslash may stand before a token; a backslash that is text is written \\)");
    CHECK(made.error().offset == 8);
    CHECK(made.error().length == 12);
    CHECK(compile(R"({"a":"x\\${payload:b}"})", escaping::json).has_value());
    CHECK(compile(R"(x\${payload:b})").has_value());
}

TEST_CASE("templates are bounded") {
    CHECK(compile(std::string(longest_template, 'x')).has_value());
    CHECK(compile(std::string(longest_template + 1, 'x')).error().text == "the template is longer than 16 MiB");
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "${gen:counter} ";
    CHECK(compile(many).has_value());
    for (int i = 0; i < 1'000; ++i) many += "${gen:counter} ";
    CHECK(compile(many).error().text == "more than 10000 tokens");
    const variable long_one{std::string(100'000, 'x').c_str()};
    std::string variables;
    for (int i = 0; i < 200; ++i) variables += "${env:MQB_TEMPLATE_TEST}";
    CHECK(compile(variables).error().text == "the values of variables are longer than 16 MiB together");
    // Text that only looks like tokens has no such bound, and does not take the square of its length.
    std::string others;
    for (int i = 0; i < 200'000; ++i) others += "${other:x}$5";
    CHECK((compile(others)->constant() == others));
}
