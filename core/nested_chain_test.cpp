#include "core/nested_chain.hpp"

#include "core/chain_endpoints_test.hpp"
#include "core/middlewares/builtin.hpp"
#include "core/middlewares/scripted_publisher_test.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace mqb::core;

namespace {

using texts = std::vector<std::string>;

struct one_call : call {
    one_call() {
        done = [](call& c, status s) noexcept { static_cast<one_call&>(c).answers.push_back(s); };
    }
    std::vector<status> answers;
};

// One nested endpoint "leaf" at "/to", with the layers "in", next to it, and "out". Said for an output; an input has the list turned.
struct nested_setting : chain_setting {
    nested_setting(const std::string& leaf, const std::string& in, const std::string& out, side which = publisher_side) {
        std::vector<middleware_definition> list{{"layer", in, "in", {}}, {"layer", out, "out", {}}};
        if (which == consumer_side) std::swap(list[0], list[1]);
        nested.push_back({"/to", {"end", leaf, "leaf", std::move(list), {}}});
        endpoints_of = nested_of(parts(), "output", nested);
    }
    std::unique_ptr<publisher> make_publisher() {
        auto made = run(endpoints_of->make_publisher("/to"));
        REQUIRE(made.has_value());
        diary.log.clear();
        return std::move(*made);
    }
    std::unique_ptr<consumer> make_consumer() {
        auto made = run(endpoints_of->make_consumer("/to"));
        REQUIRE(made.has_value());
        diary.log.clear();
        return std::move(*made);
    }
    std::vector<nested_definition> nested;
    std::shared_ptr<nested_endpoints> endpoints_of;
};

struct listener final : event_sink {
    void on_state(bool connected, std::string_view cause) override { heard.push_back((connected ? "up" : "down: ") + std::string{cause}); }
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t, std::uint64_t token) override {
        heard.push_back("lane " + std::to_string(lanes[0]) + " token " + std::to_string(token));
    }
    void on_count(std::string_view name, std::int64_t delta) override { heard.push_back(std::string{name} + std::to_string(delta)); }
    void on_warning(std::string_view text) override { heard.emplace_back(text); }
    void on_bad_config(std::string_view text) override { heard.emplace_back(text); }
    void on_misbehaviour(std::string_view text) override { heard.emplace_back(text); }
    texts heard;
};

}  // namespace

TEST_CASE("nested endpoints are known by their place, with what they promise") {
    nested_setting s{"", "", ""};
    CHECK(s.endpoints_of->all() == texts{"/to"});
    CHECK(s.endpoints_of->promise("/to", publisher_side)->flags == promises::ordered);
    CHECK(s.endpoints_of->promise("/from", publisher_side).error().text == "output: has no endpoint at /from");
    CHECK(s.run(s.endpoints_of->make_publisher("/from")).error().text == "output: has no endpoint at /from");
    CHECK(s.run(s.endpoints_of->make_consumer("/from")).error().what == status::bad_config);
    s.nested[0].endpoint.type = "nothing";
    CHECK(s.run(s.endpoints_of->make_publisher("/to")).error().text == "leaf: no plugin offers the endpoint \"nothing\"");
    CHECK(nested_of(s.parts(), "output", {}) == nullptr);
}

TEST_CASE("a nested output connects from the leaf outward and closes from the outside in, each as one call") {
    nested_setting s{"slow", "", "slow"};
    auto made = s.make_publisher();
    one_call connecting, closing;
    CHECK(made->connect(connecting) == status::pending);
    CHECK(s.diary.log == texts{"leaf connect"});
    s.diary.come_back();
    CHECK(s.diary.log == texts{"leaf connect", "in connect", "out connect"});
    CHECK(connecting.answers.empty());
    s.diary.come_back();
    CHECK(connecting.answers == std::vector{status::ok});
    s.diary.log.clear();
    named_send x{"ab"};
    CHECK(made->send(x) == status::ok);
    CHECK(x.results() == "dd");
    CHECK(s.diary.log == texts{"out send", "in send", "leaf send"});
    s.diary.log.clear();
    CHECK(made->close(closing) == status::pending);
    CHECK(s.diary.log == texts{"out close"});
    s.diary.come_back();
    CHECK(s.diary.log == texts{"out close", "in close", "leaf close"});
    s.diary.come_back();
    CHECK(closing.answers == std::vector{status::ok});
    made.reset();
    CHECK(s.diary.log == texts{"out close", "in close", "leaf close", "out gone", "in gone", "leaf gone"});
}

TEST_CASE("a connect ends where one of the chain cannot work, with its text; a close goes on") {
    nested_setting s{"", "wrong", ""};
    auto made = s.make_publisher();
    one_call c;
    CHECK(made->connect(c) == status::bad_config);
    CHECK(c.texts.of(whole_call) == "makes no sense");
    CHECK(s.diary.log == texts{"leaf connect", "in connect"});
    CHECK(made->close(c) == status::ok);
}

TEST_CASE("a cancelled connect goes no further") {
    nested_setting s{"", "slow", ""};
    auto made = s.make_publisher();
    one_call c;
    CHECK(made->connect(c) == status::pending);
    made->cancel(c);
    CHECK(s.diary.log == texts{"leaf connect", "in connect", "in cancel"});
    s.diary.come_back();
    CHECK(c.answers == std::vector{status::cancelled});
    CHECK(s.diary.log.size() == 3);
}

TEST_CASE("the links of nested endpoints can be told to stop, and asked whether they are at rest") {
    nested_setting s{"down", "", ""};
    CHECK(s.links.is_at_rest());
    auto made = s.make_publisher();
    one_call c;
    CHECK(made->connect(c) == status::pending);
    CHECK_FALSE(s.links.is_at_rest());
    CHECK_FALSE(s.links.are_connected());
    until_next(s.clock, s.box);
    CHECK(s.diary.log == texts{"leaf connect", "leaf connect"});
    s.links.stop();
    while (s.box.deliver_all()) {}
    CHECK(c.answers == std::vector{status::cancelled});
    CHECK(s.links.is_at_rest());
    CHECK(s.clock.next() == UINT64_MAX);
    auto late = s.make_publisher();  // made after the stop: it does not try
    CHECK(late->connect(c) == status::cancelled);
    made.reset();
    late.reset();
    CHECK(s.links.are_connected());  // there are none left
}

TEST_CASE("events come with the path of the nested endpoint in their texts") {
    nested_setting s{"", "", ""};
    auto made = s.make_publisher();
    listener above;
    made->listen(&above);
    one_call c;
    CHECK(made->connect(c) == status::ok);
    event_sink& leaf = *s.diary.sinks.at("leaf");
    event_sink& layer = *s.diary.sinks.at("out");
    leaf.on_warning("slow");
    layer.on_misbehaviour("twice");
    leaf.on_bad_config("wrong");
    leaf.on_count("sent", 3);
    CHECK(above.heard == texts{"up", "leaf: slow", "leaf: twice", "leaf: wrong", "sent3"});
}

TEST_CASE("a nested output that cannot be made whole closes what was made before it answers") {
    for (const char* leaf : {"", "posts"}) {
        nested_setting s{leaf, "", "cannot"};
        const auto made = s.run(s.endpoints_of->make_publisher("/to"));
        REQUIRE(made.has_error());
        CHECK(made.error().text == "out: not today");
        CHECK(s.diary.log == texts{"leaf made", "in made", "in close", "leaf close", "in gone", "leaf gone"});
        std::swap(s.nested[0].endpoint.middlewares[0], s.nested[0].endpoint.middlewares[1]);
        s.diary.log.clear();
        CHECK(s.run(s.endpoints_of->make_consumer("/to")).error().text == "out: not today");
        CHECK(s.diary.log == texts{"leaf made", "in made", "in close", "leaf close", "in gone", "leaf gone"});
        CHECK(s.links.is_at_rest());
    }
}

TEST_CASE("a nested input has no ledger: what is settled reaches the leaf, and lanes that end are told from the leaf outward") {
    nested_setting s{"", "", "", consumer_side};
    auto made = s.make_consumer();
    listener above;
    made->listen(&above);
    one_call c;
    CHECK(made->connect(c) == status::ok);
    s.diary.log.clear();
    receive_call receive;
    CHECK(made->receive(receive) == status::end);
    settle_entry entry;
    outcome answer;
    settle_call settle;
    settle.entries = list<const settle_entry>{std::span<const settle_entry>{&entry, 1}};
    settle.outcomes = list<outcome>{std::span<outcome>{&answer, 1}};
    CHECK(made->settle(settle) == status::ok);
    CHECK(answer.settled() == settle_result::ok);
    made->free_batch(nullptr);
    CHECK(s.diary.log ==
          texts{"out receive", "in receive", "leaf receive", "out settle", "in settle", "leaf settle", "out free", "in free", "leaf free"});
    s.diary.log.clear();
    const std::uint64_t lane = 5;
    s.diary.sinks.at("leaf")->on_lanes_ending({&lane, 1}, 0, 9);
    made->lanes_done(9);
    CHECK(s.diary.log == texts{"in lanes_ending 5", "out lanes_ending 5", "leaf lanes_done 9"});
    CHECK(above.heard == texts{"up", "lane 5 token 9"});
    s.diary.log.clear();
    CHECK(made->close(c) == status::ok);
    CHECK(s.diary.log == texts{"out close", "in close", "leaf close"});
}

TEST_CASE("retry and dlq are there without a plugin, and a route's dlq has the endpoint of its configuration") {
    chain_setting s;
    add_builtin(s.middlewares);
    for (const char* name : {"dlq", "layer", "retry"}) CHECK(std::ranges::count(s.middlewares.names(), name) == 1);
    s.definition.output.config = "refuses";
    s.definition.output.middlewares = {{"retry", "{}", "output.middlewares[0]", {}}, {"dlq", "{}", "output.middlewares[1]", {}}};
    s.definition.output.middlewares[1].nested = {{"/endpoint", {"end", "", "letters", {}, {}}}};
    made_output made = s.run(make_output(s.parts()));
    REQUIRE_FALSE(made.why.has_value());
    CHECK(made.chain.top_promises.flags == (promises::ordered | promises::concurrent));
    one_call c;
    CHECK(made.chain.link->connect(c) == status::ok);
    for (auto& m : made.chain.middlewares) CHECK(m->connect(c) == status::ok);
    s.diary.log.clear();
    named_send x{"ab"};
    // A message passes the dlq first, which hears what the retry could not send.
    CHECK(made.chain.top().send(x) == status::ok);
    CHECK(x.results() == "ll");
    CHECK(s.diary.log == texts{"output send", "letters send"});
    CHECK(s.diary.contexts.at("letters").route == "orders");
    s.diary.log.clear();
    CHECK(made.chain.middlewares.back()->close(c) == status::ok);
    CHECK(made.chain.middlewares.front()->close(c) == status::ok);
    CHECK(s.diary.log == texts{"letters close"});
    s.definition.output.middlewares[1].nested.clear();
    CHECK(s.run(make_output(s.parts())).why->text == "output.middlewares[1]: has no endpoint");
}
