// route: moves batches from one consumer to one publisher and settles each message exactly once, until stopped.
#pragma once

#include "core/counters.hpp"
#include "core/failure_policy.hpp"
#include "core/registry.hpp"
#include "core/source_lag.hpp"
#include "core/status.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

struct nested_definition;

struct middleware_definition {
    std::string type;
    std::string config;  // JSON, valid against the factory's schema, defaults filled in
    std::string path;    // "output.middlewares[0]"
    std::vector<nested_definition> nested;
};

struct endpoint_definition {
    std::string type;
    std::string config;
    std::string path;                                // "input" or "output"
    std::vector<middleware_definition> middlewares;  // as in the route file: a message passes them from the bottom up
    std::vector<nested_definition> nested;
};

// An endpoint inside a configuration, at `where` (a JSON pointer).
struct nested_definition {
    std::string where;
    endpoint_definition endpoint;
};

// Where dead letters go.
struct dead_letters_definition {
    std::optional<endpoint_definition> endpoint;  // none: the host's store
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
    std::uint32_t stop_after = 1000;  // so many in a row pause the route; 0: never
};

struct route_definition {
    std::string name;
    endpoint_definition input;
    endpoint_definition output;
    bool drain = false;         // ends by itself at the end of the input
    bool connect_only = false;  // makes and connects everything, reads nothing, closes
    std::uint32_t batch_size = 512;
    std::uint64_t batch_bytes = 16u << 20;
    std::uint64_t max_in_flight_bytes = 64u << 20;
    std::uint32_t send_window = 8;
    std::uint32_t concurrency = 1;  // batches in work at once, each by a worker with middlewares of its own
    bool has_one_stack = false;     // its output middlewares are one for all batches, such as write to what only one may: no workers
    std::uint32_t commit_concurrency_limit = 4096;
    std::function<std::uint64_t(const message&)> order_by;  // with concurrency: messages of one value stay in order; none: no such order
    bool order_by_is_lane = false;                          // which is the order of the source itself
    std::uint32_t max_deliveries = 0;                       // presentations of a message before it is dead; 0: no limit
    std::chrono::milliseconds first_again{50};              // pause before a message is presented again, doubled each time
    std::chrono::milliseconds longest_again{5000};
    error_policy on_error = error_policy::dead_letter;
    dead_letters_definition dead_letters;
    bool keep_order = false;                                   // asked for: what is sent again stays in its place
    bool allows_faults = false;                                // middlewares that make calls go wrong on purpose may run
    std::optional<std::chrono::milliseconds> startup_timeout;  // set: fails where it is not connected by then
    std::chrono::milliseconds empty_batch_delay{10};
    std::chrono::milliseconds reconnect_interval{5000};  // the longest pause between two tries
    std::chrono::milliseconds shutdown_timeout{10000};

    // Whether batches are sent by workers side by side, each through middlewares of its own.
    [[nodiscard]] bool has_workers() const noexcept {
        return concurrency > 1 && !has_one_stack && !output.middlewares.empty() && (!keep_order || order_by);
    }
    // Whether each key of order_by has its own way to an output with these promises.
    [[nodiscard]] bool divides_by_key(promises of_output) const noexcept {
        return order_by && concurrency > 1 && (has_workers() || of_output.has(promises::concurrent | promises::ordered_retry));
    }
};

// What a route looks like from outside at one moment.
struct route_snapshot {
    route_state state = route_state::starting;
    std::chrono::system_clock::time_point since;
    std::string cause;  // why it is reconnecting or failed; what it is blocked in
    ledger_totals totals;
    std::uint64_t in_flight_bytes = 0;
    double seconds = 0;      // from start to end, or to now
    bool is_quiet = false;   // paused, with nothing on the way to the output: it writes nothing before it is resumed
    bool abandoned = false;  // something of it never came back from a plugin: the process cannot end in the ordinary way
    std::optional<std::chrono::system_clock::time_point> next_try;  // while it is reconnecting: of the next connect
    std::optional<source_lag> lag;                                  // as the source said when it was asked last
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

// The private folder of one endpoint or middleware, kept between runs; empty: none. Any thread.
using instance_directories = std::function<std::string(std::string_view route, std::string_view path)>;

// What routes run in. Everything outlives them.
struct route_environment {
    const CustomEndpointFactory& endpoints;
    const CustomMiddlewareFactory& middlewares;
    logger& log;
    boost::asio::any_io_executor executor;       // runs the coroutine of the route and those of its workers
    dead_letter_stores* dead_letters = nullptr;  // none: a message that cannot be delivered stops its route
    instance_directories directory_of = {};
};

// start once. stop, pause, resume, abandon, snapshot, set_blocked, ask_lag: any thread.
class route {
public:
    route(route_definition definition, const route_environment& in);
    ~route();
    route(const route&) = delete;
    route& operator=(const route&) = delete;

    // on_ended is called once, from the route's side, when nothing of it runs any more.
    void start(std::function<void()> on_ended);
    // Stops reading, finishes and commits what is in flight within the shutdown timeout, closes.
    void stop();
    // Reads no more; what is in flight is finished. Until resume.
    void pause();
    void resume();
    // The host gives up on it: a plugin call does not come back. The route counts as failed with this cause from now on and its
    // instances are never freed.
    void abandon(std::string cause);
    // What the watchdog sees: "blocked in PLUGIN.FUNCTION"; empty: no longer. Does not change the state.
    void set_blocked(std::string cause);

    // Asks the source how much waits there. `told` is called once, in here or from the route's side: snapshot() has the answer then, or
    // none where the source does not tell, is not connected, or the route ends. A source that answers late keeps `told` waiting.
    void ask_lag(std::function<void()> told);

    [[nodiscard]] route_snapshot snapshot() const;
    [[nodiscard]] const route_definition& definition() const noexcept;

private:
    std::shared_ptr<running_route> running_;  // also held by its coroutine, which may be stuck in a plugin for ever
};

}  // namespace mqb::core
