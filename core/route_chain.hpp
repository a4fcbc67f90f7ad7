// route_chain: the endpoints and middlewares of one route, made and wired.
#pragma once

#include "core/ledger.hpp"
#include "core/reconnecting_consumer.hpp"
#include "core/reconnecting_publisher.hpp"
#include "core/route.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace mqb::core {

// What a chain is made with; the references are those of the route.
struct chain_parts {
    const route_definition& definition;
    const CustomEndpointFactory& endpoints;
    const CustomMiddlewareFactory& middlewares;
    logger& log;
    mailbox& box;
    timers& clock;
    ledger_counters& counters;
};

// Leaf, connection, ledger, then the middlewares from the bottom of their list up.
struct input_chain {
    reconnecting_consumer* link = nullptr;
    std::unique_ptr<ledger> book;
    std::vector<std::unique_ptr<consumer>> middlewares;  // innermost first
    promises leaf;
    [[nodiscard]] consumer& top() const { return middlewares.empty() ? static_cast<consumer&>(*book) : *middlewares.back(); }
};

struct output_chain {
    std::unique_ptr<reconnecting_publisher> link;
    std::vector<std::unique_ptr<publisher>> middlewares;  // innermost first
    promises top_promises;
    [[nodiscard]] publisher& top() const { return middlewares.empty() ? static_cast<publisher&>(*link) : *middlewares.back(); }
};

boost::asio::awaitable<result<input_chain>> make_input(chain_parts parts);
boost::asio::awaitable<result<output_chain>> make_output(chain_parts parts);

}  // namespace mqb::core
