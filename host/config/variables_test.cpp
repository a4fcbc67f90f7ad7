#include "host/config/variables.hpp"

#include "host/config/planned_text.hpp"
#include "host/config/scalar.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using fakes::planned;

namespace {

// The JSON that the endpoint gets for `password: VALUE`.
std::string password(const std::string& yaml, const environment& from) {
    const planned out = plan("r:\n  input:\n    login:\n      password: " + yaml + "\n      user: u\n", from);
    CHECK(out.lines == lines{});
    const std::string& config = out.routes.at(0).definition.input.config;
    const std::string front = R"({"user":"u","password":)";
    REQUIRE(config.starts_with(front));
    return config.substr(front.size(), config.size() - front.size() - 1);
}

std::string user(const std::string& yaml, const environment& from = {}) {
    const planned out = plan("r: {input: {login: {user: " + yaml + "}}}", from);
    CHECK(out.lines == lines{});
    return out.routes.at(0).definition.input.config;
}

struct scratch_file {
    explicit scratch_file(const std::string& text)
        : name((std::filesystem::temp_directory_path() / ("mqb-secret-" + std::string(6, 'X'))).string()) {
        const int number = ::mkstemp(name.data());
        REQUIRE(number >= 0);
        ::close(number);
        std::ofstream{name, std::ios::binary} << text;
    }
    ~scratch_file() { std::filesystem::remove(name); }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    std::string name;
};

}  // namespace

TEST_CASE("C089: a value reaches the endpoint byte for byte and as text, wherever it stands") {
    for (const char* value :
         {"a#b", "p$ss${HOME}", "\"q'", "\\Cx", "> x", "- y", "{z: 1}", ": ", "two\nlines", "", "0123", "true", "null", "$$"}) {
        const environment from{{"PASS", value}, {"HOME", "/nowhere"}};
        const std::string expected = json_string(value);
        CAPTURE(value);
        CHECK(password("${PASS}", from) == expected);
        CHECK(password("\"${PASS}\"", from) == expected);
        CHECK(password("'${PASS}'", from) == expected);
        CHECK(password("|-\n        ${PASS}", from) == expected);
        CHECK(password("${env:PASS}", from) == expected);
        const environment number{{"PASS", value}};
        const planned any = plan("r: {input: {login: {any: [\"${PASS}\"]}}}", number);
        CHECK(any.routes.at(0).definition.input.config == "{\"any\":[" + expected + "]}");
    }
}

TEST_CASE("C089: a name that is not set is an error that shows no value, unless it has a default") {
    CHECK(complaints("r:\n  input:\n    login:\n      password: x${PASS}\n") ==
          lines{"f.yaml:4:17: r.input.login.password: the variable PASS is not set and has no default"});
    CHECK(complaints("r: {input: {login: {user: '${env:PAS}'}}}", {{"PASS", "secret"}}) ==
          lines{"f.yaml:1:27: r.input.login.user: the variable PAS is not set and has no default (did you mean \"PASS\"?)"});
    CHECK(user("'${PASS:-d e}'") == R"({"user":"d e"})");
    CHECK(user("'${PASS:-}'") == R"({"user":""})");
    CHECK(user("'${env:PASS:-d}'") == R"({"user":"d"})");
    CHECK(user("'${PASS:-d}'", {{"PASS", "x"}}) == R"({"user":"x"})");
    CHECK(user("'${PASS:-d}'", {{"PASS", ""}}) == R"({"user":"d"})");
    CHECK(user("'${PASS:-a:-b}'") == R"({"user":"a:-b"})");
}

TEST_CASE("what came out is never looked at again, and a dollar can be written") {
    const environment from{{"A", "${B}"}, {"B", "no"}};
    CHECK(user("'${A}'", from) == R"({"user":"${B}"})");
    CHECK(user("'$${A}'", from) == R"({"user":"${A}"})");
    CHECK(user("'$$${A}'", from) == R"({"user":"$${B}"})");
    CHECK(user("'a$$b$'", from) == R"({"user":"a$b$"})");
    CHECK(user("'$${payload:x} $$${payload:x} ${gen:uuid}'", from) == R"({"user":"${payload:x} $${payload:x} ${gen:uuid}"})");
    CHECK(complaints("r: {input: {login: {user: '${A:-${B}}'}}}").at(0).ends_with("the default of a variable cannot hold another one"));
}

TEST_CASE("what is meant as a variable and is none is told") {
    CHECK(complaints("r: {input: {login: {user: 'x${A'}}}", {{"A", "1"}}) ==
          lines{"f.yaml:1:27: r.input.login.user: \"${\" without \"}\"; a \"${\" that is text is written \"$${\""});
    CHECK(complaints("r: {input: {login: {user: '${a b}'}}}") ==
          lines{"f.yaml:1:27: r.input.login.user: \"${a b}\" names no variable; a \"${\" that is text is written \"$${\""});
    CHECK(complaints("r: {input: {login: {user: '${}'}}}").size() == 1);
    CHECK(complaints("r: {input: {login: {user: '${env:}'}}}").size() == 1);
    CHECK(complaints("r: {input: {login: {user: 'a$A'}}}", {{"A", "1"}}) ==
          lines{"f.yaml:1:27: warning: r.input.login.user: \"$A\" is text, though A is set: a variable is written \"${A}\""});
    CHECK(user("'$A $1 $'") == R"({"user":"$A $1 $"})");
}

TEST_CASE("a number may come from a variable where a number is wanted, a structure never") {
    const planned out = plan("r: {batch_size: '${N}', input: {login: {port: '${P}'}}}", {{"N", "7"}, {"P", "80"}});
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.batch_size == 7);
    CHECK(out.routes.at(0).definition.input.config == R"({"port":80})");
    CHECK(complaints("r: {input: '${X}'}", {{"X", "{file: {path: x}}"}}) ==
          lines{"f.yaml:1:12: r.input: an endpoint is a map like \"TYPE: {…}\", or null"});
}

TEST_CASE("keys are not expanded") {
    CHECK(
        complaints("r: {input: {login: {'${A}': 1}}}", {{"A", "user"}}).at(0).starts_with("f.yaml:1:21: r.input.login.${A}: unknown key"));
}

TEST_CASE("env_vars is the second source of names") {
    const std::string file = "env_vars: {A: own, B: 'x-${HOME}', N: 5}\nroutes: {r: {input: {login: {user: '${A}|${B}|${N}'}}}}\n";
    CHECK(plan(file, {{"HOME", "/h"}}).routes.at(0).definition.input.config == R"({"user":"own|x-/h|5"})");
    CHECK(plan(file, {{"HOME", "/h"}, {"A", "env"}}).routes.at(0).definition.input.config == R"({"user":"env|x-/h|5"})");
    CHECK(complaints("env_vars: {A: '${B}', B: x, 'a-b': y, C: [z]}\n") ==
          lines{"f.yaml:1:15: env_vars.A: the variable B is not set and has no default",
                "f.yaml:1:29: env_vars.a-b: is no name of a variable", "f.yaml:1:39: env_vars.C: has to be a text"});
    // Each file has its own.
    CHECK(plan({{"a.yaml", "envVars: {A: x}\n"}, {"b.yaml", "r: {input: {login: {user: '${A}'}}}"}}).lines.size() == 1);
}

TEST_CASE("the text of a file is a secret wherever it stands, without the end of its line") {
    const scratch_file file{"S3cr3t!\n"};
    const planned out = plan("r: {input: {login: {user: 'u-${file:" + file.name + "}'}}}");
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.input.config == R"({"user":"u-S3cr3t!"})");
    CHECK(out.secrets == std::vector<std::string>{"S3cr3t!"});
    const planned wrong = plan("r: {input: {login: {port: '${file:" + file.name + "}'}}}");
    CHECK(wrong.lines == lines{"f.yaml:1:27: r.input.login.port: the value where integer is wanted"});
    CHECK(complaints("r: {input: {login: {user: '${file:/nowhere/x}'}}}") ==
          lines{"f.yaml:1:27: r.input.login.user: /nowhere/x cannot be read: No such file or directory"});
    CHECK(complaints("r: {input: {login: {user: '${file:/}'}}}") ==
          lines{"f.yaml:1:27: r.input.login.user: / cannot be read: is not a file"});
    const scratch_file binary{"\xff\xfe"};
    CHECK(complaints("r: {input: {login: {user: '${file:" + binary.name + "}'}}}").at(0).ends_with("cannot be read: is not UTF-8"));
    const scratch_file large{std::string(largest_secret_file + 1, 'x')};
    CHECK(complaints("r: {input: {login: {user: '${file:" + large.name + "}'}}}")
              .at(0)
              .ends_with("cannot be read: is larger than 1048576 bytes"));
}

TEST_CASE("long values that are named often are bounded") {
    std::string text = "r: {input: {login: {any: [";
    for (int i = 0; i < 200; ++i) text += "'${LONG}',";
    const planned out = plan(text + "]}}}", {{"LONG", std::string(100'000, 'x')}});
    REQUIRE_FALSE(out.lines.empty());
    CHECK(out.lines.at(0).ends_with("r.input.login.any[167]: the values of variables are larger than 16 MiB together"));
}

TEST_CASE("a secret of a schema is collected, and not shown, when it comes from a variable") {
    const planned out = plan("r: {input: {login: {password: ['${P}']}}}", {{"P", "S3cr3t"}});
    CHECK(out.lines == lines{"f.yaml:1:31: r.input.login.password: a list where text is wanted"});
    CHECK(out.secrets == std::vector<std::string>{"S3cr3t"});
}
