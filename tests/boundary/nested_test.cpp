// A plugin whose configuration nests an endpoint and a store: made and connected before it, lent to it, closed after it.
#include "factory_fixture.hpp"
#include "host/loading/nested_fields.hpp"

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

// The real plugin; what it nests are fakes of another one.
struct nesting_fixture : factory_fixture {
    nesting_fixture() {
        test_factory::create = [this](mqb_create* c) {
            log.push_back("create " + str(c->path) + " " + str(c->config));
            if (c->side == MQB_SIDE_PUBLISHER)
                c->made = &publisher;
            else
                c->made = &store;
            return MQB_OK;
        };
        publisher.connect = [this](mqb_call* c) {
            log.push_back("connect publisher");
            connecting = c;
            return connect_answer;
        };
        store.connect = [this](mqb_call*) {
            log.push_back("connect store");
            return MQB_OK;
        };
        publisher.free = [this] { log.push_back("free publisher"); };
        store.free = [this] { log.push_back("free store"); };
        store.apply = [this](mqb_apply* a) {
            log.push_back("put " + str(mqb_store_entry_at(&a->entries, 0)->key));
            return MQB_OK;
        };
        services->nested.endpoint = [this](std::string_view name) -> std::shared_ptr<core::endpoint_factory> {
            if (name != "thing") return nullptr;
            return std::make_shared<loading::plugin_endpoint_factory>(made_by.offered(), services);
        };
        services->nested.store = [this](std::string_view name) -> std::shared_ptr<loading::store_factory> {
            if (name != "thing") return nullptr;
            return std::make_shared<loading::store_factory>(made_by.offered(loading::offer_kind::store), services);
        };
    }
    ~nesting_fixture() { services->nested = {}; }

    auto make(const std::string& config) {
        auto lib = loading::library::open(MQB_BOUNDARY_PLUGINS "/libmqb_nesting.so").value();
        loading::plugin_endpoint_factory factory{{lib, lib->find(loading::offer_kind::endpoint, "nesting")}, services};
        return run(factory.make_publisher(side.context(), config));
    }
    std::string failure(const std::string& config) {
        auto made = make(config);
        return made ? "made" : std::string{to_text(made.error().what)} + ": " + made.error().text;
    }

    fake_store store;
    std::vector<std::string> log;
    mqb_status connect_answer = MQB_OK;
    mqb_call* connecting = nullptr;
};

constexpr const char* both = R"({"to":{"thing":{"a":1}},"counts":{"thing":null}})";

}  // namespace

TEST_CASE_FIXTURE(nesting_fixture, "what is nested is made first, connected first, used through what is lent, and freed last") {
    auto made = make(both);
    CHECK((made ? std::string{} : made.error().text) == "");
    REQUIRE(made.has_value());
    CHECK(log == std::vector<std::string>{R"(create input/to {"a":1})", "create input/counts {}"});
    log.clear();
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::ok);
    CHECK(log == std::vector<std::string>{"connect publisher", "connect store"});
    log.clear();

    some_messages given{{"a", "b"}};
    core::outcome outcomes[2]{};
    recorded<core::send_call> s;
    s.messages = loading::to_core<const core::message>(given.list());
    s.outcomes = std::span<core::outcome>{outcomes};
    publisher.send = [this](mqb_send* sent) {
        for (std::uint32_t i = 0; i < sent->messages.count; ++i) {
            log.push_back(payload(mqb_message_at(&sent->messages, i)));
            mqb_outcome_at(&sent->outcomes, i)->result = MQB_DONE;
        }
        return MQB_OK;
    };
    CHECK((*made)->send(s) == status::ok);
    CHECK(outcomes[1].sent() == core::send_result::done);
    CHECK(log == std::vector<std::string>{"a", "b", "put sends"});
    log.clear();
    CHECK(close(side, **made) == status::ok);
    CHECK(log == std::vector<std::string>{"free publisher", "free store"});
    CHECK(side.log.lines().empty());
}

TEST_CASE_FIXTURE(nesting_fixture, "a connect waits for what is nested, which reconnects by itself, and can be cancelled meanwhile") {
    connect_answer = MQB_PENDING;
    auto made = make(R"({"to":{"thing":{}}})");
    REQUIRE(made.has_value());
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::pending);
    connecting->done(connecting, MQB_OK);
    CHECK(side.deliver_until([&] { return c.completions == 1; }));
    CHECK(c.ended == status::ok);
    CHECK(close(side, **made) == status::ok);

    auto other = make(R"({"to":{"thing":{}}})");
    REQUIRE(other.has_value());
    publisher.cancel = [this](std::uint64_t) { log.push_back("cancel"); };
    recorded<core::call> d;
    CHECK((*other)->connect(d) == status::pending);
    (*other)->cancel(d);
    CHECK(log.back() == "cancel");
    connecting->done(connecting, MQB_CANCELLED);
    CHECK(side.deliver_until([&] { return d.completions == 1; }));
    CHECK(d.ended == status::cancelled);
    recorded<core::call> e;  // its back-off is ended first
    CHECK((*other)->close(e) == status::pending);
    CHECK(side.deliver_until([&] {
        side.clock.advance_to(side.clock.now_steady() + 1'000'000);
        return e.completions == 1;
    }));
    CHECK(e.ended == status::ok);
    CHECK(log.back() == "free publisher");
}

TEST_CASE_FIXTURE(nesting_fixture, "what cannot be nested is named with its place in the configuration") {
    CHECK(failure(R"({"to":{"nobody":{}}})") == "bad configuration: /to: no plugin offers the endpoint \"nobody\"");
    CHECK(failure(R"({"to":{"thing":{}},"counts":{"nobody":{}}})") == "bad configuration: /counts: no plugin offers the store \"nobody\"");
    CHECK(failure(R"({"to":{"a":1,"b":2}})") == "bad configuration: nesting: /to: an endpoint is one key that names its type");
    test_factory::create = [](mqb_create* c) {
        c->call.explain(&c->call, MQB_WHOLE_CALL, text("no such port"));
        return MQB_BAD_CONFIG;
    };
    CHECK(failure(R"({"to":{"thing":{}}})") == "bad configuration: /to: no such port");
    services->nested = {};
    CHECK(failure(R"({"to":{"thing":{}}})") == "bad configuration: /to: no plugin offers the endpoint \"thing\"");
}

TEST_CASE("nested fields are found wherever a schema names them, with their places as JSON pointers") {
    const char* schema = R"({"type":"object","properties":{
        "branches":{"type":"array","items":{"x-mqb-endpoint":"publisher"}},
        "a/b":{"type":"object","additionalProperties":{"x-mqb-endpoint":"consumer"}},
        "store":{"x-mqb-store":true},"plain":{"type":"object"}}})";
    const auto found = loading::nested_fields(schema, R"({"branches":[{"x":{"n":1}},null,{"y":null}],"a/b":{"m~":{"z":{}}},)"
                                                      R"("store":{"s":{}},"plain":{"x":{}}})");
    REQUIRE(found.has_value());
    std::vector<std::string> lines;
    for (const loading::nested_field& f : *found)
        lines.push_back(f.path + " " + std::string{to_text(f.kind)} + " " + std::to_string(f.side) + " " + f.type + " " + f.config);
    CHECK(lines == std::vector<std::string>{R"(/branches/0 endpoint 2 x {"n":1})", "/branches/2 endpoint 2 y {}",
                                            "/a~1b/m~0 endpoint 1 z {}", "/store store 0 s {}"});
    CHECK(loading::nested_fields(R"({"type":"object"})", "no JSON").value().empty());
    CHECK(loading::nested_fields(schema, R"({"store":"s"})").error().text == "/store: a store is one key that names its type");
}
