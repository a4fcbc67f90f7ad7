// guarantee: what a route promises as a whole, computed from the promises of every link of its two chains, and which link weakens it.
#pragma once

#include "core/promises.hpp"
#include "core/route.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

enum class delivery { at_most_once, at_least_once, effectively_once };

// An endpoint or a middleware, and what is promised from there on outward.
struct chain_link {
    std::string name;  // "output.file", "output.middlewares[0].retry"
    core::promises has;
};
// From the transport towards the route; never empty.
using chain_promises = std::vector<chain_link>;

struct guarantee {
    delivery how = delivery::at_most_once;
    std::string weakness;  // the link that keeps it from being more, in words; empty for effectively once
    bool is_ordered = false;
    std::string disorder;    // the same for the order; empty if it is kept
    bool is_by_key = false;  // it is kept among the messages of one value of order_by

    // "at least once (output.file does not recognise a message that comes again), ordered"
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::string_view to_text(delivery how) noexcept;
// `route`: whose chains these are.
[[nodiscard]] guarantee guarantee_of(const chain_promises& input, const chain_promises& output, const core::route_definition& route);
// Why a route with this guarantee has not what `wanted` asks for; empty if it has.
[[nodiscard]] std::string shortfall(std::string_view wanted, const guarantee& has);

}  // namespace mqb::config
