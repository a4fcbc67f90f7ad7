// run_plan: runs planned routes to their ends, whichever command wants that, and tells what became of them.
#pragma once

#include "host/commands/loaded_routes.hpp"
#include "host/logs/line_logger.hpp"
#include "host/routes/supervisor.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mqb::host {

struct plan_surroundings {
    const config::known_types& types;
    core::logger& log;
    const host_state* kept = nullptr;  // null: nothing is kept, and there are no dead letters
    // Makes what is to live as long as the routes run, such as the door for an operator's requests; may be empty.
    std::function<std::shared_ptr<void>(supervisor&)> beside = {};
};

// `tell` says what became of the routes and answers the exit code. It is called once, also where the process has to leave with some
// of them still inside a plugin; then this does not return.
[[nodiscard]] int run_plan(std::vector<config::planned_route> plan, const plan_surroundings& in,
                           const std::function<int(const std::vector<route_report>&)>& tell);

struct end_options {
    std::string summary;  // a file; "-": standard output; empty: none
    bool strict = false;  // dead letters have an exit code of their own
};
// Before anything starts: whether the summary can be written at the end, and if not, why.
[[nodiscard]] std::optional<std::string> why_no_summary(const std::string& file);

// What `run` says at the end: a table on standard error, and the summary.
[[nodiscard]] int tell_end(const std::vector<route_report>& routes, const end_options& options, const scrubber& clean, line_logger& log);

// Of the option where it is given, else of the file, else the default.
[[nodiscard]] core::log_level log_level_of(const std::string& option, const std::string& from_file);
[[nodiscard]] log_format log_format_of(const std::string& option, const std::string& from_file);

}  // namespace mqb::host
