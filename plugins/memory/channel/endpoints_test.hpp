// endpoints_test: memory endpoints as a host has them, for the tests of channels.
#pragma once

#include "../consumer.hpp"
#include "../publisher.hpp"

#include <mqb/sdk/testing/handles.hpp>

#include <doctest/doctest.h>

namespace mqb::memory::testing {

namespace host = mqb::sdk::testing;

inline const mqb_factory& memory() { return sdk::offer_endpoint<"memory", config, consumer, publisher>::factory; }

inline std::vector<mqb_message> messages(std::initializer_list<std::string_view> payloads) {
    std::vector<mqb_message> all;
    for (const std::string_view payload : payloads) all.push_back(host::message_of(payload));
    return all;
}

inline std::string payloads(host::receiving& call) {
    std::string all;
    for (std::uint32_t i = 0; i < call.size(); ++i) all += (i ? "," : "") + call.payload(i);
    return all;
}

struct connected_consumer : host::consumer {
    explicit connected_consumer(const std::string& config) : host::consumer(memory(), config) {
        REQUIRE(connect() == sdk::status::done);
        host.advance(std::chrono::seconds(1));  // subscribers gather first
    }
    // What is there, settled.
    std::string take(std::uint32_t most = 100) {
        auto got = receive(most);
        std::string all = payloads(*got);
        settle_all(*got);
        free_batch(*got);
        return all;
    }
};

struct connected_publisher : host::publisher {
    explicit connected_publisher(const std::string& config) : host::publisher(memory(), config) { REQUIRE(connect() == sdk::status::done); }
};

// Both ends of one channel.
struct ends {
    connected_consumer reader;
    connected_publisher writer;
    explicit ends(const std::string& config) : reader(config), writer(config) {}
};

}  // namespace mqb::memory::testing
