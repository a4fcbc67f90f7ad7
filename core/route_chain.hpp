// route_chain: the endpoints and middlewares of one route, made and wired.
#pragma once

#include "core/chain_links.hpp"
#include "core/ledger.hpp"
#include "core/reconnecting_consumer.hpp"
#include "core/reconnecting_publisher.hpp"
#include "core/route.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

// What a chain is made with. The references are those of whoever runs it, a route or one of its workers, and outlive it.
struct chain_parts {
    const route_definition& definition;
    const CustomEndpointFactory& endpoints;
    const CustomMiddlewareFactory& middlewares;
    logger& log;
    mailbox& box;
    timers& clock;
    ledger_counters& counters;
    chain_links* links = nullptr;  // null: nested endpoints are in no list
    const instance_directories* directories = nullptr;
    std::size_t worker = 0;  // of several
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
    promises leaf_promises;
    promises top_promises;
    [[nodiscard]] publisher& top() const { return middlewares.empty() ? static_cast<publisher&>(*link) : *middlewares.back(); }
};

// What was made, also where something could not be: the caller closes it, outermost first, before it gives it up. Without a
// link there is nothing to close.
template <class Chain>
struct made {
    Chain chain;
    std::optional<failure> why;

    explicit operator bool() const noexcept { return !why; }
    [[nodiscard]] Chain& operator*() noexcept { return chain; }
    [[nodiscard]] const failure& error() const noexcept { return *why; }
};
using made_input = made<input_chain>;
using made_output = made<output_chain>;

boost::asio::awaitable<made_input> make_input(chain_parts parts);
boost::asio::awaitable<made_output> make_output(chain_parts parts);

// The leaf of an endpoint, which keeps itself connected.
boost::asio::awaitable<result<std::unique_ptr<reconnecting_consumer>>> make_input_link(chain_parts parts, const endpoint_definition& e);
boost::asio::awaitable<result<std::unique_ptr<reconnecting_publisher>>> make_output_link(chain_parts parts, const endpoint_definition& e);

// The middlewares of an endpoint over a base that promises `inner`, innermost first. What is made is in `into` also after a
// failure. The answer: what the whole promises.
boost::asio::awaitable<result<promises>> wrap_input(chain_parts parts, const endpoint_definition& e, promises inner, consumer& base,
                                                    std::vector<std::unique_ptr<consumer>>& into);
boost::asio::awaitable<result<promises>> wrap_output(chain_parts parts, const endpoint_definition& e, promises inner, publisher& base,
                                                     std::vector<std::unique_ptr<publisher>>& into);

struct promised_chain {
    promises leaf;
    promises top;
};

// What the endpoint at `where` among these promises, with its middlewares. `path`: of the configuration that they stand in.
[[nodiscard]] result<promises> promise_of_nested(const std::vector<nested_definition>& all, const std::string& path, std::string_view where,
                                                 side which, const CustomEndpointFactory& endpoints,
                                                 const CustomMiddlewareFactory& middlewares);

// As promises_of, for one endpoint with its middlewares.
[[nodiscard]] result<promised_chain> promise_of_chain(const endpoint_definition& e, side which, const CustomEndpointFactory& endpoints,
                                                      const CustomMiddlewareFactory& middlewares);

}  // namespace mqb::core
