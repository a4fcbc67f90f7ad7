#include "host/commands/loaded_routes.hpp"

#include "host/logs/scrubber.hpp"

#include <iostream>
#include <map>
#include <set>

namespace mqb::host {

namespace {

void take_settings(const config::settings& from, config::settings& into) {
    into.plugins.insert(into.plugins.end(), from.plugins.begin(), from.plugins.end());
    if (!from.state_dir.empty()) into.state_dir = from.state_dir;
    if (!from.log_level.empty()) into.log_level = from.log_level;
    if (!from.log_format.empty()) into.log_format = from.log_format;
}

void refuse_repeated_names(const std::vector<config::route_file>& files, config::findings& to) {
    std::map<std::string, std::string> seen;  // name, file
    for (const config::route_file& file : files) {
        to.in_file(file.name);
        for (const config::route_shape& r : file.routes) {
            const auto [at, is_new] = seen.emplace(r.definition.name, file.name);
            if (!is_new) to.error(r.at, r.path, "a route of this name is in " + at->second + " already");
        }
    }
}

}  // namespace

loaded_routes load_routes(const std::vector<std::string>& names, plugin_options plugins) {
    loaded_routes out;
    std::vector<config::route_file> files;
    for (const std::string& name : names) {
        if (auto file = config::read_route_file(name, out.found, out.secrets)) files.push_back(std::move(*file));
    }
    refuse_repeated_names(files, out.found);
    std::set<std::string> endpoints, middlewares;
    for (const config::route_file& file : files) {
        take_settings(file.set, out.set);
        file.collect_names(endpoints, middlewares);
    }
    plugins.files.insert(plugins.files.end(), out.set.plugins.begin(), out.set.plugins.end());
    add_built_in(out.types);
    loading::plugin_catalogue catalogue = open_catalogue(plugins);
    look_up(endpoints, middlewares, catalogue, out.types);
    out.warnings = catalogue.warnings();
    for (const config::route_file& file : files) {
        for (config::planned_route& r : config::plan_routes(file, out.types, out.found, out.secrets)) out.routes.push_back(std::move(r));
    }
    return out;
}

bool tell_findings(const loaded_routes& loaded) {
    const scrubber clean{loaded.secrets};
    for (const std::string& text : loaded.warnings) std::cerr << "warning: " << clean.clean(text) << '\n';
    for (const config::finding& f : loaded.found.sorted()) std::cerr << clean.clean(f.line()) << '\n';
    return !loaded.found.has_errors();
}

}  // namespace mqb::host
