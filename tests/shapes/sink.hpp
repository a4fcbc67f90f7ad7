// sink: a fake publisher with the awkward shapes of real ones: pipelined confirms out of order, ordered, ordered-retry,
// idempotent, responding.
#pragma once

#include "core/promises.hpp"
#include "core/publisher.hpp"
#include "tests/shapes/fake_endpoint.hpp"
#include "tests/shapes/queue_store.hpp"

#include <functional>
#include <string>

namespace mqb::shapes {

struct sink_shape {
    std::string name;
    std::uint32_t flags = 0;        // promises
    std::uint32_t send_window = 8;  // of the route
    answers how = answers::at_once;
    std::uint32_t responses = 1;  // to each message; a second one says so

    [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

// The shapes by name: pipelined, ordered, ordered-retry, idempotent, responding.
[[nodiscard]] std::vector<sink_shape> all_sinks(answers how);
[[nodiscard]] sink_shape sink_named(std::string_view name, answers how);

[[nodiscard]] identity identity_of(const core::message& m);

class sink final : public core::publisher, public fake_endpoint {
public:
    sink(surroundings around, sink_shape shape, sink_store& store);

    core::status connect(core::call& c) override { return start_connect(c); }
    core::status send(core::send_call& c) override;
    void cancel(core::call& c) override { cancel_call(c); }
    core::status control(core::control_call& c) override { return on_control ? on_control(c) : core::status::unsupported; }
    core::status close(core::call& c) override { return start_close(c); }
    void listen(core::event_sink*) override {}
    std::function<core::status(core::control_call&)> on_control;

private:
    core::status carry_out(operation& op) override;
    void begun(operation& op) override;
    [[nodiscard]] bool is_in_order() const override { return shape_.has(core::promises::ordered); }
    void decide(operation& op);
    core::send_result decide_one(const operation& op, std::uint32_t k, bool cut_off);
    void arrive(const core::message& m);
    void respond(core::send_call& c, std::uint32_t k);

    sink_shape shape_;
    sink_store& store_;
    std::multimap<std::uint64_t, const operation*> blocked_;  // ordered-retry: lanes whose later messages come back unsent
};

}  // namespace mqb::shapes
