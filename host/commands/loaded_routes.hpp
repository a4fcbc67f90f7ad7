// loaded_routes: route files read, their plugins opened and everything checked.
#pragma once

#include "host/config/plan.hpp"
#include "host/plugins/type_lookup.hpp"

#include <string>
#include <vector>

namespace mqb::host {

struct loaded_routes {
    config::known_types types;
    std::vector<config::planned_route> routes;
    config::settings set;  // of all files, the last one wins
    config::findings found;
    std::vector<std::string> secrets;
    std::vector<std::string> warnings;  // of the search for plugins
};

[[nodiscard]] loaded_routes load_routes(const std::vector<std::string>& files, plugin_options plugins);
// Prints what was found; true if there was no error.
[[nodiscard]] bool tell_findings(const loaded_routes& loaded);

}  // namespace mqb::host
