#include "host/commands/commands.hpp"
#include "host/commands/loaded_routes.hpp"
#include "host/loading/crash_naming.hpp"
#include "host/logs/line_logger.hpp"
#include "host/routes/supervisor.hpp"

#include <signal.h>
#include <unistd.h>
#include <fstream>
#include <iostream>

namespace mqb::host {

namespace {

core::log_level level_of(const std::string& name) {
    if (name == "debug") return core::log_level::debug;
    if (name == "warning") return core::log_level::warning;
    if (name == "error") return core::log_level::error;
    return core::log_level::info;
}

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

// Tells what became of every message; the answer is the exit code.
int tell(const std::vector<route_report>& routes, const run_options& options, const scrubber& clean, line_logger& log) {
    int code = exit_done;
    for (const route_report& r : routes) {
        if (!r.is_clean()) code = exit_failed;
        if (r.snapshot.totals.is_exact()) continue;
        log.write(core::log_level::error, r.name, "",
                  "the ledger is not exact: received " + std::to_string(r.snapshot.totals.received) + ", accounted for " +
                      std::to_string(r.snapshot.totals.accounted()));
    }
    log.flush();
    std::cerr << table(routes, clean) << std::flush;
    if (!options.summary.empty() && !write_summary(options.summary, summary_json(routes, clean))) {
        std::cerr << options.summary << ": cannot be written\n";
        code = exit_failed;
    }
    return code;
}

}  // namespace

int run(const run_options& options) {
    loaded_routes loaded = load_routes(options.files, options.plugins);
    if (!tell_findings(loaded)) return exit_bad_input;
    const auto or_else = [](const std::string& first, const std::string& second) { return first.empty() ? second : first; };
    line_logger log{STDERR_FILENO, level_of(or_else(options.log_level, loaded.set.log_level)),
                    or_else(options.log_format, loaded.set.log_format) == "json" ? log_format::json : log_format::human};
    const scrubber clean{loaded.secrets};
    log.set_scrubber(clean);
    for (config::planned_route& r : loaded.routes) r.definition.drain = r.definition.drain || options.drain;

    ::signal(SIGPIPE, SIG_IGN);  // a client library that writes to a closed connection gets an error instead
    loading::install_crash_naming();
    std::unique_ptr<supervisor> all;
    const auto leave = [&] {
        (void)tell(all->reports(), options, clean, log);
        std::_Exit(exit_failed);
    };
    all = std::make_unique<supervisor>(std::move(loaded.routes), loaded.types, log, leave);
    all->run();
    ignore_late_signals();
    return tell(all->reports(), options, clean, log);
}

}  // namespace mqb::host
