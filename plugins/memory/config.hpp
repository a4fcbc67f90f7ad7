// config: what a route file may say about a memory endpoint.
#pragma once

#include "address.hpp"

#include <mqb/sdk/option.hpp>

namespace mqb::memory {

struct config {
    std::string topic;
    std::uint32_t capacity;
    std::uint64_t capacity_bytes;
    bool ack;
    bool request_reply;
    std::uint64_t request_timeout_ms;
    bool subscribe_mode;
    std::optional<bool> enable_nack;

    static constexpr auto options() {
        using sdk::option;
        return sdk::options(
            option("topic", &config::topic)
                .alias("url")
                .required()
                .not_empty()
                .uri_path()
                .doc("`name` or `memory://name`: a channel of this process. `ipc://name`, `ipc:///path` or `unix:///path`: a socket."),
            option("capacity", &config::capacity)
                .by_default(100)
                .at_least(1)
                .uri_query()
                .doc("Batches that wait in the channel before a sender waits. Whoever connects first decides."),
            option("capacity_bytes", &config::capacity_bytes)
                .by_default("64 MiB")
                .size()
                .at_least(1)
                .doc("Bytes that wait in the channel before a sender waits. Whoever connects first decides."),
            option("ack", &config::ack)
                .by_default(false)
                .uri_query()
                .doc(
                    "On an output: a message is delivered when the reader has settled it. On an input from a socket: only senders that ask "
                    "for that are served."),
            option("request_reply", &config::request_reply)
                .by_default(false)
                .publisher_only()
                .doc("Wait for the answer of the reader. Not through a socket."),
            option("request_timeout_ms", &config::request_timeout_ms)
                .by_default(30000)
                .at_least(1)
                .publisher_only()
                .doc("How long a request waits; then it is tried again."),
            option("subscribe_mode", &config::subscribe_mode)
                .by_default(false)
                .uri_query()
                .doc("Every consumer gets everything, not one of them. The same at all endpoints of a name; not through a socket."),
            option("enable_nack", &config::enable_nack)
                .consumer_only()
                .doc("Accepted for files of others: a message that is given back always comes again."));
    }

    // Throws bad_config for what does not go together.
    void check(std::uint32_t side) const;
    address where() const { return address::of(topic); }
};

}  // namespace mqb::memory
