// nested_chain: the endpoints inside one configuration, made as the ends of a route are: leaf, connection, middlewares.
#pragma once

#include "core/route_chain.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

// Null where there are none. `path`: of the configuration, for texts. The definitions and what `parts` refers to outlive it and
// all that it makes.
//
// One made object is a whole chain: connect begins at the leaf, close at the outermost middleware, each as one call; events come
// with the path of the endpoint in their texts. A nested input has no ledger: what is settled goes through that of the route.
[[nodiscard]] std::shared_ptr<nested_endpoints> nested_of(const chain_parts& parts, const std::string& path,
                                                          const std::vector<nested_definition>& all);

// For whoever gives up half-way through making: closes what is not in use and waits for it, delivering mail meanwhile.
boost::asio::awaitable<void> close_unused(mailbox& box, std::unique_ptr<publisher> what);
boost::asio::awaitable<void> close_unused(mailbox& box, std::unique_ptr<consumer> what);

}  // namespace mqb::core
