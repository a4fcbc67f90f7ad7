// Promises that take their time or change: the host waits so long and no longer, and asks once.
#include "fakes.hpp"
#include "host/loading/factories.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct promising {
    static inline std::function<mqb_status(mqb_promise*)> answer;

    explicit promising(std::chrono::milliseconds limit) {
        services->create_limit = limit;
        one.struct_size = sizeof one;
        one.kind = MQB_ENDPOINT;
        one.sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER;
        one.name = text("thing");
        one.schema = text(R"({"type":"object"})");
        one.create = [](mqb_create*) -> mqb_status { return MQB_BAD_CONFIG; };
        one.promises = [](mqb_promise* p) { return answer(p); };
        plugin.struct_size = sizeof plugin;
        plugin.draft = MQB_ABI_DRAFT;
        plugin.name = text("test");
        plugin.factories = list;
        plugin.factory_count = 1;
        auto lib = loading::library::adopt(&plugin, "test").value();
        factory = std::make_unique<loading::plugin_endpoint_factory>(
            loading::offered{lib, lib->find(loading::offer_kind::endpoint, "thing")}, services);
    }
    mqb_factory one{};
    const mqb_factory* list[1] = {&one};
    mqb_plugin plugin{};
    std::shared_ptr<loading::plugin_services> services = std::make_shared<loading::plugin_services>();
    std::unique_ptr<loading::plugin_endpoint_factory> factory;
};

}  // namespace

TEST_CASE("promises that hang are given up after the limit, and may come back later without harm") {
    promising plugin{std::chrono::milliseconds{50}};
    static std::promise<void> go, ended;
    promising::answer = [](mqb_promise* p) {
        go.get_future().wait();
        CHECK(str(p->config) == "{}");
        p->promises->flags = MQB_ACKNOWLEDGES;
        p->call.explain(&p->call, MQB_WHOLE_CALL, text("late"));
        ended.set_value();
        return MQB_OK;
    };
    auto answer = plugin.factory->promise("{}", core::consumer_side);
    REQUIRE_FALSE(answer.has_value());
    CHECK((answer.error().what == status::rejected));
    CHECK(answer.error().text == "test.promises did not return within 50 ms");
    go.set_value();
    ended.get_future().wait();
}

TEST_CASE("promises are asked for once for each configuration and side") {
    promising plugin{std::chrono::seconds{30}};
    static std::uint32_t asked;
    asked = 0;
    promising::answer = [](mqb_promise* p) {
        p->promises->max_unsettled_messages = ++asked;
        return MQB_OK;
    };
    auto limit_of = [&](std::string_view config, core::side side) {
        return plugin.factory->promise(config, side).value().max_unsettled_messages;
    };
    CHECK(limit_of("{}", core::consumer_side) == 1);
    CHECK(limit_of("{}", core::consumer_side) == 1);
    CHECK(limit_of("{}", core::publisher_side) == 2);
    CHECK(limit_of(R"({"a":1})", core::consumer_side) == 3);
    CHECK(limit_of("{}", core::consumer_side) == 1);
    CHECK(asked == 3);
}

TEST_CASE("only BAD_CONFIG speaks of the configuration: a plugin that throws or contradicts itself is named as the fault") {
    promising plugin{std::chrono::seconds{30}};
    const auto fault = [&](std::string_view config) {
        const auto answer = plugin.factory->promise(config, core::consumer_side);
        return answer ? "none" : std::string{core::to_text(answer.error().what)} + ": " + answer.error().text;
    };
    promising::answer = [](mqb_promise* p) {
        p->call.explain(&p->call, MQB_WHOLE_CALL, text("no such topic"));
        return MQB_BAD_CONFIG;
    };
    CHECK(fault("1") == "bad configuration: no such topic");
    promising::answer = [](mqb_promise*) -> mqb_status { throw std::runtime_error("boom"); };
    CHECK(fault("2") == "rejected: test.promises threw: boom");
    promising::answer = [](mqb_promise*) -> mqb_status { throw 42; };
    CHECK(fault("3") == "rejected: test.promises threw: unknown error");
    promising::answer = [](mqb_promise* p) {
        p->promises->flags = MQB_ACKNOWLEDGES;
        return MQB_OK;
    };
    CHECK(fault("4") == "rejected: test acknowledges, but does not promise the disposition ACK");
}
