// nested: endpoints that stand inside the configuration of another endpoint or a middleware, each with middlewares of its own.
#pragma once

#include "core/promises.hpp"
#include "core/publisher.hpp"
#include "core/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

enum side : std::uint32_t { consumer_side = 1, publisher_side = 2 };

// What the nested endpoints of one configuration promise. `where` is a JSON pointer into the configuration: "/endpoint", "/cases/a",
// "/0". In the configuration itself null stands there.
class nested_promises {
public:
    virtual ~nested_promises() = default;
    // In the order of the configuration.
    [[nodiscard]] virtual std::vector<std::string> all() const = 0;
    [[nodiscard]] virtual result<promises> promise(std::string_view where, side which) const = 0;
};

// Makes them. What is made keeps itself connected and belongs to the caller, who connects, uses and closes it like a leaf.
class nested_endpoints : public nested_promises {
public:
    // In the route file: "output.fanout[0]"; empty: there is none.
    [[nodiscard]] virtual std::string path(std::string_view where) const = 0;
    virtual boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(std::string where) = 0;
    virtual boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(std::string where) = 0;
};

}  // namespace mqb::core
