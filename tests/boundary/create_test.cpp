// Factories: promises, create with all its ways to fail, tables that are short or have holes, and plugin middlewares.
#include "factory_fixture.hpp"

#include <doctest/doctest.h>

#include <future>
#include <stdexcept>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

TEST_CASE_FIXTURE(factory_fixture, "create gets everything about its place, and what it made is wrapped") {
    test_factory::create = [&](mqb_create* c) {
        CHECK(c->call.struct_size == sizeof(mqb_create));
        CHECK((c->call.done == nullptr));
        CHECK(str(c->config) == R"({"a":1})");
        CHECK(c->side == MQB_SIDE_CONSUMER);
        CHECK(str(c->route) == "orders");
        CHECK(str(c->path) == "input");
        CHECK(str(c->instance) == "orders/input/1");
        CHECK(c->directory.size == 0);
        CHECK(c->batch_messages == 512);
        CHECK(c->children.count == 0);
        c->host->table->log(c->host, MQB_LOG_INFO, text("creating"));
        CHECK(c->host->table->now(c->host, MQB_CLOCK_STEADY) == side.clock.now_steady());
        c->made = &consumer;
        return MQB_OK;
    };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    recorded<core::receive_call> c;
    CHECK((*made)->receive(c) == status::end);
    CHECK(side.log.lines() == std::vector<std::string>{"2 orders input: creating"});
    bool freed = false;
    consumer.free = [&] { freed = true; };
    CHECK(close(side, **made) == status::ok);
    CHECK(freed);
}

TEST_CASE_FIXTURE(factory_fixture, "a create that fails says why and keeps its class; nothing is kept of it") {
    test_factory::create = [](mqb_create* c) {
        c->call.explain(&c->call, MQB_WHOLE_CALL, text("port 99999 does not exist"));
        return MQB_BAD_CONFIG;
    };
    CHECK(failure_of_consumer() == "bad configuration: port 99999 does not exist");
    test_factory::create = [](mqb_create*) { return MQB_RETRY; };
    CHECK(failure_of_consumer() == "retry: test.create answered retry");
    test_factory::create = [](mqb_create*) { return 1000; };
    CHECK(failure_of_consumer() == "retry: test.create answered the unknown status 1000");
    test_factory::create = [](mqb_create*) { return MQB_PENDING; };
    CHECK(failure_of_consumer() == "retry: test.create answered the unknown status 1");
    test_factory::create = [](mqb_create*) -> mqb_status { throw std::runtime_error("boom"); };
    CHECK(failure_of_consumer() == "bad configuration: test.create threw: boom");
    test_factory::create = [](mqb_create*) -> mqb_status { throw 42; };
    CHECK(failure_of_consumer() == "bad configuration: test.create threw: unknown error");
    test_factory::create = [](mqb_create*) { return MQB_OK; };
    CHECK(failure_of_consumer() == "bad configuration: test: create answered OK and made nothing");
}

TEST_CASE_FIXTURE(factory_fixture, "a create that hangs is given up after the limit, and may come back later without harm") {
    services->create_limit = std::chrono::milliseconds{50};
    static std::promise<void> go, ended;
    test_factory::create = [&](mqb_create* c) {
        go.get_future().wait();
        c->host->table->log(c->host, MQB_LOG_ERROR, text("late"));
        const mqb_event e{sizeof(mqb_event), MQB_WARN, text("late"), 0, 0, nullptr, 0, 0};
        c->host->table->event(c->host, &e);
        c->made = &consumer;
        ended.set_value();
        return MQB_OK;
    };
    CHECK(failure_of_consumer() == "bad configuration: test.create did not return within 50 ms");
    go.set_value();
    ended.get_future().wait();
    CHECK_FALSE(side.box.deliver_all());
    CHECK(side.log.lines().empty());
}

TEST_CASE_FIXTURE(factory_fixture, "a table without a required function fails the create and names the function") {
    struct hole {
        const char* name;
        std::function<void(mqb_consumer_table&)> make;
    };
    static mqb_consumer_table table;
    test_factory::create = [&](mqb_create* c) {
        consumer.base.table = &table;
        c->made = &consumer;
        return MQB_OK;
    };
    const hole holes[] = {{"receive", [](mqb_consumer_table& t) { t.receive = nullptr; }},
                          {"free_batch", [](mqb_consumer_table& t) { t.free_batch = nullptr; }},
                          {"cancel", [](mqb_consumer_table& t) { t.cancel = nullptr; }},
                          {"free", [](mqb_consumer_table& t) { t.free = nullptr; }},
                          {"receive", [](mqb_consumer_table& t) { t.struct_size = 16; }},
                          {"cancel", [](mqb_consumer_table& t) { t.struct_size = offsetof(mqb_consumer_table, cancel) + 4; }},
                          {"free", [](mqb_consumer_table& t) { t.struct_size = offsetof(mqb_consumer_table, free); }}};
    for (const hole& h : holes) {
        table = fake_consumer::table;
        h.make(table);
        CHECK(failure_of_consumer() ==
              std::string{"bad configuration: test: the table of its consumer lacks the required function "} + h.name);
    }
    consumer.base.table = nullptr;
    test_factory::create = [&](mqb_create* c) { return c->made = &consumer, MQB_OK; };
    CHECK(failure_of_consumer() == "bad configuration: test: its consumer has no table");
}

TEST_CASE_FIXTURE(factory_fixture, "a table longer than this host knows is used as far as it is known") {
    static struct {
        mqb_consumer_table known = fake_consumer::table;
        void* unknown = nullptr;
    } longer;
    longer.known.struct_size = sizeof longer;
    consumer.base.table = &longer.known;
    test_factory::create = [&](mqb_create* c) { return c->made = &consumer, MQB_OK; };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    recorded<core::receive_call> c;
    CHECK((*made)->receive(c) == status::end);
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(factory_fixture,
                  "events and timers inside create are misbehaviour, told to who listens later; table_of works only there") {
    mqb_call timer{};
    timer.struct_size = sizeof timer;
    timer.done = [](mqb_call*, mqb_status) {};
    mqb_host* host = nullptr;
    test_factory::create = [&](mqb_create* c) {
        host = c->host;
        const mqb_event e{sizeof(mqb_event), MQB_WARN, text("early"), 0, 0, nullptr, 0, 0};
        host->table->event(host, &e);
        CHECK(host->table->wait_until(host, 0, &timer) == MQB_REJECTED);
        CHECK(host->table->table_of(host, text("nobody"), text("mqb.test")) == nullptr);
        c->made = &consumer;
        return MQB_OK;
    };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    (*made)->listen(&side.events);
    side.box.deliver_all();
    CHECK(side.events.all ==
          std::vector<std::string>{"misbehaviour test raises an event outside of its life",
                                   "misbehaviour test sets a timer while it is created, after its free, or without `done`"});
    CHECK(host->table->table_of(host, text("test"), text("mqb.test")) == nullptr);
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(factory_fixture, "templates are prepared before create and rendered for the instance") {
    services->prepare = [](std::string_view schema, std::string_view config) -> core::result<loading::prepared_config> {
        CHECK(schema == R"({"type":"object"})");
        if (config != R"({"a":1})") return core::failure{status::bad_config, "no such field"};
        return loading::prepared_config{"{\"a\":0}", [](std::uint32_t, const core::message&, std::span<char>, std::size_t& n) {
                                            n = 0;
                                            return status::ok;
                                        }};
    };
    test_factory::create = [&](mqb_create* c) {
        CHECK(str(c->config) == "{\"a\":0}");
        char room[1];
        std::size_t size = 1;
        const mqb_message m{};
        CHECK(c->host->table->render(c->host, 0, &m, room, &size) == MQB_OK);
        c->made = &consumer;
        return MQB_OK;
    };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    CHECK(close(side, **made) == status::ok);
    auto refused = run(loading::plugin_endpoint_factory{made_by.offered(), services}.make_consumer(side.context(), "{}"));
    CHECK(refused.error().text == "no such field");
}

TEST_CASE_FIXTURE(factory_fixture, "a middleware gets its inner side as child 0; a handler and a store get none") {
    struct inner_publisher final : core::publisher {
        int sends = 0;
        status connect(core::call&) override { return status::ok; }
        status send(core::send_call&) override { return ++sends, status::ok; }
        void cancel(core::call&) override {}
        status close(core::call&) override { return status::ok; }
        void listen(core::event_sink*) override {}
    } inner;
    mqb_publisher* below = nullptr;
    test_factory::create = [&](mqb_create* c) {
        REQUIRE(c->children.count == 1);
        const mqb_child* child = mqb_child_at(&c->children, 0);
        CHECK(child->kind == MQB_SIDE_PUBLISHER);
        CHECK(child->path.size == 0);
        below = static_cast<mqb_publisher*>(child->handle);
        c->made = &publisher;
        return MQB_OK;
    };
    publisher.send = [&](mqb_send* s) { return below->table->send(below, s); };
    auto outer = run(
        loading::plugin_middleware_factory{made_by.offered(loading::offer_kind::middleware), services}.wrap(side.context(), "{}", inner));
    REQUIRE(outer.has_value());
    recorded<core::send_call> c;
    CHECK((*outer)->send(c) == status::ok);
    CHECK(inner.sends == 1);
    CHECK(close(side, **outer) == status::ok);

    test_factory::create = [&](mqb_create* create) {
        CHECK(create->side == 0);
        CHECK(create->children.count == 0);
        create->made = &publisher;
        return MQB_OK;
    };
    publisher.send = [](mqb_send*) { return MQB_OK; };
    auto handler = run(loading::handler_factory{made_by.offered(loading::offer_kind::handler), services}.make(side.context(), "{}"));
    REQUIRE(handler.has_value());
    CHECK(close(side, **handler) == status::ok);

    fake_store kept;
    test_factory::create = [&](mqb_create* create) { return create->made = &kept, MQB_OK; };
    auto store = run(loading::store_factory{made_by.offered(loading::offer_kind::store), services}.make(side.context(), "{}"));
    REQUIRE(store.has_value());
    CHECK(close(side, **store) == status::ok);
}

TEST_CASE_FIXTURE(factory_fixture, "promises: what the host does not know is cleared, what contradicts itself is refused") {
    auto promise = [&] { return loading::plugin_endpoint_factory{made_by.offered(), services}.promise("{}", core::consumer_side); };
    test_factory::promises = [](mqb_promise* p) {
        CHECK(p->side == MQB_SIDE_CONSUMER);
        CHECK(p->promises->struct_size == sizeof(mqb_promises));
        CHECK(p->promises->flags == 0);
        p->promises->flags = MQB_ACKNOWLEDGES | 1u << 30;
        p->promises->dispositions = MQB_BIT(MQB_ACK) | 1u << 20;
        p->promises->settle_unit = MQB_UNIT_PREFIX;
        p->promises->max_unsettled_messages = 9;
        return MQB_OK;
    };
    auto promised = promise();
    REQUIRE(promised.has_value());
    CHECK(promised->flags == core::promises::acknowledges);
    CHECK(promised->dispositions == core::bit(core::disposition::ack));
    CHECK(promised->unit == core::settle_unit::prefix);
    CHECK(promised->max_unsettled_messages == 9);

    auto refused = [&](std::uint32_t unit, std::uint32_t flags, std::uint32_t dispositions) {
        test_factory::promises = [=](mqb_promise* p) {
            p->promises->settle_unit = unit;
            p->promises->flags = flags;
            p->promises->dispositions = dispositions;
            return MQB_OK;
        };
        auto answer = promise();
        return answer ? "promised" : answer.error().text;
    };
    CHECK(refused(MQB_UNIT_PREFIX, MQB_ACKNOWLEDGES, MQB_BIT(MQB_ACK) | MQB_BIT(MQB_NACK)) ==
          "test promises the disposition NACK, which only the settle unit MESSAGE allows");
    CHECK(refused(MQB_UNIT_PREFIX, 0, MQB_BIT(MQB_ACK) | MQB_BIT(MQB_REPLY)) ==
          "test promises REPLY with the settle unit PREFIX, but not REPLY_MORE");
    CHECK(refused(MQB_UNIT_MESSAGE, MQB_ACKNOWLEDGES, 0) == "test acknowledges, but does not promise the disposition ACK");
    CHECK(refused(9, 0, 0) == "test promises a settle unit that does not exist");
    CHECK(refused(MQB_UNIT_MESSAGE, MQB_ACKNOWLEDGES, MQB_BIT(MQB_ACK) | MQB_BIT(MQB_NACK)) == "promised");
}

TEST_CASE_FIXTURE(factory_fixture, "promises: errors, exceptions, and a factory without the function") {
    auto failure = [&] {
        return loading::plugin_endpoint_factory{made_by.offered(), services}.promise("{}", core::publisher_side).error().text;
    };
    test_factory::promises = [](mqb_promise* p) {
        p->call.explain(&p->call, MQB_WHOLE_CALL, text("acks=0 and idempotent"));
        return MQB_BAD_CONFIG;
    };
    CHECK(failure() == "acks=0 and idempotent");
    test_factory::promises = [](mqb_promise*) -> mqb_status { throw std::runtime_error("boom"); };
    CHECK(failure() == "test.promises threw: boom");
    test_factory::promises = [](mqb_promise*) -> mqb_status { throw 1; };
    CHECK(failure() == "test.promises threw: unknown error");
    test_factory::promises = [](mqb_promise*) { return 4711; };
    CHECK(failure() == "test.promises answered 4711");
    made_by.factory.promises = nullptr;
    auto nothing = loading::plugin_endpoint_factory{made_by.offered(), services}.promise("{}", core::publisher_side);
    REQUIRE(nothing.has_value());
    CHECK(nothing->flags == 0);
}

TEST_CASE_FIXTURE(factory_fixture, "a middleware changes the inner promises; without the function it keeps them") {
    core::promises inner;
    inner.flags = core::promises::acknowledges | core::promises::stable_identity;
    inner.dispositions = core::bit(core::disposition::ack);
    inner.max_unsettled_messages = 100;
    test_factory::promises = [](mqb_promise* p) {
        CHECK(p->promises->max_unsettled_messages == 100);
        p->promises->flags &= ~static_cast<std::uint32_t>(MQB_STABLE_IDENTITY);
        p->promises->holds_messages = 10;
        p->promises->holds_batches = 2;
        return MQB_OK;
    };
    auto what = made_by.offered(loading::offer_kind::middleware);
    auto changed = loading::plugin_middleware_factory{what, services}.promise("{}", core::consumer_side, inner);
    REQUIRE(changed.has_value());
    CHECK(changed->flags == core::promises::acknowledges);
    CHECK(changed->holds_messages == 10);
    CHECK(changed->holds_batches == 2);
    CHECK(changed->max_unsettled_messages == 100);
    made_by.factory.promises = nullptr;
    auto kept = loading::plugin_middleware_factory{made_by.offered(loading::offer_kind::middleware), services}.promise(
        "{}", core::consumer_side, inner);
    REQUIRE(kept.has_value());
    CHECK(kept->flags == inner.flags);
}
