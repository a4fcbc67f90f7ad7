// type_lookup: opens what the names in route files need, ours and those of plugins.
#pragma once

#include "host/config/known_types.hpp"
#include "host/loading/catalogue.hpp"

#include <set>
#include <string>
#include <vector>

namespace mqb::host {

// What the command line says about plugins.
struct plugin_options {
    std::vector<std::string> dirs;
    std::vector<std::string> files;
};

[[nodiscard]] loading::plugin_catalogue open_catalogue(const plugin_options& options);
// The endpoints that need no plugin.
void add_built_in(config::known_types& to);
// Looks every name up; what is missing or broken is noted there.
void look_up(const std::set<std::string>& endpoints, const std::set<std::string>& middlewares, loading::plugin_catalogue& in,
             config::known_types& to);

}  // namespace mqb::host
