#include "host/config/plan.hpp"

#include "host/config/fake_types.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mqb::config;

namespace {

struct planned {
    std::vector<planned_route> routes;
    std::vector<std::string> lines;
    route_file file;
};

planned plan(const std::string& text, const char* name = "f.yaml") {
    findings found;
    std::vector<std::string> secrets;
    planned out;
    const known_types types = fakes::make_types();
    if (auto file = read_route_text(name, text, found, secrets)) {
        out.routes = plan_routes(*file, types, found, secrets);
        out.file = std::move(*file);
    }
    for (const finding& f : found.sorted()) out.lines.push_back(f.line());
    return out;
}

using lines = std::vector<std::string>;

lines complaints(const std::string& text) { return plan(text).lines; }

}  // namespace

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
    CHECK(named.file.set.log_level == "warning");

    const planned lone = plan("input: {file: {path: in.jsonl}}\noutput: {file: {path: o}}\nexit_on_empty: true\n");
    CHECK(lone.lines.empty());
    REQUIRE(lone.routes.size() == 1);
    CHECK(lone.routes[0].definition.name == "route");
    CHECK(lone.routes[0].definition.drain);

    const planned json = plan(R"({"routes": {"j": {"exit_on_empty": true, "batch_size": 7, "input": {"file": {"path": "x"}}}}})", "f.json");
    CHECK(json.lines.empty());
    CHECK(json.routes.at(0).definition.batch_size == 7);
}

TEST_CASE("every route option reaches the definition") {
    const planned out = plan(
        "r:\n  description: every option\n  batch_size: 11\n  batch_bytes: 1 MiB\n  max_in_flight_bytes: 2MiB\n  send_window: 3\n"
        "  commit_concurrency_limit: 17\n  reconnect_interval_ms: 750\n  empty_batch_delay_ms: 0\n  shutdown_timeout_ms: 5\n"
        "  allow_fault_injection: true\n  exit_on_empty: true\n  required_delivery: at_least_once\n  on_error: dead_letter\n  "
        "max_deliveries: 0\n"
        "  input: {file: {path: x}}\n");
    CHECK(out.lines.empty());
    const mqb::core::route_definition& d = out.routes.at(0).definition;
    CHECK(d.batch_size == 11);
    CHECK(d.batch_bytes == 1u << 20);
    CHECK(d.max_in_flight_bytes == 2u << 20);
    CHECK(d.send_window == 3);
    CHECK(d.reconnect_interval.count() == 750);
    CHECK(d.empty_batch_delay.count() == 0);
    CHECK(d.shutdown_timeout.count() == 5);
    CHECK(d.drain);
    REQUIRE(out.routes.at(0).has);
    CHECK(out.routes.at(0).has->how == delivery::at_least_once);
    CHECK(out.routes.at(0).has->is_ordered);
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

TEST_CASE("a guarantee that is not met is refused") {
    CHECK(complaints("r:\n  required_delivery: effectively_once\n  input: {file: {path: x}}\n  output: {sink: {}}\n").size() == 1);
    CHECK(complaints("r:\n  required_delivery: effectively_once\n  input: {queue: {}}\n  output: {sink: {}}\n").empty());
    CHECK(complaints("r:\n  require: [at_least_once]\n  input: {wire: {}}\n") ==
          lines{"f.yaml:2:13: r.require: asks for at_least_once, but the input does not acknowledge: at most once"});
    CHECK(complaints("r:\n  require: [ordered]\n  input: {queue: {}}\n  output: {sink: {}}\n") ==
          lines{"f.yaml:2:13: r.require: asks for ordered, but the output does not keep the order of what is sent again"});
}

TEST_CASE("what this version cannot do is told") {
    CHECK(complaints("r:\n  concurrency: 4\n  input: {file: {path: x}}\n") ==
          lines{"f.yaml:2:3: warning: r.concurrency: this version works on one batch at a time"});
    for (const char* line : {"order_by: x", "max_deliveries: 3", "on_error: stop", "handler: {name: h}", "dead_letters: {}"}) {
        CAPTURE(line);
        const lines found = complaints("r:\n  " + std::string{line} + "\n  input: {file: {path: x}}\n");
        REQUIRE(found.size() == 1);
        CHECK(found[0].find("supported by this version") != std::string::npos);
        CHECK(found[0].find("warning") == std::string::npos);
    }
}

TEST_CASE("every error of a file is told at once, in the order of the file") {
    const lines found = complaints("a:\n  batch_size: x\n  input: {file: {pth: 1}}\nb:\n  output: {fiel: {}}\n  inptu: {}\n");
    CHECK(found.size() == 6);
    CHECK(found.front().starts_with("f.yaml:2:15: a.batch_size: "));
    CHECK(found.back().starts_with("f.yaml:6:3: b.inptu: "));
}
