#include "core/structural/switch.hpp"
#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using fakes::planned;

TEST_CASE("endpoints in lists, maps, fields and at the top of a configuration become nested definitions") {
    const planned out = plan(
        "r:\n"
        "  input: {queue: {}}\n"
        "  output:\n"
        "    choose:\n"
        "      cases: {a/b~c: {file: {path: x}, middlewares: [{again: {}}]}, d: null}\n"
        "      when: [{if: x, to: {sink: {}}}, {to: {spread: [{sink: {}}, {pull: {queue: {}}}]}}]\n"
        "      else: {sink: {}}\n"
        "    middlewares: [{aside: {endpoint: {file: {path: dead}}}}]\n");
    CHECK(out.lines.empty());
    const auto& d = out.routes.at(0).definition.output;
    CHECK(d.config == R"({"key":"k","cases":{"a/b~c":null,"d":null},"when":[{"if":"x","to":null},{"to":null}],"default":null})");
    REQUIRE(d.nested.size() == 5);
    CHECK(d.nested[0].where == "/cases/a~1b~0c");
    CHECK(d.nested[0].endpoint.type == "file");
    CHECK(d.nested[0].endpoint.path == "output.choose.cases.a/b~c");
    CHECK(d.nested[0].endpoint.config == R"({"path":"x","format":"normal"})");
    REQUIRE(d.nested[0].endpoint.middlewares.size() == 1);
    CHECK(d.nested[0].endpoint.middlewares[0].path == "output.choose.cases.a/b~c.middlewares[0]");
    CHECK(d.nested[1].where == "/cases/d");
    CHECK(d.nested[1].endpoint.type == "null");
    CHECK(d.nested[2].where == "/when/0/to");
    CHECK(d.nested[3].where == "/when/1/to");
    CHECK(d.nested[3].endpoint.config == "[null,null]");
    REQUIRE(d.nested[3].endpoint.nested.size() == 2);
    CHECK(d.nested[3].endpoint.nested[0].where == "/0");
    CHECK(d.nested[3].endpoint.nested[1].where == "/1");
    CHECK(d.nested[3].endpoint.nested[1].endpoint.config == "null");
    REQUIRE(d.nested[3].endpoint.nested[1].endpoint.nested.size() == 1);
    CHECK(d.nested[3].endpoint.nested[1].endpoint.nested[0].where == "");
    CHECK(d.nested[3].endpoint.nested[1].endpoint.nested[0].endpoint.type == "queue");
    CHECK(d.nested[4].where == "/default");
    REQUIRE(d.middlewares.at(0).nested.size() == 1);
    CHECK(d.middlewares[0].config == R"({"endpoint":null})");
    CHECK(d.middlewares[0].nested[0].where == "/endpoint");
    CHECK(d.middlewares[0].nested[0].endpoint.path == "output.middlewares[0].aside.endpoint");
}

TEST_CASE("a route whose output middlewares write to what only one may has no workers") {
    const auto has_workers = [](const std::string& dead) {
        const planned out = plan(
            "r:\n  concurrency: 4\n  input: {queue: {}}\n  output: {file: {path: x}, middlewares: [{aside: {endpoint: " + dead + "}}]}\n");
        CHECK(out.lines.empty());
        return out.routes.at(0).definition.has_workers();
    };
    CHECK(has_workers("{sink: {}}"));
    CHECK_FALSE(has_workers("{file: {path: dead}}"));
    CHECK_FALSE(has_workers("{sink: {}, middlewares: [{aside: {endpoint: {file: {path: dead}}}}]}"));
    // What the route has once anyway does not count.
    const planned once = plan(
        "r:\n  concurrency: 4\n  input: {queue: {}}\n  output: {file: {path: x}, middlewares: [{again: {}}]}\n"
        "  dead_letters: {endpoint: {sink: {}, middlewares: [{aside: {endpoint: {file: {path: dead}}}}]}}\n");
    CHECK(once.lines.empty());
    CHECK(once.routes.at(0).definition.has_workers());
}

TEST_CASE("an unused endpoint with a middleware of outputs is one") {
    CHECK(complaints("endpoints: {x: {file: {path: z}, middlewares: [{again: {}}]}}\nr: {input: {queue: {}}, output: {sink: {}}}\n") ==
          lines{"f.yaml:1:13: warning: endpoints.x: no route refers to it"});
}

TEST_CASE("the paths of a lone route, of one under routes and of a file are those of its keys") {
    const std::string ends = "input: {queue: {}}\noutput: {spread: [{fle: {}}]}\n";
    CHECK(complaints(ends).at(0).starts_with("f.yaml:2:20: output.spread[0].fle: "));
    CHECK(plan("input: {queue: {}}\noutput: {spread: [{sink: {}}]}\n").routes.at(0).definition.output.nested.at(0).endpoint.path ==
          "output.spread[0]");
    CHECK(plan("routes: {r: {input: {queue: {}}, output: {spread: [{sink: {}}]}}}")
              .routes.at(0)
              .definition.output.nested.at(0)
              .endpoint.path == "output.spread[0]");
}

TEST_CASE("mistakes in nested endpoints are told like those of others") {
    CHECK(
        complaints("r:\n  input: {queue: {}}\n  output:\n    spread:\n      - {fiel: {path: x}}\n      - {file: {path: x, formt: raw}}\n"
                   "      - {queue: {}}\n      - {sink: {}, middlewares: [{again: {max: 1}}, {shufle: {}}]}\n      - 5\n") ==
        lines{
            "f.yaml:5:10: r.output.spread[0].fiel: no plugin offers the endpoint \"fiel\" (did you mean \"file\"?); looked in /x",
            "f.yaml:6:26: r.output.spread[1].file.formt: unknown key (did you mean \"format\"?)",
            "f.yaml:7:10: r.output.spread[2].queue: \"queue\" cannot stand at an output: it is for inputs",
            "f.yaml:8:43: r.output.spread[3].middlewares[0].again.max: unknown key; known are max_attempts",
            "f.yaml:8:54: r.output.spread[3].middlewares[1].shufle: no plugin offers the middleware \"shufle\" (did you mean \"shuffle\"?)",
            "f.yaml:9:9: r.output.spread[4]: an endpoint is a map like \"TYPE: {…}\", or null"});
    CHECK(complaints("r: {input: {queue: {}}, output: {pull: {sink: {}}}}") ==
          lines{"f.yaml:1:41: r.output.pull.sink: \"sink\" cannot stand at an input: it is for outputs"});
    CHECK(complaints("r: {input: {queue: {}}, output: {sink: {}, middlewares: [{aside: {}}]}}") ==
          lines{"f.yaml:1:59: r.output.middlewares[0].aside.endpoint: missing"});
    CHECK(complaints("r: {input: {queue: {}}, output: {pull: }}") ==
          lines{"f.yaml:1:34: r.output.pull: \"null\" cannot stand at an input: it is for outputs"});
    CHECK(complaints("r: {input: {queue: {}}, output: {spread: }}") == lines{"f.yaml:1:34: r.output.spread: null where list is wanted"});
    CHECK(complaints("r: {input: {queue: {}}, output: {keep: {store: 'memory://x'}}}") ==
          lines{"f.yaml:1:41: r.output.keep.store: a store is not supported by this version"});
}

TEST_CASE("where dead letters go, and what a middleware puts aside, an empty endpoint is a mistake and null: {} is not") {
    const std::string text = "is empty, which would discard what goes there: name an endpoint, or say \"null: {}\" to discard";
    for (const std::string empty : {"", "null", "~", "{}", "'null'"}) {
        CAPTURE(empty);
        CHECK(complaints("r:\n  input: {queue: {}}\n  output: {sink: {}}\n  dead_letters:\n    endpoint: " + empty + "\n") ==
              lines{"f.yaml:5:5: r.dead_letters.endpoint: " + text});
        CHECK(complaints("r:\n  input: {queue: {}}\n  output:\n    sink: {}\n    middlewares:\n      - aside:\n          endpoint: " +
                         empty + "\n") == lines{"f.yaml:7:11: r.output.middlewares[0].aside.endpoint: " + text});
    }
    CHECK(complaints("endpoints: {nowhere: }\nroutes:\n  r:\n    input: {queue: {}}\n    output: {sink: {}}\n"
                     "    dead_letters: {endpoint: {ref: nowhere}}\n") ==
          lines{"f.yaml:1:13: endpoints.nowhere: " + text + " (f.yaml:6:36: routes.r.dead_letters.endpoint.ref refers to it)"});
    const planned said = plan(
        "endpoints: {nowhere: {'null': {}}}\nroutes:\n  r:\n    input: {queue: {}}\n"
        "    output: {sink: {}, middlewares: [{aside: {endpoint: {null: {}}}}, {aside: {endpoint: {ref: nowhere}}}]}\n"
        "    dead_letters: {endpoint: {'null': null}}\n");
    CHECK(said.lines.empty());
    CHECK(said.routes.at(0).definition.dead_letters.endpoint.value().type == "null");
}

TEST_CASE("what is wrong inside a configuration is told at its place, all of it, also beside mistakes of what is nested there") {
    known_types types = fakes::make_types();
    types.endpoints.add("switch", std::make_shared<mqb::core::switch_factory>());
    const auto told = [&](const std::string& text) {
        findings found;
        std::vector<std::string> secrets;
        const route_set set = read_route_texts({{"f.yaml", text}}, {}, found, secrets);
        (void)plan_routes(set, types, found, secrets);
        lines out;
        for (const finding& f : found.sorted()) out.push_back(f.line());
        return out;
    };
    CHECK(told("r:\n  input: {queue: {}}\n  output:\n    switch:\n      when:\n        - {if: 'a >', to: {file: {path: x, formt: raw}}}\n"
               "        - to: null\n          if: 'b('\n") ==
          lines{"f.yaml:6:12: r.output.switch.when[0].if: the expression ends where a value is missing\n  a >\n     ^",
                "f.yaml:6:44: r.output.switch.when[0].to.file.formt: unknown key (did you mean \"format\"?)",
                "f.yaml:8:11: r.output.switch.when[1].if: there is no function \"b\"\n  b(\n  ^"});
    CHECK(told("r: {input: {queue: {}}, output: {switch: {cases: {a: null}}}}") ==
          lines{"f.yaml:1:43: r.output.switch.cases: cases need the metadata_key that they are values of"});
}

TEST_CASE("promises of an endpoint that stands on those inside it are asked for with these") {
    known_types types = fakes::make_types();
    types.endpoints.add("switch", std::make_shared<mqb::core::switch_factory>());
    const auto guarantee = [&](const std::string& to) {
        findings found;
        std::vector<std::string> secrets;
        const route_set set = read_route_texts(
            {{"f.yaml", "r: {input: {queue: {}}, output: {switch: {metadata_key: k, default: " + to + "}}}"}}, {}, found, secrets);
        const auto routes = plan_routes(set, types, found, secrets);
        REQUIRE(found.sorted().empty());
        return routes.at(0).has->is_ordered;
    };
    CHECK(guarantee("null"));
    CHECK_FALSE(guarantee("{sink: {}}"));
    CHECK_FALSE(guarantee("{switch: {metadata_key: k, cases: {a: null, b: {sink: {}}}}}"));
    CHECK_FALSE(guarantee("{file: {path: x}, middlewares: [{shuffle: {}}]}"));
}

TEST_CASE("a nested plugin that cannot be used breaks the route") {
    const planned out = plan("r: {input: {queue: {}}, output: {spread: [{cut: {}}, {cut: {}}]}}");
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).broken == "/x/libmqb_cut.so: file too short");
}

TEST_CASE("the names of nested types are collected level by level") {
    findings found;
    std::vector<std::string> secrets;
    const route_set set = read_route_texts({{"f.yaml",
                                             "endpoints: {x: {deep: {}}}\nr: {input: {queue: {}}, output: {spread: [{ref: x}, {outer: "
                                             "{sink: {}}}], middlewares: [{mid: {}}]}}\n"}},
                                           {}, found, secrets);
    std::set<std::string> endpoints, middlewares;
    known_types types;
    set.collect_names(types, endpoints, middlewares);
    CHECK(endpoints == std::set<std::string>{"deep", "queue", "spread"});
    CHECK(middlewares == std::set<std::string>{"mid"});
    const known_types more = fakes::make_types();
    endpoints.clear();
    set.collect_names(more, endpoints, middlewares);
    CHECK(endpoints == std::set<std::string>{"deep", "outer"});
    CHECK_FALSE(found.has_errors());
}
