#include "host/commands/run_plan.hpp"

#include "host/commands/commands.hpp"
#include "host/loading/crash_naming.hpp"
#include "host/logs/patient_write.hpp"

#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

namespace mqb::host {

namespace {

bool write_summary(const std::string& file, const std::string& text) {
    if (file == "-") return static_cast<bool>(std::cout << text << std::flush);
    std::ofstream out{file, std::ios::binary | std::ios::trunc};
    out << text << std::flush;
    return static_cast<bool>(out);
}

// The end is near: a signal must not cut the report off, nor kill the process when the supervisor takes its handlers away. Threads
// of the pool may still take one; they are gone before the handlers are.
void ignore_late_signals() {
    sigset_t late;
    sigemptyset(&late);
    sigaddset(&late, SIGTERM);
    sigaddset(&late, SIGINT);
    pthread_sigmask(SIG_BLOCK, &late, nullptr);
}

const std::string& either(const std::string& first, const std::string& second) { return first.empty() ? second : first; }

}  // namespace

int run_plan(std::vector<config::planned_route> plan, const plan_surroundings& in,
             const std::function<int(const std::vector<route_report>&)>& tell) {
    ::signal(SIGPIPE, SIG_IGN);  // a client library that writes to a closed connection gets an error instead
    loading::install_crash_naming();
    std::unique_ptr<supervisor> all;
    const auto leave = [&] {
        (void)tell(all->reports());
        std::_Exit(exit_failed);
    };
    all = std::make_unique<supervisor>(std::move(plan), in.types, in.log, leave, in.kept);
    {
        const std::shared_ptr<void> beside = in.beside ? in.beside(*all) : nullptr;
        all->run();
    }
    ignore_late_signals();
    return tell(all->reports());
}

int tell_end(const std::vector<route_report>& routes, const end_options& options, const scrubber& clean, line_logger& log) {
    int code = exit_done;
    for (const route_report& r : routes) {
        if (!r.is_clean()) code = exit_failed;
        if (r.snapshot.totals.is_exact()) continue;
        log.write(core::log_level::error, r.name, "",
                  "the ledger is not exact: received " + std::to_string(r.snapshot.totals.received) + ", accounted for " +
                      std::to_string(r.snapshot.totals.accounted()));
    }
    const bool has_dead = std::ranges::any_of(routes, [](const route_report& r) { return r.snapshot.totals.dead_lettered != 0; });
    if (code == exit_done && options.strict && has_dead) code = exit_dead_lettered;
    log.flush();
    // Whoever does not read it does not keep the program from ending.
    (void)write_within(STDERR_FILENO, table(routes, clean), std::chrono::seconds{1});
    if (!options.summary.empty() && !write_summary(options.summary, summary_json(routes, clean))) {
        std::cerr << options.summary << ": cannot be written\n";
        code = exit_failed;
    }
    return code;
}

core::log_level log_level_of(const std::string& option, const std::string& from_file) {
    const std::string& name = either(option, from_file);
    if (name == "debug") return core::log_level::debug;
    if (name == "warning") return core::log_level::warning;
    if (name == "error") return core::log_level::error;
    return core::log_level::info;
}

log_format log_format_of(const std::string& option, const std::string& from_file) {
    return either(option, from_file) == "json" ? log_format::json : log_format::human;
}

}  // namespace mqb::host
