#include "host/commands/loaded_routes.hpp"

#include "host/config/dotenv.hpp"
#include "host/logs/scrubber.hpp"

#include <algorithm>
#include <iostream>
#include <set>

namespace mqb::host {

namespace {

// A file may be empty beside others; to run nothing at all and call it done would hide a file that was lost.
void refuse_no_routes(const config::route_set& set, config::findings& to) {
    const auto has_none = [](const config::route_file& file) { return file.routes.empty(); };
    if (to.has_errors() || set.files.empty() || !std::ranges::all_of(set.files, has_none)) return;
    to.in_file(set.files.front().name);
    to.error({}, "", std::string{"no routes in it"} + (set.files.size() == 1 ? "" : ", nor in the other files") + ": nothing would run");
}

}  // namespace

loaded_routes load_routes(const std::vector<std::string>& names, plugin_options plugins) {
    loaded_routes out;
    config::environment variables = config::process_environment();
    config::read_dotenv_file(".env", variables, out.found);
    const config::route_set set = config::read_route_set(names, variables, out.found, out.secrets);
    refuse_no_routes(set, out.found);
    out.set = set.all_settings();
    plugins.files.insert(plugins.files.end(), out.set.plugins.begin(), out.set.plugins.end());
    add_built_in(out.types);
    loading::plugin_catalogue catalogue = open_catalogue(plugins);
    // Each round knows the types of one more level of endpoints in endpoints.
    while (true) {
        std::set<std::string> endpoints, middlewares;
        set.collect_names(out.types, endpoints, middlewares);
        if (endpoints.empty() && middlewares.empty()) break;
        look_up(endpoints, middlewares, catalogue, out.types);
    }
    out.warnings = catalogue.warnings();
    out.routes = config::plan_routes(set, out.types, out.found, out.secrets);
    return out;
}

bool tell_findings(const loaded_routes& loaded) {
    const scrubber clean{loaded.secrets};
    for (const std::string& text : loaded.warnings) std::cerr << "warning: " << clean.clean(text) << '\n';
    for (const config::finding& f : loaded.found.sorted()) std::cerr << clean.clean(f.line()) << '\n';
    return !loaded.found.has_errors();
}

}  // namespace mqb::host
