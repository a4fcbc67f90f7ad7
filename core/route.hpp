// route: moves batches from one consumer to one publisher and settles each message exactly once, until stopped.
#pragma once

#include "core/counters.hpp"
#include "core/registry.hpp"
#include "core/status.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

struct middleware_definition {
    std::string type;
    std::string config;  // JSON, valid against the factory's schema, defaults filled in
    std::string path;    // "output.middlewares[0]"
};

struct endpoint_definition {
    std::string type;
    std::string config;
    std::string path;                                // "input" or "output"
    std::vector<middleware_definition> middlewares;  // as in the route file: a message passes them from the bottom up
};

struct route_definition {
    std::string name;
    endpoint_definition input;
    endpoint_definition output;
    bool drain = false;  // ends by itself at the end of the input
    std::uint32_t batch_size = 512;
    std::uint64_t batch_bytes = 16u << 20;
    std::uint64_t max_in_flight_bytes = 64u << 20;
    std::uint32_t send_window = 8;
    std::chrono::milliseconds empty_batch_delay{10};
    std::chrono::milliseconds reconnect_interval{5000};  // the longest pause between two tries
    std::chrono::milliseconds shutdown_timeout{10000};
};

// What a route looks like from outside at one moment.
struct route_snapshot {
    route_state state = route_state::starting;
    std::chrono::system_clock::time_point since;
    std::string cause;  // why it is reconnecting or failed; what it is blocked in
    ledger_totals totals;
    std::uint64_t in_flight_bytes = 0;
    double seconds = 0;      // from start to end, or to now
    bool abandoned = false;  // something of it never came back from a plugin: the process cannot end in the ordinary way
};

// What a route is promised by its two chains, once they are made.
struct route_promises {
    promises input;  // of the outermost consumer
    promises output;
};

// Computes what the chains of a definition promise, without making anything. Fails where a factory is missing, a side is not
// offered, a configuration makes no sense, or the chain of an input holds more than its source gives out unsettled.
[[nodiscard]] result<route_promises> promises_of(const route_definition& definition, const CustomEndpointFactory& endpoints,
                                                 const CustomMiddlewareFactory& middlewares);

class running_route;

// start once. stop, abandon, snapshot, set_cause: any thread.
class route {
public:
    // The registries and the logger outlive the route; the executor runs its one coroutine.
    route(route_definition definition, const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares, logger& log,
          boost::asio::any_io_executor executor);
    ~route();
    route(const route&) = delete;
    route& operator=(const route&) = delete;

    // on_ended is called once, from the route's side, when nothing of it runs any more.
    void start(std::function<void()> on_ended);
    // Stops reading, finishes and commits what is in flight within the shutdown timeout, closes.
    void stop();
    // The host gives up on it: a plugin call does not come back. The route counts as failed with this cause from now on and its
    // instances are never freed.
    void abandon(std::string cause);
    // What the watchdog sees: "blocked in PLUGIN.FUNCTION"; empty: no longer. Does not change the state.
    void set_blocked(std::string cause);

    [[nodiscard]] route_snapshot snapshot() const;
    [[nodiscard]] const route_definition& definition() const noexcept;

private:
    std::shared_ptr<running_route> running_;  // also held by its coroutine, which may be stuck in a plugin for ever
};

}  // namespace mqb::core
