#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using fakes::planned;

TEST_CASE("a reference is the endpoint that it names, with its own middlewares around those of that one") {
    const planned out = plan(
        "endpoints:\n"
        "  out: {sink: {}, middlewares: [{again: {max_attempts: 1}}, {again: {max_attempts: 2}}]}\n"
        "  in: {queue: {}, middlewares: [{shuffle: {a: 1}}]}\n"
        "r:\n"
        "  input: {ref: in, middlewares: [{shuffle: {b: 1}}]}\n"
        "  output: {ref: out, middlewares: [{again: {max_attempts: 3}}]}\n");
    CHECK(out.lines.empty());
    const auto& d = out.routes.at(0).definition;
    CHECK(d.input.type == "queue");
    CHECK(d.input.path == "input");
    // A message goes through a list from the bottom up: outside is at the top of an input's list, at the end of an output's.
    REQUIRE(d.input.middlewares.size() == 2);
    CHECK(d.input.middlewares[0].config == R"({"b":1})");
    CHECK(d.input.middlewares[0].path == "input.middlewares[0]");
    CHECK(d.input.middlewares[1].config == R"({"a":1})");
    CHECK(d.input.middlewares[1].path == "endpoints.in.middlewares[0]");
    CHECK(d.output.type == "sink");
    REQUIRE(d.output.middlewares.size() == 3);
    CHECK(d.output.middlewares[0].config == R"({"max_attempts":1})");
    CHECK(d.output.middlewares[1].path == "endpoints.out.middlewares[1]");
    CHECK(d.output.middlewares[2].config == R"({"max_attempts":3})");
    CHECK(d.output.middlewares[2].path == "output.middlewares[0]");
}

TEST_CASE("a reference may go to another file, to a reference, and through custom") {
    const planned out = plan({{"a.yaml", "a: {input: {ref: one}}\nb: {input: {custom: {name: ref, config: one}}}\n"},
                              {"b.yaml", "endpoints: {one: {ref: two}, two: {file: {path: x}}}\n"}});
    CHECK(out.lines.empty());
    CHECK(out.routes.at(0).definition.input.config == R"({"path":"x","format":"normal","delete":false})");
    CHECK(out.routes.at(1).definition.input.type == "file");
}

TEST_CASE("what is wrong with a reference is told with both places") {
    CHECK(complaints("endpoints: {orders: {queue: {}}}\nr: {input: {ref: ordres}, output: {ref: }}\ns: {input: {ref: orders}}\n") ==
          lines{"f.yaml:2:18: r.input.ref: there is no \"ordres\" under \"endpoints\" (did you mean \"orders\"?)",
                "f.yaml:2:36: r.output.ref: takes the name of an endpoint under \"endpoints\""});
    CHECK(complaints("endpoints:\n  a: {ref: b}\n  b: {ref: a}\nr: {input: {ref: a}}\n") ==
          lines{"f.yaml:3:12: endpoints.b.ref: a circle: \"a\" refers to \"b\" refers to \"a\" again, which is in f.yaml:2:3"});
    CHECK(complaints("endpoints:\n  out: {sink: {}}\nr: {input: {ref: out}}\n") ==
          lines{"f.yaml:2:9: endpoints.out.sink: \"sink\" cannot stand at an input: it is for outputs (f.yaml:3:18: r.input.ref refers to "
                "it)"});
    CHECK(plan({{"a.yaml", "endpoints: {x: {sink: {}}}\nr: {input: {queue: {}}, output: {ref: x}}\n"},
                {"b.yaml", "endpoints: {x: {sink: {}}}\n"}})
              .lines == lines{"b.yaml:1:13: endpoints.x: an endpoint of this name is in a.yaml:1:13 already"});
    CHECK(plan({{"a.yaml", "r: {input: {ref: x}}\n"}, {"b.yaml", "endpoints: {x: {file: {pth: y}}}\n"}}).lines ==
          lines{"b.yaml:1:17: endpoints.x.file.path: missing", "b.yaml:1:24: endpoints.x.file.pth: unknown key (did you mean \"path\"?)"});
}

TEST_CASE("a name that is not there is a warning in a disabled route") {
    CHECK(complaints("r: {enabled: false, input: {ref: nobody}}") ==
          lines{"f.yaml:1:34: warning: r.input.ref: there is no \"nobody\" under \"endpoints\""});
}

TEST_CASE("a circle through nested endpoints is found, and a copy of copies is bounded") {
    CHECK(complaints("endpoints:\n  a: {spread: [{sink: {}}, {ref: a}]}\nr: {input: {queue: {}}, output: {ref: a}}\n") ==
          lines{"f.yaml:2:34: endpoints.a.spread[1].ref: a circle: \"a\" refers to \"a\" again, which is in f.yaml:2:3"});
    std::string bomb = "endpoints:\n  e0: {sink: {}}\n";
    for (int i = 1; i <= 15; ++i) {
        const std::string below = "{ref: e" + std::to_string(i - 1) + "}";
        bomb += "  e" + std::to_string(i) + ": {spread: [" + below + ", " + below + ", " + below + ", " + below + "]}\n";
    }
    const lines found = complaints(bomb + "r: {input: {queue: {}}, output: {ref: e15}}\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].ends_with("more than 10000 endpoints in one route, references counted as copies"));
    std::string deep = "endpoints:\n  e0: {sink: {}}\n";
    for (int i = 1; i <= 17; ++i) deep += "  e" + std::to_string(i) + ": {spread: [{ref: e" + std::to_string(i - 1) + "}]}\n";
    CHECK(complaints(deep + "r: {input: {queue: {}}, output: {ref: e16}}\ns: {input: {queue: {}}, output: {ref: e17}}\n") ==
          lines{"f.yaml:3:18: endpoints.e1.spread[0]: endpoints in each other more than 16 deep"});
}

TEST_CASE("an endpoint that nobody refers to is checked all the same") {
    CHECK(complaints("endpoints:\n  a: {file: {pth: x}}\n  b: {sink: {}}\n") ==
          lines{"f.yaml:2:3: warning: endpoints.a: no route refers to it", "f.yaml:2:7: endpoints.a.file.path: missing",
                "f.yaml:2:14: endpoints.a.file.pth: unknown key (did you mean \"path\"?)",
                "f.yaml:3:3: warning: endpoints.b: no route refers to it"});
}
