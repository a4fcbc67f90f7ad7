#include "host/config/overrides.hpp"

#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using fakes::planned;

namespace {

constexpr const char* bare =
    "orders-EU:\n  batch_size: 5\n  input: {file: {path: x}}\n  output: {sink: {}, middlewares: [{again: {}}, {again: {max_attempts: "
    "2}}]}\n";

}  // namespace

TEST_CASE("an override replaces what is there, whatever the case of its name") {
    const planned out = plan(bare, {{"MQB__ORDERS_EU__BATCH_SIZE", "7"}, {"MQB__orders_eu__Input__File__Path", "y: {z"}});
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.batch_size == 7);
    CHECK(out.routes.at(0).definition.input.config == R"({"path":"y: {z","format":"normal","delete":false})");
}

TEST_CASE("an override may say a key that the file does not say") {
    const planned out = plan(bare, {{"MQB__ORDERS_EU__CONCURRENCY", "3"},
                                    {"MQB__ORDERS_EU__INPUT__FILE__FORMAT", "raw"},
                                    {"MQB__LOG_LEVEL", "debug"},
                                    {"MQB__ORDERS_EU__DEAD_LETTERS__STOP_AFTER", "4"}});
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.concurrency == 3);
    CHECK(out.routes.at(0).definition.input.config == R"({"path":"x","format":"raw","delete":false})");
    CHECK(out.routes.at(0).definition.dead_letters.stop_after == 4);
    CHECK(out.set.all_settings().log_level == "debug");
}

TEST_CASE("a place in a list changes that element alone") {
    const planned out = plan(bare, {{"MQB__ORDERS_EU__OUTPUT__MIDDLEWARES__0__AGAIN__MAX_ATTEMPTS", "9"}});
    CHECK(out.lines.empty());
    const auto& list = out.routes.at(0).definition.output.middlewares;
    REQUIRE(list.size() == 2);
    CHECK(list[0].config == R"({"max_attempts":9})");
    CHECK(list[1].config == R"({"max_attempts":2})");
    CHECK(
        complaints(bare, {{"MQB__ORDERS_EU__OUTPUT__MIDDLEWARES__2__AGAIN__MAX_ATTEMPTS", "9"}}) ==
        lines{"MQB__ORDERS_EU__OUTPUT__MIDDLEWARES__2__AGAIN__MAX_ATTEMPTS: addresses nothing: orders-EU.output.middlewares is a list of 2 "
              "entries, counted from 0"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__OUTPUT__MIDDLEWARES__X", "9"}}).size() == 1);
}

TEST_CASE("the routes of every form are reached") {
    const std::string named = "routes: {a: {input: {file: {path: x}}}}\n";
    CHECK(plan(named, {{"MQB__ROUTES__A__BATCH_SIZE", "7"}}).routes.at(0).definition.batch_size == 7);
    CHECK(plan(named, {{"MQB__A__BATCH_SIZE", "7"}}).routes.at(0).definition.batch_size == 7);
    CHECK(plan(bare, {{"MQB__ROUTES__ORDERS_EU__BATCH_SIZE", "7"}}).routes.at(0).definition.batch_size == 7);
    CHECK(plan("input: {file: {path: x}}\n", {{"MQB__BATCH_SIZE", "7"}}).routes.at(0).definition.batch_size == 7);
    CHECK(plan("config: {a: {input: {file: {path: x}}}}\n", {{"MQB__A__BATCH_SIZE", "7"}}).routes.at(0).definition.batch_size == 7);
    CHECK(plan("a__b: {input: {file: {path: x}}}\na: {input: {file: {path: y}}}\n", {{"MQB__A__B__BATCH_SIZE", "7"}})
              .routes.at(0)
              .definition.batch_size == 7);
    const planned two = plan({{"a.yaml", "a: {input: {file: {path: x}}}\n"}, {"b.yaml", "routes: {b: {input: {file: {path: y}}}}\n"}},
                             {{"MQB__B__BATCH_SIZE", "7"}});
    CHECK(two.lines.empty());
    CHECK(two.routes.at(0).definition.batch_size == 512);
    CHECK(two.routes.at(1).definition.batch_size == 7);
}

TEST_CASE("an endpoint may be replaced by null and an aliased one changes alone") {
    CHECK(plan(bare, {{"MQB__ORDERS_EU__OUTPUT", "null"}}).routes.at(0).definition.output.type == "null");
    const planned out = plan("a: {input: &in {file: {path: x}}}\nb: {input: *in}\n", {{"MQB__A__INPUT__FILE__PATH", "y"}});
    CHECK(out.routes.at(0).definition.input.config == R"({"path":"y","format":"normal","delete":false})");
    CHECK(out.routes.at(1).definition.input.config == R"({"path":"x","format":"normal","delete":false})");
}

TEST_CASE("what addresses nothing is an error with the name of the variable") {
    CHECK(complaints(bare, {{"MQB__ORDRES_EU__BATCH_SIZE", "7"}}) ==
          lines{"MQB__ORDRES_EU__BATCH_SIZE: addresses nothing: there is no route and no key \"ordres_eu\" (did you mean \"orders_eu\"?)"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__BATCH_SIZ", "7"}}) ==
          lines{"MQB__ORDERS_EU__BATCH_SIZ: orders-EU.batch_siz: unknown key (did you mean \"batch_size\"?)"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__INPUT__FILE__PTH", "7"}}) ==
          lines{"MQB__ORDERS_EU__INPUT__FILE__PTH: orders-EU.input.file.pth: unknown key (did you mean \"path\"?)"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__INPUT__FILE__PATH__X", "7"}}) ==
          lines{"MQB__ORDERS_EU__INPUT__FILE__PATH__X: addresses nothing: orders-EU.input.file.path is a text"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__INPUT__QUEUE__X", "7"}})
              .at(0)
              .starts_with("MQB__ORDERS_EU__INPUT__QUEUE__X: orders-EU.input: two endpoint types, \"file\" and \"queue\""));
    CHECK(complaints("a-b: {input: {file: {path: x}}}\na_b: {input: {file: {path: y}}}\n", {{"MQB__A_B__BATCH_SIZE", "7"}}) ==
          lines{"MQB__A_B__BATCH_SIZE: \"a-b\" and \"a_b\" have the same name in a variable"});
    CHECK(complaints("env_vars: {A: x}\n" + std::string{bare}, {{"MQB__ENV_VARS__A", "y"}}) ==
          lines{"MQB__ENV_VARS__A: addresses \"env_vars\": set the variable itself"});
    std::string deep = "MQB__ORDERS_EU";
    for (int i = 0; i < 20'000; ++i) deep += "__A";
    CHECK(complaints(bare, {{deep, "y"}}) == lines{deep + ": has more than 64 parts"});
}

TEST_CASE("a value is typed by the schema, and its mistakes have the name of the variable") {
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__BATCH_SIZE", "many"}}) ==
          lines{"MQB__ORDERS_EU__BATCH_SIZE: orders-EU.batch_size: \"many\" where integer is wanted"});
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__BATCH_SIZE", "0"}}) ==
          lines{"MQB__ORDERS_EU__BATCH_SIZE: orders-EU.batch_size: has to be at least 1"});
    const planned secret = plan("r: {input: {login: {}}}", {{"MQB__R__INPUT__LOGIN__PASSWORD", "0123"}});
    CHECK(secret.routes.at(0).definition.input.config == R"({"password":"0123"})");
    CHECK(secret.secrets == std::vector<std::string>{"0123"});
}

TEST_CASE("empty values and other variables say nothing, and values are not expanded") {
    CHECK(complaints(bare, {{"MQB__ORDERS_EU__BATCH_SIZE", ""}, {"MQB_PLUGIN_PATH", "x"}, {"MQB__NOWHERE", ""}}).empty());
    CHECK(
        plan("r: {input: {login: {user: x}}}", {{"MQB__R__INPUT__LOGIN__USER", "${A}"}, {"A", "b"}}).routes.at(0).definition.input.config ==
        R"({"user":"${A}"})");
}
