#include "host/config/guarantee.hpp"

#include "host/config/planned_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::config;
using fakes::complaints;
using fakes::lines;
using fakes::plan;
using mqb::core::promises;

namespace {

chain_link made(const char* name, std::uint32_t flags) {
    chain_link out{name, {}};
    out.has.flags = flags;
    return out;
}

std::string text(const std::string& route) {
    const fakes::planned out = plan(route);
    CHECK(out.lines.empty());
    REQUIRE(out.routes.at(0).has);
    return out.routes.at(0).has->text();
}

}  // namespace

TEST_CASE("the guarantee names the link that weakens it") {
    CHECK(text("r: {input: {wire: {}}, output: {file: {path: x}}}") == "at most once (input.wire does not acknowledge), ordered");
    CHECK(text("r: {input: {file: {path: x}}, output: {file: {path: y}}}") ==
          "at least once (input.file gives a message that comes again another id), ordered");
    CHECK(text("r: {input: {queue: {}}, output: {file: {path: y}}}") ==
          "at least once (output.file does not recognise a message that comes again), ordered");
    CHECK(text("r: {input: {queue: {}}, output: {sink: {}}}") == "effectively once, not ordered (output.sink does not keep the order)");
    CHECK(text("r: {input: {queue: {}, middlewares: [{shuffle: {}}, {shuffle: {}}]}, output: {sink: {}}}") ==
          "at least once (input.middlewares[1].shuffle gives a message that comes again another id), not ordered (output.sink does not "
          "keep the "
          "order)");
    CHECK(text("r: {input: {wire: {}}, output: {file: {path: y}, middlewares: [{again: {}}, {shuffle: {}}]}}") ==
          "at most once (input.wire does not acknowledge), not ordered (output.middlewares[1].shuffle does not keep the order)");
    CHECK(text("r: {input: {wire: {}}, output: {spread: []}}") ==
          "at most once (input.wire does not acknowledge), not ordered (output.spread may get a message again after later ones)");
}

TEST_CASE("asking for the order makes an ordered output keep it") {
    CHECK(text("r: {require: [ordered], input: {wire: {}}, output: {spread: []}}") ==
          "at most once (input.wire does not acknowledge), ordered");
}

TEST_CASE("with concurrency the order is kept only where the workers cannot pass each other") {
    const auto order = [](const std::string& more) {
        const std::string all = text("r: {concurrency: 4, input: {wire: {}}, " + more + "}");
        return all.substr(all.find("), ") + 3);
    };
    const std::string workers = "output: {file: {path: y}, middlewares: [{again: {}}]}";
    CHECK(order("output: {file: {path: y}}") == "ordered");  // one at a time
    CHECK(order(workers) == "not ordered (the workers of `concurrency` may send a message again after later ones)");
    CHECK(order("order_by: '${lane}', " + workers) == "ordered");
    CHECK(order("order_by: '${metadata:k}', " + workers) == "ordered by key");
    CHECK(order("require: [ordered], " + workers) == "ordered");  // no workers then
    CHECK(order("require: [ordered], order_by: '${message:id}', " + workers) == "ordered by key");
    CHECK(complaints("r:\n  concurrency: 4\n  require: [at_least_once]\n  input: {file: {path: x}}\n  " + workers + "\n").empty());
}

TEST_CASE("a guarantee that is not met is refused with the link that is in the way") {
    CHECK(complaints("r:\n  required_delivery: effectively_once\n  input: {file: {path: x}}\n  output: {sink: {}}\n") ==
          lines{"f.yaml:2:3: r.required_delivery: asks for effectively_once, but the route is at least once: input.file gives a message "
                "that comes "
                "again another id"});
    CHECK(complaints("r:\n  required_delivery: effectively_once\n  input: {queue: {}}\n  output: {sink: {}}\n").empty());
    CHECK(complaints("r:\n  required_delivery: at_most_once\n  input: {wire: {}}\n").empty());
    CHECK(complaints("r:\n  require: [at_least_once]\n  input: {wire: {}}\n") ==
          lines{"f.yaml:2:13: r.require: asks for at_least_once, but the route is at most once: input.wire does not acknowledge"});
    CHECK(complaints("r:\n  require: [effectively_once, ordered]\n  input: {queue: {}}\n  output: {sink: {}}\n") ==
          lines{"f.yaml:2:31: r.require: asks for ordered, but the route is not: output.sink does not keep the order"});
    CHECK(complaints("r:\n  require: [effectively_once]\n  input: {wire: {}}\n  output: {sink: {}}\n") ==
          lines{"f.yaml:2:13: r.require: asks for effectively_once, but the route is at most once: input.wire does not acknowledge"});
}

TEST_CASE("what an inner link lacks and an outer one mends is not held against either") {
    const chain_promises mended{made("output.a", 0), made("output.b", promises::idempotent | promises::ordered | promises::ordered_retry)};
    const chain_promises lost{made("output.a", 0), made("output.b", promises::idempotent | promises::ordered), made("output.c", 0),
                              made("output.d", 0)};
    const chain_promises input{made("input.a", promises::acknowledges | promises::stable_identity)};
    CHECK(guarantee_of(input, mended, {}).text() == "effectively once, ordered");
    CHECK(guarantee_of(input, lost, {}).text() ==
          "at least once (output.c does not recognise a message that comes again), not ordered (output.c does not keep the order)");
}
