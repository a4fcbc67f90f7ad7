#include "host/commands/schema.hpp"

#include "host/commands/commands.hpp"
#include "host/config/json_schema.hpp"

#include <fstream>
#include <iostream>

namespace mqb::host {

namespace {

// What every plugin offers that can be opened; the others are named.
config::known_types all_types(const plugin_options& options) {
    config::known_types out;
    add_built_in(out);
    loading::plugin_catalogue catalogue = open_catalogue(options);
    std::set<std::string> endpoints, middlewares;
    for (const loading::catalogue_entry& e : catalogue.list(false)) {
        if (e.state == loading::file_state::unusable) std::cerr << "warning: " << e.file.string() << " is left out: " << e.why << '\n';
        if (e.state != loading::file_state::ok) continue;
        for (const loading::offer& o : e.offers) {
            if (o.kind == loading::offer_kind::endpoint) endpoints.insert(o.name);
            if (o.kind == loading::offer_kind::middleware) middlewares.insert(o.name);
        }
    }
    look_up(endpoints, middlewares, catalogue, out);
    for (const std::string& text : catalogue.warnings()) std::cerr << "warning: " << text << '\n';
    for (const auto* broken : {&out.broken_endpoints, &out.broken_middlewares})
        for (const auto& [name, why] : *broken) std::cerr << "warning: \"" << name << "\" is left out: " << why << '\n';
    return out;
}

}  // namespace

int print_schema(const schema_options& options) {
    const std::string text = config::json_schema(all_types(options.plugins)) + '\n';
    if (options.output.empty() || options.output == "-") return std::cout << text << std::flush ? exit_done : exit_failed;
    std::ofstream out{options.output, std::ios::binary | std::ios::trunc};
    if (out << text << std::flush) return exit_done;
    std::cerr << options.output << ": cannot be written\n";
    return exit_failed;
}

}  // namespace mqb::host
