// A plugin whose configuration nests endpoints: they are made and connected before it, lent to it, closed after it.
#include "factory_fixture.hpp"
#include "host/loading/nested_fields.hpp"

#include <algorithm>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

using lines = std::vector<std::string>;

struct diary {
    lines log;
    status connect_answer = status::ok, close_answer = status::ok, failure = status::ok;
    core::call* connecting = nullptr;
    core::call* closing = nullptr;
    core::event_sink* sink = nullptr;
    std::uint32_t flags = 0;
};

// What stands inside: each step in the diary, with the place of the endpoint.
template <class Stage>
struct inside : Stage {
    inside(diary& d, std::string at) : all(d), where(std::move(at)) {}
    ~inside() override { all.log.push_back("gone " + where); }
    status connect(core::call& c) override { return write("connect"), all.connecting = &c, all.connect_answer; }
    void cancel(core::call&) override { write("cancel"); }
    status close(core::call& c) override { return write("close"), all.closing = &c, all.close_answer; }
    void listen(core::event_sink* sink) override { all.sink = sink; }
    void write(const char* what) { all.log.push_back(std::string{what} + " " + where); }
    diary& all;
    std::string where;
};
struct inside_output final : inside<core::publisher> {
    using inside::inside;
    status send(core::send_call& c) override {
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            const core::buffer& b = c.messages[i].payload;
            all.log.push_back(std::string{reinterpret_cast<const char*>(b.data), b.size});
            c.outcomes[i].set(core::send_result::done);
        }
        return status::ok;
    }
};
struct inside_input final : inside<core::consumer> {
    using inside::inside;
    status receive(core::receive_call&) override { return write("receive"), status::end; }
    status settle(core::settle_call&) override { return status::ok; }
    void free_batch(void*) override {}
};

struct inside_endpoints final : core::nested_endpoints {
    inside_endpoints(diary& d, lines places) : all_of(d), where(std::move(places)) {}
    lines all() const override { return where; }
    std::string path(std::string_view at) const override { return "here" + std::string{at}; }
    core::result<core::promises> promise(std::string_view at, core::side) const override {
        core::promises p;
        p.flags = all_of.flags;
        if (std::ranges::find(where, at) == where.end()) return core::failure{status::bad_config, "nothing at " + std::string{at}};
        return p;
    }
    template <class Made, class Stage>
    core::result<std::unique_ptr<Stage>> make(const std::string& at) {
        if (all_of.failure != status::ok && all_of.log.size() == 1) return core::failure{all_of.failure, at + ": not today"};
        all_of.log.push_back("make " + at);
        return std::unique_ptr<Stage>{std::make_unique<Made>(all_of, at)};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(std::string at) override {
        co_return make<inside_output, core::publisher>(at);
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(std::string at) override {
        co_return make<inside_input, core::consumer>(at);
    }
    diary& all_of;
    lines where;
};

constexpr const char* one_schema = R"({"type":"object","properties":{"to":{"type":"array","items":{"x-mqb-endpoint":"publisher"}}}})";

struct nesting_fixture : factory_fixture {
    core::instance_context context(lines where) {
        core::instance_context out = side.context();
        out.nested = std::make_shared<inside_endpoints>(book, std::move(where));
        return out;
    }
    auto make(const std::string& config, lines where) { return run(real("nesting").make_publisher(context(std::move(where)), config)); }
    loading::plugin_endpoint_factory real(const char* name) {
        auto lib = loading::library::open(std::string{MQB_BOUNDARY_PLUGINS "/libmqb_"} + name + ".so").value();
        return {{lib, lib->find(loading::offer_kind::endpoint, name)}, services};
    }
    // Of the factory that the test sets, with two places.
    auto make_of_two() {
        made_by.factory.schema = text(one_schema);
        return run(loading::plugin_endpoint_factory{made_by.offered(), services}.make_publisher(context({"/to/0", "/to/1"}),
                                                                                                R"({"to":[null,null]})"));
    }
    std::string failure_of_two() {
        auto made = make_of_two();
        return made ? "made" : std::string{to_text(made.error().what)} + ": " + made.error().text;
    }
    diary book;
};

}  // namespace

TEST_CASE_FIXTURE(nesting_fixture, "a nested output is made and connected first, used through what is lent, and closed last") {
    auto made = make(R"({"to":null})", {"/to"});
    REQUIRE_MESSAGE(made.has_value(), made.error().text);
    CHECK(book.log == lines{"make /to"});
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::ok);
    CHECK(book.log == lines{"make /to", "connect /to"});
    CHECK((*made)->connect(c) == status::ok);  // after a lost connection of its own: what is nested keeps itself connected
    book.log.clear();

    some_messages given{{"a", "b"}};
    core::outcome outcomes[2]{};
    recorded<core::send_call> s;
    s.messages = loading::to_core<const core::message>(given.list());
    s.outcomes = std::span<core::outcome>{outcomes};
    CHECK((*made)->send(s) == status::ok);
    CHECK(outcomes[1].sent() == core::send_result::done);
    CHECK(close(side, **made) == status::ok);
    CHECK(book.log == lines{"a", "b", "close /to"});
    made->reset();
    CHECK(book.log.back() == "gone /to");
    CHECK(side.log.lines().empty());
}

TEST_CASE_FIXTURE(nesting_fixture, "a nested input is lent too") {
    auto made = run(real("nesting").make_consumer(context({"/from"}), R"({"from":null})"));
    REQUIRE_MESSAGE(made.has_value(), made.error().text);
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::ok);
    recorded<core::receive_call> r;
    CHECK((*made)->receive(r) == status::end);
    CHECK(book.log == lines{"make /from", "connect /from", "receive /from"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(nesting_fixture, "a connect waits for what is nested and can be cancelled meanwhile; so does a close") {
    book.connect_answer = book.close_answer = status::pending;
    auto made = make(R"({"to":null})", {"/to"});
    REQUIRE(made.has_value());
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::pending);
    (*made)->cancel(c);
    CHECK(book.log.back() == "cancel /to");
    book.connecting->done(*book.connecting, status::cancelled);
    CHECK(c.ended == status::cancelled);
    recorded<core::call> d;
    CHECK((*made)->connect(d) == status::pending);
    book.connecting->done(*book.connecting, status::ok);
    CHECK(d.ended == status::ok);
    recorded<core::call> e;
    CHECK((*made)->close(e) == status::pending);
    CHECK(side.deliver_until([&] { return book.closing != nullptr; }));
    CHECK(e.completions == 0);
    book.closing->done(*book.closing, status::ok);
    CHECK(e.completions == 1);
    CHECK(e.ended == status::ok);
}

TEST_CASE_FIXTURE(nesting_fixture, "a nested endpoint that cannot be connected stops the route, with its text") {
    auto made = make(R"({"to":null})", {"/to"});
    REQUIRE(made.has_value());
    book.connect_answer = status::pending;
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::pending);
    book.connecting->texts.set(core::whole_call, "no such port");
    book.connecting->done(*book.connecting, status::rejected);
    CHECK(c.ended == status::bad_config);
    CHECK(c.texts.of(core::whole_call) == "no such port");
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(nesting_fixture, "what is nested tells its state and its faults, and its lanes to nobody") {
    auto made = make(R"({"to":null})", {"/to"});
    REQUIRE(made.has_value());
    recording_sink above;
    (*made)->listen(&above);
    book.sink->on_state(false, "away");
    const std::uint64_t lane = 3;
    book.sink->on_lanes_ending({&lane, 1}, 5, 6);
    book.sink->on_warning("slow");
    CHECK(above.all == lines{"reconnecting away", "warning slow"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(nesting_fixture, "whatever goes wrong while an instance is made, nothing that it nests is left") {
    const lines closed{"make /to/0", "make /to/1", "close /to/0", "gone /to/0", "close /to/1", "gone /to/1"};
    test_factory::create = [](mqb_create* c) {
        c->call.explain(&c->call, MQB_WHOLE_CALL, text(c->children.count == 2 ? "no such port" : "lent something else"));
        return MQB_RETRY;
    };
    CHECK(failure_of_two() == "retry: no such port");
    CHECK(book.log == closed);
    book.log.clear();
    test_factory::create = [](mqb_create*) { return MQB_OK; };  // and makes nothing
    CHECK(failure_of_two() == "bad configuration: test: create answered OK and made nothing");
    CHECK(book.log == closed);
    book.log.clear();
    book.failure = status::retry;
    CHECK(failure_of_two() == "retry: /to/1: not today");
    CHECK(book.log == lines{"make /to/0", "close /to/0", "gone /to/0"});
    book.log.clear();
    book.failure = status::ok;
    services->prepare = [](std::string_view, std::string_view) { return core::failure{status::bad_config, "no such template"}; };
    CHECK(failure_of_two() == "bad configuration: no such template");
    CHECK(book.log == closed);
    services->prepare = nullptr;
    book.log.clear();
    // And the next try begins anew.
    test_factory::create = [this](mqb_create* c) { return c->made = &publisher, MQB_OK; };
    auto made = make_of_two();
    REQUIRE(made.has_value());
    CHECK(book.log == lines{"make /to/0", "make /to/1"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(nesting_fixture, "what cannot be nested is named with its place in the configuration") {
    CHECK(make(R"({"to":null})", {}).error().text == "nothing at /to");
    CHECK(make(R"({"to":null,"counts":null})", {"/to"}).error().text == "/counts: a store, which no route can lend yet");
    CHECK(book.log == lines{"make /to", "close /to", "gone /to"});
    const auto alone = run(real("nesting").make_publisher(side.context(), R"({"to":null})"));
    CHECK(alone.error().text == "/to: there is no endpoint here");
    CHECK(make("{}", {}).error().text == "was lent no endpoint at \"\"");
}

TEST_CASE("nested fields are found wherever a schema names them, with their places as JSON pointers") {
    const char* schema = R"({"type":"object","properties":{
        "branches":{"type":"array","items":{"x-mqb-endpoint":"publisher"}},
        "a/b":{"type":"object","additionalProperties":{"x-mqb-endpoint":"consumer"}},
        "same":{"x-mqb-endpoint":true},"store":{"x-mqb-store":true},"plain":{"type":"object"}}})";
    const auto found =
        loading::nested_fields(schema, R"({"branches":[null,null],"a/b":{"m~":null},"same":null,"store":null,"plain":{"x":null}})");
    REQUIRE(found.has_value());
    lines all;
    for (const loading::nested_field& f : *found) all.push_back(f.path + " " + std::string{to_text(f.kind)} + " " + std::to_string(f.side));
    CHECK(all == lines{"/branches/0 endpoint 2", "/branches/1 endpoint 2", "/a~1b/m~0 endpoint 1", "/same endpoint 0", "/store store 0"});
    CHECK(loading::nested_fields(R"({"type":"object"})", "no JSON").value().empty());
    const auto top = loading::nested_fields(R"({"x-mqb-endpoint":"publisher"})", "null");
    CHECK(top.value().at(0).path.empty());
    CHECK(loading::nested_fields(schema, "no JSON").error().text == "its configuration is no JSON");
}
