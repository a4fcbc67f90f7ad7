#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using fakes::planned;

TEST_CASE("the three forms of a file") {
    const planned bare = plan("a: {input: {file: {path: x}}}\nb: {input: {file: {path: y}}, output: {sink: {}}}\n");
    CHECK(bare.lines.empty());
    REQUIRE(bare.routes.size() == 2);
    CHECK(bare.routes[1].definition.name == "b");
    CHECK(bare.routes[1].definition.input.type == "file");
    CHECK(bare.routes[1].definition.input.config == R"({"path":"y","format":"normal","delete":false})");
    CHECK(bare.routes[1].definition.input.path == "input");
    CHECK(bare.routes[1].definition.output.type == "sink");
    CHECK(bare.routes[0].definition.output.type == "null");

    const planned named = plan("log_level: warn\nmetrics_addr: ''\nroutes:\n  a: {enabled: false, input: {file: {path: x}}}\n");
    CHECK(named.lines.empty());
    REQUIRE(named.routes.size() == 1);
    CHECK_FALSE(named.routes[0].is_enabled);
    CHECK(named.set.all_settings().log_level == "warning");

    const planned lone = plan("input: {file: {path: in.jsonl}}\noutput: {file: {path: o}}\nexit_on_empty: true\n");
    CHECK(lone.lines.empty());
    REQUIRE(lone.routes.size() == 1);
    CHECK(lone.routes[0].definition.name == "route");
    CHECK(lone.routes[0].definition.drain);

    const planned json =
        plan({{"f.json", R"({"routes": {"j": {"exit_on_empty": true, "batch_size": 7, "input": {"file": {"path": "x"}}}}})"}});
    CHECK(json.lines.empty());
    CHECK(json.routes.at(0).definition.batch_size == 7);
}

TEST_CASE("the exported form has its routes under config, unless that is a route") {
    const planned out = plan("config:\n  routes:\n    a: {input: {file: {pth: x}}}\n");
    CHECK(out.lines == lines{"f.yaml:3:17: config.routes.a.input.file.path: missing",
                             "f.yaml:3:24: config.routes.a.input.file.pth: unknown key (did you mean \"path\"?)"});
    CHECK(plan("config: {a: {input: {file: {path: x}}}}").routes.at(0).definition.name == "a");
    const planned route = plan("config: {input: {file: {path: x}}}");
    CHECK(route.lines.empty());
    CHECK(route.routes.at(0).definition.name == "config");
    CHECK(complaints("config: {log: {levl: x}}") == lines{"f.yaml:1:16: config.log.levl: unknown key; known are level and format"});
}

TEST_CASE("every route option reaches the definition") {
    const planned out = plan(
        "r:\n  description: every option\n  concurrency: 3\n  batch_size: 11\n  batch_bytes: 1 MiB\n  max_in_flight_bytes: 2MiB\n"
        "  send_window: 3\n  commit_concurrency_limit: 17\n  reconnect_interval_ms: 750\n  startup_timeout_ms: 2500\n"
        "  empty_batch_delay_ms: 0\n  shutdown_timeout_ms: 5\n  allow_fault_injection: true\n  exit_on_empty: true\n"
        "  required_delivery: at_least_once\n  require: [ordered]\n  on_error: reject\n  max_deliveries: 9\n  order_by: '${metadata:k}'\n"
        "  dead_letters: {endpoint: {sink: {}}, max_bytes: 5 KiB, stop_after: 7}\n  input: {lease: {}}\n  output: {file: {path: x}}\n");
    CHECK(out.lines.empty());
    const mqb::core::route_definition& d = out.routes.at(0).definition;
    CHECK(d.concurrency == 3);
    CHECK(d.batch_size == 11);
    CHECK(d.batch_bytes == 1u << 20);
    CHECK(d.max_in_flight_bytes == 2u << 20);
    CHECK(d.send_window == 3);
    CHECK(d.commit_concurrency_limit == 17);
    CHECK(d.reconnect_interval.count() == 750);
    REQUIRE(d.startup_timeout);
    CHECK(d.startup_timeout->count() == 2500);
    CHECK(d.empty_batch_delay.count() == 0);
    CHECK(d.shutdown_timeout.count() == 5);
    CHECK(d.drain);
    CHECK(d.allows_faults);
    CHECK(d.keep_order);
    CHECK(d.on_error == mqb::core::error_policy::reject);
    CHECK(d.max_deliveries == 9);
    CHECK(d.order_by);
    REQUIRE(d.dead_letters.endpoint);
    CHECK(d.dead_letters.endpoint->type == "sink");
    CHECK(d.dead_letters.endpoint->path == "dead_letters.endpoint");
    CHECK(d.dead_letters.max_bytes == 5120);
    CHECK(d.dead_letters.stop_after == 7);
    REQUIRE(out.routes.at(0).has);
    CHECK(out.routes.at(0).has->how == delivery::at_least_once);
    CHECK(out.routes.at(0).has->is_ordered);
}

TEST_CASE("what is not said has the defaults of the engine") {
    const mqb::core::route_definition plain;
    const mqb::core::route_definition d = plan("r: {input: {file: {path: x}}}").routes.at(0).definition;
    CHECK(d.concurrency == plain.concurrency);
    CHECK(d.batch_size == plain.batch_size);
    CHECK(d.batch_bytes == plain.batch_bytes);
    CHECK(d.max_in_flight_bytes == plain.max_in_flight_bytes);
    CHECK(d.send_window == plain.send_window);
    CHECK(d.allows_faults == plain.allows_faults);
    CHECK(d.commit_concurrency_limit == plain.commit_concurrency_limit);
    CHECK(d.max_deliveries == plain.max_deliveries);
    CHECK(d.reconnect_interval == plain.reconnect_interval);
    CHECK(d.empty_batch_delay == plain.empty_batch_delay);
    CHECK(d.shutdown_timeout == plain.shutdown_timeout);
    CHECK_FALSE(d.startup_timeout);
    CHECK_FALSE(d.order_by);
    CHECK_FALSE(d.keep_order);
    CHECK(d.on_error == mqb::core::error_policy::dead_letter);
    CHECK_FALSE(d.dead_letters.endpoint);
    CHECK(d.dead_letters.max_bytes == plain.dead_letters.max_bytes);
    CHECK(d.dead_letters.stop_after == plain.dead_letters.stop_after);
}

TEST_CASE("a shutdown timeout beside the routes is that of routes without one") {
    const planned out = plan(
        "routes:\n  a: {input: {file: {path: x}}}\n  b: {shutdown_timeout_ms: 3, input: {file: {path: y}}}\nshutdown_timeout_ms: 70\n");
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.shutdown_timeout.count() == 70);
    CHECK(out.routes.at(1).definition.shutdown_timeout.count() == 3);
    CHECK(complaints("shutdown_timeout_ms: -1\n") == lines{"f.yaml:1:22: shutdown_timeout_ms: has to be at least 0"});
}

TEST_CASE("the ways to say null") {
    for (const char* text : {"null", "~", "\"null\"", "{}", "{\"null\": null}", "{null: {}}"}) {
        CAPTURE(text);
        const planned out = plan("r: {input: {file: {path: x}}, output: " + std::string{text} + "}");
        CHECK(out.lines.empty());
        CHECK(out.routes.at(0).definition.output.type == "null");
    }
}

TEST_CASE("custom spells the same, and a middleware keeps its place") {
    const planned out = plan(
        "r:\n  input: {custom: {name: file, config: {path: x}}}\n  output: {sink: {}, middlewares: [{again: {}}, {again: {max_attempts: "
        "5}}]}\n");
    CHECK(out.lines.empty());
    const mqb::core::route_definition& d = out.routes.at(0).definition;
    CHECK(d.input.type == "file");
    REQUIRE(d.output.middlewares.size() == 2);
    CHECK(d.output.middlewares[0].config == R"({"max_attempts":3})");
    CHECK(d.output.middlewares[1].config == R"({"max_attempts":5})");
    CHECK(d.output.middlewares[1].path == "output.middlewares[1]");
}

TEST_CASE("what is wrong in a route") {
    CHECK(complaints("r:\n  concurency: 2\n  input: { file: { path: x } }\n") ==
          lines{"f.yaml:2:3: r.concurency: unknown key (did you mean \"concurrency\"?)"});
    CHECK(complaints("routes:\n  r:\n    output: null\n") == lines{"f.yaml:2:3: routes.r.input: missing"});
    CHECK(complaints("r:\n  batch_size: many\n  input: { file: { path: x } }\n") ==
          lines{"f.yaml:2:15: r.batch_size: \"many\" where integer is wanted"});
    CHECK(complaints("r:\n  batch_size: 0\n  input: { file: { path: x } }\n") == lines{"f.yaml:2:15: r.batch_size: has to be at least 1"});
    CHECK(complaints("r: 5\n") == lines{"f.yaml:1:1: r: unknown key; a route is a map with an input and an output"});
    CHECK(complaints("routs:\n  r: {input: {file: {path: x}}}\n").size() == 2);
    CHECK(complaints("routes: {r: {input: {file: {path: x}}}}\ns: {input: {file: {path: y}}}\n") ==
          lines{"f.yaml:2:1: s: a route has to stand under \"routes\" here"});
    CHECK(complaints("batch_siz: 5\ninput: {file: {path: x}}\n") ==
          lines{"f.yaml:1:1: batch_siz: unknown key (did you mean \"batch_size\"?)"});
    CHECK(complaints("- 1\n") == lines{"f.yaml:1:1: a route file is a map of routes"});
    CHECK(complaints("consumers: []\n") ==
          lines{"f.yaml:1:1: consumers: not read here: write them as routes, each with an input and an output"});
    CHECK(complaints("history: {}\n") == lines{"f.yaml:1:1: warning: history: has no meaning here"});
    CHECK(complaints("metrics_addr: '127.0.0.1:9090'\n") == lines{"f.yaml:1:1: metrics_addr: not supported by this version"});
    CHECK(complaints("") == lines{"f.yaml:1:1: warning: says nothing: there is no route in it"});
}

TEST_CASE("a name with U+0000 in it is refused wherever it leads outside, and not in other texts") {
    const std::string text = "holds U+0000, which would cut the name short";
    CHECK(complaints("r: {input: {queue: {}}, output: {file: {path: \"a\\0b\"}}}\n") == lines{"f.yaml:1:47: r.output.file.path: " + text});
    CHECK(plan({{"f.json", R"({"r": {"input": {"queue": {}}, "output": {"file": {"path": "a\u0000"}}}})"}}).lines ==
          lines{"f.json:1:60: r.output.file.path: " + text});
    CHECK(complaints("state_dir: \"s\\0\"\nplugins: [p, \"q\\0\"]\nroutes: {r: {input: {queue: {}}}}\n") ==
          lines{"f.yaml:1:12: state_dir: " + text, "f.yaml:2:14: plugins: " + text});
    const lines secret = complaints("r: {description: \"${file:/etc/hostname\\0x}\", input: {queue: {}}}\n");
    REQUIRE(secret.size() == 1);
    CHECK(secret[0].find("/etc/hostname… cannot be read: " + text) != std::string::npos);
    CHECK(complaints("r: {description: \"a\\0b\", input: {queue: {any: \"\\0\"}}}\n").empty());
}

TEST_CASE("what is wrong in an endpoint") {
    CHECK(complaints("r:\n  input:\n    file:\n      path: x\n      delet: true\n") ==
          lines{"f.yaml:5:7: r.input.file.delet: unknown key (did you mean \"delete\"?)"});
    CHECK(complaints("r:\n  input:\n    file: {path: x}\n    queue: {}\n") ==
          lines{"f.yaml:4:5: r.input: two endpoint types, \"file\" and \"queue\": beside the type stands only \"middlewares\""});
    CHECK(complaints("r:\n  input: { file: {path: x}, middleware: [] }\n") ==
          lines{"f.yaml:2:29: r.input.middleware: unknown key (did you mean \"middlewares\"?)"});
    CHECK(complaints("r:\n  input: \"file://x\"\n") == lines{"f.yaml:2:10: r.input: an endpoint is a map like \"TYPE: {…}\", or null"});
    CHECK(complaints("r:\n  input: { sink: {} }\n") ==
          lines{"f.yaml:2:12: r.input.sink: \"sink\" cannot stand at an input: it is for outputs"});
    CHECK(complaints("r:\n  input: null\n") == lines{"f.yaml:2:3: r.input: \"null\" cannot stand at an input: it is for outputs"});
    CHECK(complaints("r:\n  input: { file: { format: raw } }\n") == lines{"f.yaml:2:12: r.input.file.path: missing"});
    CHECK(complaints("r:\n  input: { file: }\n") == lines{"f.yaml:2:12: r.input.file.path: missing"});
    CHECK(complaints("r:\n  input: { file: {path: x} }\n  output: { file: {path: y, delete: true} }\n") ==
          lines{"f.yaml:3:29: r.output.file.delete: only for an input"});
    CHECK(complaints("r:\n  input: { file: {path: nonsense} }\n") == lines{"f.yaml:2:12: r.input.file: makes no sense"});
    CHECK(complaints("r:\n  input: { custom: {nam: file} }\n") ==
          lines{"f.yaml:2:12: r.input.custom.name: missing", "f.yaml:2:21: r.input.custom.nam: unknown key (did you mean \"name\"?)"});
}

TEST_CASE("what is wrong in a middleware") {
    CHECK(complaints("r:\n  input: { file: {path: x} }\n  output:\n    sink: {}\n    middlewares:\n      - again: { backoff: 2 }\n") ==
          lines{"f.yaml:6:18: r.output.middlewares[0].again.backoff: unknown key; known are max_attempts"});
    CHECK(complaints("r:\n  input:\n    file: {path: x}\n    middlewares:\n      - again: {}\n") ==
          lines{"f.yaml:5:9: r.input.middlewares[0].again: \"again\" cannot stand at an input: it is for outputs"});
    CHECK(complaints("r:\n  input: { file: {path: x}, middlewares: [again] }\n") ==
          lines{"f.yaml:2:43: r.input.middlewares[0]: has to be a map with one key, the name of the middleware"});
    CHECK(complaints("r:\n  input: { file: {path: x}, middlewares: {again: {}} }\n") ==
          lines{"f.yaml:2:29: r.input.middlewares: has to be a list"});
}

TEST_CASE("an unknown type is an error, in a disabled route a warning, a broken plugin neither") {
    CHECK(complaints("r: {input: {fiel: {path: x}}}") ==
          lines{"f.yaml:1:13: r.input.fiel: no plugin offers the endpoint \"fiel\" (did you mean \"file\"?); looked in /x"});
    CHECK(complaints("r: {enabled: false, input: {fiel: {path: x}}}").at(0).starts_with("f.yaml:1:29: warning: r.input.fiel: "));
    const planned out = plan("a: {input: {cut: {what: ever}}}\nb: {input: {file: {path: x}}}\n");
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).broken == "/x/libmqb_cut.so: file too short");
    CHECK(out.routes.at(1).broken.empty());
}

TEST_CASE("promises that a plugin cannot give break the route, and are no error of the file") {
    const planned leaf = plan("a: {input: {file: {path: throws}}}\nb: {input: {file: {path: x}}}\n");
    CHECK(leaf.lines.empty());
    CHECK(leaf.routes.at(0).broken == "\"file\": x.promises threw: boom");
    CHECK(leaf.routes.at(1).broken.empty());
    const planned above = plan("a: {input: {file: {path: x}}, output: {file: {path: y}, middlewares: [again: {max_attempts: 99}]}}\n");
    CHECK(above.lines.empty());
    CHECK(above.routes.at(0).broken.ends_with("y.promises threw: boom"));
    CHECK(complaints("a: {input: {file: {path: nonsense}}}") == lines{"f.yaml:1:13: a.input.file: makes no sense"});
}

TEST_CASE("numbers that would not fit are refused") {
    CHECK(complaints("r:\n  startup_timeout_ms: 99999999999999\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:23: r.startup_timeout_ms: has to be at most 31536000000"});
    CHECK(complaints("r:\n  max_deliveries: 4294967296\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:19: r.max_deliveries: has to be at most 4294967295"});
    CHECK(complaints("r:\n  dead_letters: {stop_after: -1}\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:30: r.dead_letters.stop_after: has to be at least 0"});
    CHECK(complaints("r:\n  batch_bytes: 0\n  input: {file: {path: x}}\n") == lines{"f.yaml:2:16: r.batch_bytes: has to be at least 1"});
}

TEST_CASE("an order that is no key, a handler and an input that cannot reject are refused") {
    for (const char* text : {"${payload:id}", "${metadata:a}${message:id}", "${metadata:a | raw}", "${message:payload}", "${lane}"}) {
        CAPTURE(text);
        CHECK(complaints("r:\n  order_by: '" + std::string{text} + "'\n  input: {file: {path: x}}\n").empty());
    }
    CHECK(
        complaints("r:\n  order_by: x\n  input: {file: {path: x}}\n") ==
        lines{
            "f.yaml:2:13: r.order_by: is the same for all messages: it wants ${metadata:KEY}, ${payload:FIELD}, ${message:id} or ${lane}"});
    CHECK(complaints("r:\n  order_by: '${payload:a|up}'\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:13: r.order_by: unknown filter: known are raw and base64\n  ${payload:a|up}\n              ^^"});
    CHECK(complaints("r:\n  handler: {name: h}\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:3: r.handler: handlers are not supported by this version"});
    CHECK(complaints("r:\n  on_error: reject\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:13: r.on_error: reject needs an input that takes messages back for good; input.file does not"});
    CHECK(complaints("r:\n  on_error: ignore\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:13: r.on_error: \"ignore\" is not known here; known are dead_letter, reject or stop"});
}

TEST_CASE("C092: each unknown or misplaced key is told with its place, its path and what was probably meant") {
    CHECK(complaints("r:\n  input: {file: {path: x}}\n  output: {sink: {}, middlewares: [{again: {max_attemps: 3}}]}\n") ==
          lines{"f.yaml:3:45: r.output.middlewares[0].again.max_attemps: unknown key (did you mean \"max_attempts\"?)"});
    CHECK(complaints("r:\n  input: {file: {path: x}}\n  output: {sink: {}}\n  again: {max_attempts: 3}\n")
              .at(0)
              .starts_with("f.yaml:4:3: r.again: unknown key"));
    CHECK(complaints("r:\n  input: {file: {path: x, max_attempts: 3}}\n")
              .at(0)
              .starts_with("f.yaml:2:27: r.input.file.max_attempts: unknown key"));
    CHECK(complaints("r:\n  input: {file: {path: x, format: cvs}}\n") ==
          lines{"f.yaml:2:35: r.input.file.format: \"cvs\" is not known here (did you mean \"csv\"?)"});
}

TEST_CASE("wrong types in every place are one clear error each") {
    CHECK(complaints("r: {input: [1]}") == lines{"f.yaml:1:12: r.input: an endpoint is a map like \"TYPE: {…}\", or null"});
    CHECK(complaints("r: {input: {file: 5}}") == lines{"f.yaml:1:19: r.input.file: \"5\" where map is wanted"});
    CHECK(complaints("r: {input: {file: [5]}}") == lines{"f.yaml:1:19: r.input.file: a list where map is wanted"});
    CHECK(complaints("r: {input: {file: {path: {}}}}") == lines{"f.yaml:1:20: r.input.file.path: a map where text is wanted"});
    CHECK(complaints("r: {input: {file: {path: x}, middlewares: 5}}") == lines{"f.yaml:1:30: r.input.middlewares: has to be a list"});
    CHECK(complaints("r: {input: {file: {path: x}, middlewares: [5, []]}}").size() == 2);
    CHECK(complaints("routes: 5") == lines{"f.yaml:1:1: routes: has to be a map of routes"});
    CHECK(complaints("routes: {r: []}") == lines{"f.yaml:1:10: routes.r: a route is a map with an input and an output"});
    CHECK(complaints("endpoints: 5") == lines{"f.yaml:1:1: endpoints: has to be a map of names and endpoints"});
    CHECK(complaints("env_vars: 5") == lines{"f.yaml:1:1: env_vars: has to be a map of names and texts"});
    CHECK(complaints("plugins: {a: b}") == lines{"f.yaml:1:1: plugins: has to be a list of files"});
    CHECK(complaints("log: 5") == lines{"f.yaml:1:1: log: takes a map with level and format"});
    CHECK(complaints("r: {require: ordered, input: {file: {path: x}}}") ==
          lines{"f.yaml:1:14: r.require: \"ordered\" where list is wanted"});
    CHECK(complaints("r: {dead_letters: 5, input: {file: {path: x}}}") == lines{"f.yaml:1:19: r.dead_letters: \"5\" where map is wanted"});
    CHECK(complaints("r: {dead_letters: {endpoint: 5}, input: {file: {path: x}}}") ==
          lines{"f.yaml:1:30: r.dead_letters.endpoint: an endpoint is a map like \"TYPE: {…}\", or null"});
    CHECK(complaints("5").size() == 1);
    CHECK(complaints("\"\"") == lines{"f.yaml:1:1: a route file is a map of routes"});
}

TEST_CASE("middlewares may be numbered") {
    const planned out = plan(
        "r: {input: {queue: {}}, output: {sink: {}, middlewares: {'10': {again: {max_attempts: 10}}, '2': {again: {max_attempts: 2}}}}}");
    CHECK(out.lines.empty());
    REQUIRE(out.routes.at(0).definition.output.middlewares.size() == 2);
    CHECK(out.routes.at(0).definition.output.middlewares[0].config == R"({"max_attempts":2})");
    CHECK(out.routes.at(0).definition.output.middlewares[1].config == R"({"max_attempts":10})");
}

TEST_CASE("every error of a file is told at once, in the order of the file") {
    const lines found = complaints("a:\n  batch_size: x\n  input: {file: {pth: 1}}\nb:\n  output: {fiel: {}}\n  inptu: {}\n");
    CHECK(found.size() == 6);
    CHECK(found.front().starts_with("f.yaml:2:15: a.batch_size: "));
    CHECK(found.back().starts_with("f.yaml:6:3: b.inptu: "));
}
