#include "host/admin/host_requests.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/run_plan.hpp"
#include "host/commands/state_option.hpp"

#include <unistd.h>
#include <chrono>
#include <iostream>
#include <optional>
#include <utility>

namespace mqb::host {

namespace {

// Where an operator's requests come in.
struct operator_door {
    operator_door(supervisor& all, const scrubber& clean)
        : requests(all, clean, {::getpid(), MQB_VERSION, std::chrono::system_clock::now()}) {}
    admin::host_requests requests;
    std::unique_ptr<admin::server> server;
};

// Messages are worth more than the status: a file system without sockets is told and no more.
std::shared_ptr<void> open_door(supervisor& all, const host_state& kept, const scrubber& clean, core::logger& log) {
    auto out = std::make_shared<operator_door>(all, clean);
    auto opened = admin::server::open(all.control(), kept.directory.socket_file(), out->requests);
    if (!opened) {
        log.write(core::log_level::warning, "", "", opened.error().text + "; status, pause, resume and dlq replay cannot reach this host");
        return nullptr;
    }
    out->server = std::move(*opened);
    return out;
}

}  // namespace

int run(const run_options& options) {
    loaded_routes loaded = load_routes(options.files, options.plugins);
    if (!tell_findings(loaded)) return exit_bad_input;
    if (const auto why = why_no_summary(options.summary)) {
        std::cerr << "mqbridge run: " << *why << '\n';
        return exit_bad_input;
    }
    const scrubber clean{loaded.secrets};
    core::result<host_state> kept = core::failure{};
    if (const auto place = find_state_directory(options.state_dir, loaded.set.state_dir))
        kept = open_host_state(*place, clean);
    else
        kept = place.error();
    if (!kept) {
        std::cerr << "mqbridge run: " << clean.clean(kept.error().text) << '\n';
        return exit_bad_input;
    }
    line_logger log{STDERR_FILENO, log_level_of(options.log_level, loaded.set.log_level),
                    log_format_of(options.log_format, loaded.set.log_format)};
    log.set_scrubber(clean);
    for (config::planned_route& r : loaded.routes) r.definition.drain = r.definition.drain || options.drain;
    const plan_surroundings in{loaded.types, log, &*kept, [&](supervisor& all) { return open_door(all, *kept, clean, log); }};
    return run_plan(std::move(loaded.routes), in, [&](const std::vector<route_report>& routes) {
        return tell_end(routes, {options.summary, options.strict}, clean, log);
    });
}

}  // namespace mqb::host
