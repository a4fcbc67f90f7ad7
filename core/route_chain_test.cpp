#include "core/route.hpp"

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
        definition.input = {"source", "{}", "input", {}};
        definition.output = {"sink", "{}", "output", {}};
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
    s.definition.output.middlewares = {{"nothing", "{}", "output.middlewares[0]"}};
    CHECK(s.wrong() == "output.middlewares[0]: no plugin offers the middleware \"nothing\"");
}

TEST_CASE("a configuration that makes no sense is refused with its place") {
    setting s;
    s.definition.input.config = "bad";
    CHECK(s.wrong() == "input: makes no sense");
    s.definition.input.config = "{}";
    s.definition.output.middlewares = {{"holder", "bad", "output.middlewares[0]"}};
    CHECK(s.wrong() == "output.middlewares[0]: makes no sense");
}

TEST_CASE("the middlewares of an input must hold less than its source gives out unsettled, all together") {
    setting s;
    s.definition.input.middlewares = {{"holder", "holds 4", "input.middlewares[0]"}, {"holder", "holds 5", "input.middlewares[1]"}};
    CHECK(s.wrong().empty());
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->input.holds_messages == 9);
    s.definition.input.middlewares[0].config = "holds 5";
    CHECK(s.wrong() == "input: its middlewares hold more unsettled messages than \"source\" gives out");
    s.definition.input.middlewares = {{"holder", "batch", "input.middlewares[0]"}};
    CHECK(s.wrong().empty());
    s.definition.input.middlewares.push_back({"holder", "batch", "input.middlewares[1]"});
    CHECK_FALSE(s.wrong().empty());
    // An output may hold what it wants.
    s.definition.input.middlewares.clear();
    s.definition.output.middlewares = {{"holder", "holds 100", "output.middlewares[0]"}};
    CHECK(s.wrong().empty());
}

TEST_CASE("a middleware sees what the one below it has left of the promises: the last of the list is next to the endpoint") {
    setting s;
    s.definition.output.middlewares = {{"holder", "concurrent", "output.middlewares[0]"}, {"holder", "unordered", "output.middlewares[1]"}};
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->output.flags == promises::concurrent);
    std::swap(s.definition.output.middlewares[0], s.definition.output.middlewares[1]);
    CHECK(promises_of(s.definition, s.endpoints, s.middlewares)->output.flags == 0);
}

TEST_CASE("a name is registered once") {
    setting s;
    CHECK_FALSE(s.endpoints.add("both", std::make_shared<paper_endpoint>(consumer_side)));
    CHECK(s.endpoints.names() == std::vector<std::string>{"both", "sink", "source"});
    CHECK(s.endpoints.find("none") == nullptr);
}
