#include "core/chain_endpoints_test.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mqb::core;

namespace {

// The configuration says what it holds; "bad" makes no sense.
struct paper_endpoint final : endpoint_factory {
    explicit paper_endpoint(std::uint32_t offered) : offered_(offered) {}
    std::uint32_t sides() const noexcept override { return offered_; }
    std::string_view schema() const noexcept override { return "{}"; }
    result<promises> promise(std::string_view config, side) const override {
        if (config == "bad") return failure{status::bad_config, "makes no sense"};
        promises out;
        out.flags = promises::ordered;
        out.max_unsettled_messages = 10;
        out.max_unsettled_batches = 2;
        return out;
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context, std::string) override { co_return failure{}; }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context, std::string) override {
        co_return failure{};
    }
    std::uint32_t offered_;
};

struct paper_middleware final : middleware_factory {
    std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    std::string_view schema() const noexcept override { return "{}"; }
    result<promises> promise(std::string_view config, side, promises inner) const override {
        if (config == "bad") return failure{status::bad_config, "makes no sense"};
        if (config == "unordered") inner.flags &= ~static_cast<std::uint32_t>(promises::ordered);
        if (config == "concurrent" && !inner.has(promises::ordered)) inner.flags |= promises::concurrent;
        if (config.starts_with("holds ")) inner.holds_messages = static_cast<std::uint32_t>(std::stoi(std::string{config.substr(6)}));
        if (config == "batch") inner.holds_batches = 1;
        return inner;
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context, std::string, consumer&) override {
        co_return failure{};
    }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context, std::string, publisher&) override {
        co_return failure{};
    }
};

struct setting {
    setting() {
        endpoints.add("both", std::make_shared<paper_endpoint>(consumer_side | publisher_side));
        endpoints.add("source", std::make_shared<paper_endpoint>(consumer_side));
        endpoints.add("sink", std::make_shared<paper_endpoint>(publisher_side));
        middlewares.add("holder", std::make_shared<paper_middleware>());
        definition.input = {"source", "{}", "input", {}, {}};
        definition.output = {"sink", "{}", "output", {}, {}};
    }
    // What is wrong; empty: nothing.
    std::string wrong() const {
        const auto p = promises_of(definition, endpoints, middlewares);
        return p ? std::string{} : p.error().text;
    }
    CustomEndpointFactory endpoints;
    CustomMiddlewareFactory middlewares;
    route_definition definition;
};

}  // namespace

TEST_CASE("names that nobody offers and sides that are not offered are refused, each with its place") {
    setting s;
    CHECK(s.wrong().empty());
    s.definition.input.type = "nothing";
    CHECK(s.wrong() == "input: no plugin offers the endpoint \"nothing\"");
    s.definition.input.type = "sink";
    CHECK(s.wrong() == "input: \"sink\" cannot be used as an input");
    s.definition.input.type = "both";
    s.definition.output.type = "source";
    CHECK(s.wrong() == "output: \"source\" cannot be used as an output");
    s.definition.output.type = "sink";
    s.definition.output.middlewares = {{"nothing", "{}", "output.middlewares[0]", {}}};
    CHECK(s.wrong() == "output.middlewares[0]: no plugin offers the middleware \"nothing\"");
}

TEST_CASE("a configuration that makes no sense is refused with its place") {
    setting s;
    s.definition.input.config = "bad";
    CHECK(s.wrong() == "input: makes no sense");
    s.definition.input.config = "{}";
    s.definition.output.middlewares = {{"holder", "bad", "output.middlewares[0]", {}}};
    CHECK(s.wrong() == "output.middlewares[0]: makes no sense");
}

TEST_CASE("the middlewares of an input must hold less than its source gives out unsettled, all together") {
    setting s;
    s.definition.input.middlewares = {{"holder", "holds 4", "input.middlewares[0]", {}}, {"holder", "holds 5", "input.middlewares[1]", {}}};
    CHECK(s.wrong().empty());
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->input.holds_messages == 9);
    s.definition.input.middlewares[0].config = "holds 5";
    CHECK(s.wrong() == "input: its middlewares hold more unsettled messages than \"source\" gives out");
    s.definition.input.middlewares = {{"holder", "batch", "input.middlewares[0]", {}}};
    CHECK(s.wrong().empty());
    s.definition.input.middlewares.push_back({"holder", "batch", "input.middlewares[1]", {}});
    CHECK_FALSE(s.wrong().empty());
    // An output may hold what it wants.
    s.definition.input.middlewares.clear();
    s.definition.output.middlewares = {{"holder", "holds 100", "output.middlewares[0]", {}}};
    CHECK(s.wrong().empty());
}

TEST_CASE(
    "a message passes a list from the last entry to the first: the first of an output and the last of an input are next to the leaf") {
    setting s;
    const std::vector<middleware_definition> list{{"holder", "unordered", "0", {}}, {"holder", "concurrent", "1", {}}};
    s.definition.output.middlewares = list;
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->output.flags == promises::concurrent);
    std::swap(s.definition.output.middlewares[0], s.definition.output.middlewares[1]);
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->output.flags == 0);
    s.definition.input.middlewares = list;
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->input.flags == 0);
    std::swap(s.definition.input.middlewares[0], s.definition.input.middlewares[1]);
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->input.flags == promises::concurrent);
}

TEST_CASE("a name is registered once") {
    setting s;
    CHECK_FALSE(s.endpoints.add("both", std::make_shared<paper_endpoint>(consumer_side)));
    CHECK(s.endpoints.names() == std::vector<std::string>{"both", "sink", "source"});
    CHECK(s.endpoints.find("none") == nullptr);
}

TEST_CASE("a chain that cannot be made whole hands back what was made") {
    chain_setting s;
    s.definition.output.middlewares = {{"layer", "", "output.middlewares[0]", {}}, {"layer", "cannot", "output.middlewares[1]", {}}};
    s.definition.input.middlewares = {{"layer", "cannot", "input.middlewares[0]", {}}};
    const made_output output = s.run(make_output(s.parts()));
    REQUIRE(output.why.has_value());
    CHECK(output.why->text == "output.middlewares[1]: not today");
    CHECK(output.why->what == status::retry);
    CHECK(output.chain.link != nullptr);
    CHECK(output.chain.middlewares.size() == 1);
    const made_input input = s.run(make_input(s.parts()));
    CHECK(input.why->text == "input.middlewares[0]: not today");
    CHECK(input.chain.book != nullptr);
    CHECK(input.chain.middlewares.empty());
    s.definition.output.config = "cannot";
    const made_output nothing = s.run(make_output(s.parts()));
    CHECK(nothing.why->text == "output: not today");
    CHECK(nothing.chain.link == nullptr);
}

TEST_CASE("a whole chain is made from the leaf outward, and knows what it promises") {
    chain_setting s;
    s.definition.output.middlewares = {{"layer", "", "output.middlewares[0]", {}}, {"layer", "", "output.middlewares[1]", {}}};
    made_output made = s.run(make_output(s.parts()));
    REQUIRE_FALSE(made.why.has_value());
    CHECK(s.diary.log == std::vector<std::string>{"output made", "output.middlewares[0] made", "output.middlewares[1] made"});
    CHECK(made.chain.leaf_promises.flags == (promises::ordered | promises::concurrent));
    CHECK(made.chain.top_promises.flags == promises::ordered);
    CHECK(s.diary.contexts.at("output.middlewares[0]").inner.flags == (promises::ordered | promises::concurrent));
    CHECK(s.diary.contexts.at("output.middlewares[1]").inner.flags == promises::ordered);
    CHECK(&made.chain.top() == made.chain.middlewares.back().get());
}

TEST_CASE("a worker makes middlewares of its own over a base that it is given") {
    chain_setting s, worker;
    s.definition.output.middlewares = {{"layer", "", "output.middlewares[0]", {}}, {"layer", "cannot", "output.middlewares[1]", {}}};
    const made_output shared = s.run(make_output(s.parts()));
    chain_parts parts = s.parts();
    chain_parts mine{parts.definition, parts.endpoints, parts.middlewares, parts.log,
                     worker.box,       worker.clock,    parts.counters,    &worker.links};
    s.diary.contexts.clear();
    std::vector<std::unique_ptr<publisher>> into;
    const auto failed = s.run(wrap_output(mine, s.definition.output, shared.chain.leaf_promises, *shared.chain.link, into));
    CHECK(failed.error().text == "output.middlewares[1]: not today");
    CHECK(into.size() == 1);
    into.clear();
    s.definition.output.middlewares[1].config = "";
    const auto whole = s.run(wrap_output(mine, s.definition.output, shared.chain.leaf_promises, *shared.chain.link, into));
    REQUIRE(whole.has_value());
    CHECK(whole->flags == promises::ordered);
    CHECK(into.size() == 2);
    CHECK(&s.diary.contexts.at("output.middlewares[0]").box == &worker.box);
    CHECK(&s.diary.contexts.at("output.middlewares[0]").clock == &worker.clock);
}

TEST_CASE("each instance is told what the route is like, and gets the endpoints inside its configuration") {
    chain_setting s;
    s.definition.concurrency = 3;
    s.definition.batch_size = 7;
    s.definition.drain = true;
    s.definition.output.nested = {{"/0", {"end", "", "output.0", {}, {}}}, {"/1", {"end", "", "output.1", {}, {}}}};
    s.definition.output.middlewares = {{"layer", "", "output.middlewares[0]", {}}};
    s.definition.output.middlewares[0].nested = {{"/endpoint", {"end", "", "output.middlewares[0].endpoint", {}, {}}}};
    s.definition.input.middlewares = {{"layer", "", "input.middlewares[0]", {}}};
    const made_output output = s.run(make_output(s.parts()));
    const made_input input = s.run(make_input(s.parts()));
    for (const auto& [path, context] : s.diary.contexts) {
        CHECK(context.concurrency == 3);
        CHECK(context.batch_messages == 7);
        CHECK(context.drain);
        CHECK(context.route == "orders");
        CHECK(context.instance.starts_with("orders." + path + (path.ends_with(']') ? ".layer#" : ".end#")));
    }
    CHECK(s.diary.contexts.at("output").nested->all() == std::vector<std::string>{"/0", "/1"});
    CHECK(s.diary.contexts.at("output.middlewares[0]").nested->all() == std::vector<std::string>{"/endpoint"});
    CHECK(s.diary.contexts.at("input").nested == nullptr);
    CHECK(s.diary.contexts.at("input.middlewares[0]").nested == nullptr);
}
