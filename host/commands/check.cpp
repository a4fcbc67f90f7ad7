#include "host/commands/commands.hpp"
#include "host/commands/loaded_routes.hpp"

#include <iostream>

namespace mqb::host {

int check(const check_options& options) {
    const loaded_routes loaded = load_routes(options.files, options.plugins);
    bool is_good = tell_findings(loaded);
    for (const config::planned_route& r : loaded.routes) {
        if (r.broken.empty()) continue;
        std::cerr << r.definition.name << ": " << (r.is_enabled ? "" : "warning: ") << r.broken << '\n';
        if (r.is_enabled) is_good = false;
    }
    if (!is_good) return exit_bad_input;
    std::cout << "ok\n";
    for (const config::planned_route& r : loaded.routes) {
        std::cout << r.definition.name << ": " << r.definition.input.type << " to " << r.definition.output.type;
        if (r.has) std::cout << ", " << to_text(r.has->how) << (r.has->is_ordered ? ", ordered" : "");
        std::cout << (r.is_enabled ? "" : ", disabled") << '\n';
    }
    return exit_done;
}

}  // namespace mqb::host
