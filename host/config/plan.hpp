// plan: the routes of a set of files after every check, ready to be run.
#pragma once

#include "host/config/finding.hpp"
#include "host/config/guarantee.hpp"
#include "host/config/known_types.hpp"
#include "host/config/route_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mqb::config {

struct planned_route {
    core::route_definition definition;
    bool is_enabled = true;
    std::string broken;  // a plugin that it needs cannot be used, and why; then it fails without a start
    std::optional<guarantee> has;
};

// Tells every error that is left: unknown types, configurations, promises. The answer means something without errors only.
[[nodiscard]] std::vector<planned_route> plan_routes(const route_set& set, const known_types& types, findings& to,
                                                     std::vector<std::string>& secrets);

}  // namespace mqb::config
