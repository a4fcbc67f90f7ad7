// branch: one of the endpoints that an endpoint passes messages on to.
#pragma once

#include "core/publisher.hpp"
#include "core/registry.hpp"
#include "core/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

struct branch {
    std::string path;  // in the route file: "output.fanout[1]"
    std::unique_ptr<publisher> to;

    // "output.fanout[1]: the disk is full"
    [[nodiscard]] std::string placed(std::string_view text) const { return path + ": " + std::string{text}; }
};

// What is nested in the configuration of one endpoint, in its order. What was made before one that cannot be made is closed again.
boost::asio::awaitable<result<std::vector<branch>>> make_branches(instance_context context);

// What remains of the promises of branches that get what one endpoint gets: each message one of them, or all.
[[nodiscard]] result<promises> promise_of_branches(const nested_promises& all);

}  // namespace mqb::core
