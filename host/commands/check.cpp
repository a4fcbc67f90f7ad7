#include "host/commands/check_connect.hpp"
#include "host/commands/check_report.hpp"
#include "host/commands/commands.hpp"

#include <algorithm>
#include <iostream>

namespace mqb::host {

int check(const check_options& options) {
    const loaded_routes loaded = load_routes(options.files, options.plugins);
    if (!options.json) print_check(loaded);
    std::vector<connect_result> connects;
    const bool is_ready = is_good(loaded);
    if (is_ready && options.connect) connects = connect_all(loaded);
    if (options.json) {
        std::cout << check_json(loaded, connects) << std::flush;
    } else {
        print_connects(connects, scrubber{loaded.secrets});
    }
    if (!is_ready) return exit_bad_input;
    return std::all_of(connects.begin(), connects.end(), [](const auto& c) { return c.why.empty(); }) ? exit_done : exit_failed;
}

}  // namespace mqb::host
