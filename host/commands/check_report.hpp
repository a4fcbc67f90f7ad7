// check_report: what `mqbridge check` found, for people and as JSON.
#pragma once

#include "host/commands/loaded_routes.hpp"
#include "host/logs/scrubber.hpp"

#include <string>
#include <vector>

namespace mqb::host {

// One endpoint that was connected to.
struct connect_result {
    std::string route;
    std::string path;  // "input", "output", "dead_letters.endpoint"
    std::string type;
    std::string why;  // it does not connect; empty: it does
};

// Routes that no error speaks against and that would run.
[[nodiscard]] bool is_good(const loaded_routes& loaded);
// Findings to standard error, routes to standard output.
void print_check(const loaded_routes& loaded);
void print_connects(const std::vector<connect_result>& results, const scrubber& clean);
[[nodiscard]] std::string check_json(const loaded_routes& loaded, const std::vector<connect_result>& connects);

}  // namespace mqb::host
