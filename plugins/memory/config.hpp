// config: what a route file may say about a memory endpoint.
#pragma once

#include <mqb/sdk/option.hpp>

namespace mqb::memory {

struct config {
    std::string topic;
    std::uint32_t capacity;
    std::uint64_t capacity_bytes;
    bool request_reply;
    std::uint64_t request_timeout_ms;
    bool subscribe_mode;
    bool enable_nack;

    static constexpr auto options() {
        using sdk::option;
        return sdk::options(option("topic", &config::topic)
                                .alias("url")
                                .required()
                                .not_empty()
                                .uri_path()
                                .doc("Name of the channel: `name` or `memory://name`."),
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
                            option("request_reply", &config::request_reply)
                                .by_default(false)
                                .publisher_only()
                                .doc("Wait for the answer of the consumer. Not supported by this version."),
                            option("request_timeout_ms", &config::request_timeout_ms)
                                .by_default(30000)
                                .publisher_only()
                                .doc("How long a request waits. Without meaning as long as `request_reply` is not supported."),
                            option("subscribe_mode", &config::subscribe_mode)
                                .by_default(false)
                                .uri_query()
                                .doc("Every consumer gets everything. Not supported by this version."),
                            option("enable_nack", &config::enable_nack)
                                .by_default(false)
                                .consumer_only()
                                .doc("Accepted for files of others: a message that is given back always comes again."));
    }

    // Throws bad_config for the forms and fields that this version does not have.
    void check(std::uint32_t side) const;
    // The name without its scheme.
    std::string_view channel_name() const;
};

}  // namespace mqb::memory
