#include "host/commands/run_plan.hpp"

#include "host/commands/commands.hpp"
#include "host/loading/crash_naming.hpp"
#include "host/loading/signal_guard.hpp"
#include "host/logs/patient_write.hpp"

#include <boost/asio/signal_set.hpp>

#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
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
    sigaddset(&late, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &late, nullptr);
}

// What would end the process with messages in flight, and is an error of a call or nothing at all instead.
void ignore_signals() {
    ::signal(SIGPIPE, SIG_IGN);  // a client library that writes to a closed connection gets an error
    ::signal(SIGXFSZ, SIG_IGN);  // and so does a write beyond the limit of a file's size
    ::signal(SIGUSR1, SIG_IGN);
    ::signal(SIGUSR2, SIG_IGN);
}

// While it lives, a lost terminal stops all routes in order; where SIGHUP was ignored from the start (nohup), it still is. It comes more
// than once, from the shell and from the terminal: so behind another signal it changes nothing.
class hangup {
public:
    hangup(supervisor& all, core::logger& log) : all_(all), log_(log), signals_(all.control()) {
        struct sigaction now {};
        if (::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) return;
        signals_.add(SIGHUP);
        guard_.emplace(SIGHUP);
        wait();
    }

private:
    void wait() {
        signals_.async_wait([this](const boost::system::error_code& failed, int) {
            if (failed) return;
            if (!has_come_) {
                log_.write(core::log_level::info, "", "", "SIGHUP: stopping");
                all_.stop_all();
            }
            has_come_ = true;
            wait();
        });
    }

    supervisor& all_;
    core::logger& log_;
    boost::asio::signal_set signals_;
    std::optional<loading::signal_guard> guard_;
    bool has_come_ = false;
};

const std::string& either(const std::string& first, const std::string& second) { return first.empty() ? second : first; }

}  // namespace

int run_plan(std::vector<config::planned_route> plan, const plan_surroundings& in,
             const std::function<int(const std::vector<route_report>&)>& tell) {
    ignore_signals();
    loading::install_crash_naming();
    std::unique_ptr<supervisor> all;
    const auto leave = [&] {
        (void)tell(all->reports());
        std::_Exit(exit_failed);
    };
    all = std::make_unique<supervisor>(std::move(plan), in.types, in.log, leave, in.kept);
    const hangup lost_terminal{*all, in.log};
    {
        const std::shared_ptr<void> beside = in.beside ? in.beside(*all) : nullptr;
        all->run();
    }
    ignore_late_signals();
    return tell(all->reports());
}

std::optional<std::string> why_no_summary(const std::string& file) {
    if (file.empty() || file == "-") return std::nullopt;
    std::error_code failed;
    const std::filesystem::path path{file};
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
    if (std::filesystem::is_directory(path, failed)) return "--summary " + file + ": is a directory";
    const bool is_there = std::filesystem::exists(path, failed);
    if (is_there ? ::access(path.c_str(), W_OK) == 0 : ::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
    return "--summary " + file + ": cannot be written: " + std::generic_category().message(errno);
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
