// factory_fixture: a factory whose functions are set by the test, and a route side to make things on.
#pragma once

#include "fakes.hpp"
#include "host/loading/factories.hpp"
#include "route_side.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace mqb::boundary {

// One factory whose functions are set by the test.
struct test_factory {
    static inline std::function<mqb_status(mqb_create*)> create;
    static inline std::function<mqb_status(mqb_promise*)> promises;

    test_factory() {
        create = [](mqb_create*) { return MQB_BAD_CONFIG; };
        promises = [](mqb_promise*) { return MQB_OK; };
        factory.struct_size = sizeof factory;
        factory.kind = MQB_ENDPOINT;
        factory.sides = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER;
        factory.name = text("thing");
        factory.schema = text(R"({"type":"object"})");
        factory.create = [](mqb_create* c) { return create(c); };
        factory.promises = [](mqb_promise* p) { return promises(p); };
        list[0] = &factory;
        plugin.struct_size = sizeof plugin;
        plugin.draft = MQB_ABI_DRAFT;
        plugin.name = text("test");
        plugin.factories = list;
        plugin.factory_count = 1;
        plugin.table = [](mqb_text id) -> const void* { return str(id) == "mqb.test" ? "table" : nullptr; };
    }
    loading::offered offered(loading::offer_kind kind = loading::offer_kind::endpoint) {
        factory.kind = static_cast<std::uint32_t>(kind);
        auto lib = loading::library::adopt(&plugin, "test").value();
        return {lib, lib->find(kind, "thing")};
    }
    mqb_factory factory{};
    const mqb_factory* list[1];
    mqb_plugin plugin{};
};

// A route side, and the factory above.
struct factory_fixture {
    route_side side;
    test_factory made_by;
    std::shared_ptr<loading::plugin_services> services = std::make_shared<loading::plugin_services>();
    fake_consumer consumer;
    fake_publisher publisher;
    boost::asio::io_context io;

    template <class T>
    core::result<T> run(boost::asio::awaitable<core::result<T>> work) {
        std::optional<core::result<T>> out;
        boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr e, core::result<T> r) {
            CHECK_FALSE(static_cast<bool>(e));
            out.emplace(std::move(r));
        });
        io.restart();
        io.run();
        return std::move(*out);
    }
    auto make_consumer() {
        return run(loading::plugin_endpoint_factory{made_by.offered(), services}.make_consumer(side.context(), R"({"a":1})"));
    }
    std::string failure_of_consumer() {
        auto made = make_consumer();
        return made ? "made" : std::string{to_text(made.error().what)} + ": " + made.error().text;
    }
};

}  // namespace mqb::boundary
