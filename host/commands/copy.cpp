#include "host/commands/copy.hpp"

#include "host/commands/copy_meter.hpp"
#include "host/commands/copy_plan.hpp"
#include "host/commands/copy_progress.hpp"
#include "host/commands/run_plan.hpp"
#include "host/terminal.hpp"

#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace mqb::host {

namespace {

using clock = std::chrono::steady_clock;
constexpr auto pace = std::chrono::milliseconds{100};
constexpr unsigned looks_between_questions = 5;  // to the source, how much is left

// Shows how far the copy is, and ends it when nothing has come for so long.
class copy_watch {
public:
    copy_watch(supervisor& all, const copy_meter& meter, progress_line& line, std::optional<double> wait)
        : all_(all), meter_(meter), line_(line), wait_(wait), timer_(all.control()) {
        look_again();
    }

private:
    void look_again() {
        timer_.expires_after(pace);
        timer_.async_wait([this](const boost::system::error_code& failed) {
            if (!failed) look();
        });
    }
    void look() {
        const clock::time_point now = clock::now();
        const std::uint64_t messages = meter_.messages.load(std::memory_order_relaxed);
        const std::vector<route_report> routes = all_.reports();
        const auto left = routes.empty() ? std::nullopt : routes.front().snapshot.lag;
        line_.show(rate_.line(messages, meter_.payload_bytes.load(std::memory_order_relaxed), now - began_) + left_text(left));
        if (line_.is_shown() && looks_++ % looks_between_questions == 0) all_.ask_lags([] {});
        const bool is_idle = !routes.empty() && routes.front().snapshot.state == core::route_state::running &&
                             routes.front().snapshot.totals.in_flight == 0 && messages == messages_;
        if (!is_idle) last_ = now;
        messages_ = messages;
        if (wait_ && std::chrono::duration<double>{now - last_}.count() >= *wait_) return all_.stop_all();
        look_again();
    }

    supervisor& all_;
    const copy_meter& meter_;
    progress_line& line_;
    std::optional<double> wait_;
    copy_rate rate_;
    std::uint64_t messages_ = 0;
    unsigned looks_ = 0;
    clock::time_point began_ = clock::now();
    clock::time_point last_ = began_;
    boost::asio::steady_timer timer_;
};

std::string result_text(const core::route_snapshot& s) {
    char text[160];
    const double rate = s.seconds > 0 ? static_cast<double>(s.totals.delivered) / s.seconds : 0;
    std::snprintf(text, sizeof text, "copied %llu messages in %.3f s (%.0f messages/s)\n",
                  static_cast<unsigned long long>(s.totals.delivered), s.seconds, rate);
    return text;
}

// The metered source stands in the place of the plain one.
config::known_types with_meter(const config::known_types& from, const std::string& input, copy_meter& meter) {
    config::known_types out;
    for (const std::string& name : from.endpoints.names()) {
        const auto factory = from.endpoints.find(name);
        out.endpoints.add(name, name == input ? metered(factory, meter) : factory);
    }
    out.middlewares = from.middlewares;
    return out;
}

int run_copy(std::vector<config::planned_route> plan, const config::known_types& known, const copy_options& options, const scrubber& clean,
             const host_state* kept) {
    const core::route_definition& route = plan.front().definition;
    const bool is_data_on_output = is_to_standard_output(route.output);
    copy_meter meter;
    meter.limit = options.limit;
    const config::known_types types = with_meter(known, route.input.type, meter);
    line_logger lines{STDERR_FILENO, log_level_of(options.log_level, "warning"), log_format_of(options.log_format, "")};
    lines.set_scrubber(clean);
    progress_line progress{STDERR_FILENO, !options.quiet && !is_data_on_output && is_terminal(STDERR_FILENO), lines};
    const auto watch = [&](supervisor& all) { return std::make_shared<copy_watch>(all, meter, progress, options.wait); };
    return run_plan(std::move(plan), {types, progress, kept, watch}, [&](const std::vector<route_report>& routes) {
        progress.clear();
        const int code = tell_end(routes, {options.summary, options.strict}, clean, lines);
        (is_data_on_output || options.summary == "-" ? std::cerr : std::cout) << result_text(routes.front().snapshot) << std::flush;
        return code;
    });
}

int refuse(const std::string& text, int code = exit_bad_input) {
    std::cerr << "copy: " << text << '\n';
    return code;
}

}  // namespace

int copy(const copy_options& options) {
    loaded_routes loaded = plan_copy(options);
    if (!tell_findings(loaded) || loaded.routes.empty()) return exit_bad_input;
    config::planned_route& route = loaded.routes.front();
    const scrubber clean{loaded.secrets};
    if (!route.broken.empty()) return refuse(clean.clean(route.broken), exit_failed);
    if (options.summary == "-" && is_to_standard_output(route.definition.output))
        return refuse("--summary - and the target both write to standard output");
    if (const auto why = why_no_summary(options.summary)) return refuse(*why);
    route.definition.drain = options.drain;
    if (options.state_dir.empty()) return run_copy(std::move(loaded.routes), loaded.types, options, clean, nullptr);
    const auto kept = open_host_state(options.state_dir, clean);
    if (!kept) return refuse(clean.clean(kept.error().text));
    return run_copy(std::move(loaded.routes), loaded.types, options, clean, &*kept);
}

}  // namespace mqb::host
