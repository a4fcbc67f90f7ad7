// consumer: the source side of the model; a leaf, the ledger over it, or a middleware over that.
#pragma once

#include "core/call.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace mqb::core {

// What a leaf tells by itself. Delivered like completions: one at a time, in the order in which it was raised.
class event_sink {
public:
    virtual void on_state(bool connected, std::string_view cause) { (void)connected, (void)cause; }
    virtual void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) {
        (void)lanes, (void)deadline_ns, (void)token;
    }
    virtual void on_lanes_ended(std::uint64_t token) { (void)token; }
    virtual void on_count(std::string_view name, std::int64_t delta) { (void)name, (void)delta; }
    virtual void on_warning(std::string_view text) { (void)text; }
    // The connection can never be made: the configuration is wrong. The route stops with this text.
    virtual void on_bad_config(std::string_view text) { (void)text; }
    // The plugin broke a rule of the interface: the route that uses it fails with this text.
    virtual void on_misbehaviour(std::string_view text) { (void)text; }

protected:
    ~event_sink() = default;
};

// Not thread-safe: used by one route only, one call at a time.
class consumer {
public:
    virtual ~consumer() = default;

    // Again on the same object after disconnected, when nothing is in flight.
    virtual status connect(call& c) = 0;
    // One in flight at most. ok without messages: nothing now, ask again after the poll interval.
    virtual status receive(receive_call& c) = 0;
    virtual status settle(settle_call& c) = 0;
    // What was not settled comes again. No settle of this batch is in flight.
    virtual void free_batch(void* batch) = 0;
    virtual void lanes_done(std::uint64_t token) { (void)token; }
    virtual void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) { (void)lanes, (void)deadline_ns; }
    virtual status control(control_call& c) { return (void)c, status::unsupported; }
    // A request; the completion still comes, never in here. Ignored when the call is not pending.
    virtual void cancel(call& c) = 0;
    // Ends it: nothing is in flight and every batch is freed. pending while it blocks elsewhere. The destructor does not wait.
    virtual status close(call& c) = 0;
    // Where a leaf's events go; a decorator passes it on.
    virtual void listen(event_sink* sink) = 0;
};

}  // namespace mqb::core
