// registry: what endpoint and middleware names of a route file stand for. The host fills it from plugins, an application from its
// own code. Filled before routes start; reading is thread-safe from then on.
#pragma once

#include "core/logger.hpp"
#include "core/nested.hpp"
#include "core/timers.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

// What one instance is made with. The references outlive the instance.
struct instance_context {
    mailbox& box;   // of the route: completions and events are delivered through it
    timers& clock;  // of the route
    logger& log;
    std::string route;
    std::string path;       // of the endpoint in the route file: "input", "output.middlewares[0]"
    std::string instance;   // unique in this process
    std::string directory;  // private, kept between runs; empty: none
    bool drain = false;
    std::uint32_t concurrency = 1;
    std::uint32_t batch_messages = 512;
    std::uint64_t byte_budget = 0;
    promises inner = {};                            // of a middleware: what its inner side promises
    std::shared_ptr<nested_endpoints> nested = {};  // the endpoints inside its configuration; null: there are none
    class chain_links* links = nullptr;             // of its chain: who pauses adds itself; null: nobody asks
};

// Makes the consumers and publishers of one endpoint name. Configurations are JSON texts that are valid against the schema.
class endpoint_factory {
public:
    virtual ~endpoint_factory() = default;
    [[nodiscard]] virtual std::uint32_t sides() const noexcept = 0;
    [[nodiscard]] virtual std::string_view schema() const noexcept = 0;
    [[nodiscard]] virtual result<promises> promise(std::string_view config, side which) const = 0;
    // The same for one whose promises depend on those of the endpoints inside its configuration.
    [[nodiscard]] virtual result<promises> promise_over(std::string_view config, side which, const nested_promises&) const {
        return promise(config, which);
    }
    // What a schema cannot say and is wrong with a configuration, all of it. May leave to promise what that one fails with.
    [[nodiscard]] virtual std::vector<failure> mistakes(std::string_view config, side which) const {
        return (void)config, (void)which, std::vector<failure>{};
    }
    virtual boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context context, std::string config) = 0;
    virtual boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context context, std::string config) = 0;
};

// Makes the decorators of one middleware name. The inner side outlives what is made.
class middleware_factory {
public:
    virtual ~middleware_factory() = default;
    [[nodiscard]] virtual std::uint32_t sides() const noexcept = 0;
    [[nodiscard]] virtual std::string_view schema() const noexcept = 0;
    // In: what the inner side promises. Out: what remains of it.
    [[nodiscard]] virtual result<promises> promise(std::string_view config, side which, promises inner) const = 0;
    // On an input it settles by itself, in any order and with any disposition: only the ledger takes that, which stands below the
    // middlewares of a route's input, and not below those of an input inside another endpoint.
    [[nodiscard]] virtual bool needs_ledger() const noexcept { return false; }
    // On an input it stands only next to the source: it is the last entry of the list.
    [[nodiscard]] virtual bool stands_next_to_source() const noexcept { return false; }
    // On an output the workers of a route have one of it together, and so one of each of its middlewares.
    [[nodiscard]] virtual bool serves_all_workers() const noexcept { return false; }
    // With this configuration it makes calls go wrong on purpose: only a route that allows it takes it.
    [[nodiscard]] virtual bool injects_faults(std::string_view config) const { return (void)config, false; }
    virtual boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context context, std::string config,
                                                                           consumer& inner) = 0;
    virtual boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context context, std::string config,
                                                                            publisher& inner) = 0;
};

// Names to factories; adding a name twice is refused.
template <class Factory>
class factory_registry {
public:
    bool add(std::string name, std::shared_ptr<Factory> factory) { return all_.emplace(std::move(name), std::move(factory)).second; }
    [[nodiscard]] std::shared_ptr<Factory> find(std::string_view name) const {
        auto at = all_.find(name);
        return at == all_.end() ? nullptr : at->second;
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& [name, factory] : all_) out.push_back(name);
        return out;
    }

private:
    std::map<std::string, std::shared_ptr<Factory>, std::less<>> all_;
};

using CustomEndpointFactory = factory_registry<endpoint_factory>;
using CustomMiddlewareFactory = factory_registry<middleware_factory>;

}  // namespace mqb::core
