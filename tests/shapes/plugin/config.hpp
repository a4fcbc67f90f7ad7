// config: what a route file may say about an endpoint of a shape.
#pragma once

#include "../broker/wire.hpp"

#include <mqb/sdk.hpp>

namespace mqb::shapes {

enum class shape : std::uint8_t { message, prefix, gated, replying, batch, lease, plain, one_at_a_time, pipelined, ordered, idempotent };

struct config {
    std::string socket;
    std::string queue;
    shape kind;
    std::uint32_t lanes;
    bool async;
    bool finite;
    bool responds;
    bool extends;
    std::uint32_t lease_ms;
    std::uint32_t max_unsettled_messages;
    std::uint32_t max_unsettled_batches;

    static constexpr auto options() {
        using sdk::option;
        return sdk::options(
            option("socket", &config::socket).by_default("").doc("The socket of the broker; empty: the one in MQB_SHAPE_SOCKET."),
            option("queue", &config::queue).required().not_empty().doc("The queue at the broker."),
            option("shape", &config::kind)
                .required()
                .value("message", shape::message)
                .value("prefix", shape::prefix)
                .value("gated", shape::gated)
                .value("replying", shape::replying)
                .value("batch", shape::batch)
                .value("lease", shape::lease)
                .value("plain", shape::plain)
                .value("one_at_a_time", shape::one_at_a_time)
                .value("pipelined", shape::pipelined)
                .value("ordered", shape::ordered)
                .value("idempotent", shape::idempotent)
                .doc("What is awkward about it. The factories `shape` and `shape_blocking` have different ones."),
            option("lanes", &config::lanes).by_default(1).at_least(1).at_most(1024).doc("Partitions that the queue has at least."),
            option("async", &config::async)
                .by_default(true)
                .consumer_only()
                .doc("Shape `message`: settles are confirmed, on another thread. Without: they are written, and answered at once."),
            option("finite", &config::finite).by_default(false).consumer_only().doc("END when everything in the queue is settled."),
            option("responds", &config::responds).by_default(false).publisher_only().doc("Factory `shape`: hand responses on."),
            option("extends", &config::extends).by_default(true).consumer_only().doc("Shape `lease`: extend leases in time."),
            option("lease_ms", &config::lease_ms).by_default(1000).at_least(1).consumer_only().doc("How long a lease lasts."),
            option("max_unsettled_messages", &config::max_unsettled_messages).by_default(0).consumer_only().doc("0: no limit."),
            option("max_unsettled_batches", &config::max_unsettled_batches).by_default(0).consumer_only().doc("0: no limit."));
    }

    std::string socket_path() const;
    // The frame with which a connection begins.
    std::string hello(std::uint64_t tag) const;
    bool is_one_of(std::initializer_list<shape> known) const;
    // Throws bad_config.
    [[noreturn]] void refuse_shape(std::string_view factory, std::string_view side) const;
};

}  // namespace mqb::shapes
