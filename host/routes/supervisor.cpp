#include "host/routes/supervisor.hpp"

#include "host/loading/signal_guard.hpp"
#include "host/loading/watchdog.hpp"
#include "host/routes/replay.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <csignal>
#include <thread>

namespace mqb::host {

namespace {

// What a route itself may need to notice that its time is over.
constexpr auto grace = std::chrono::seconds{1};

// Signals that come together mean one thing: a terminal and a wrapper that both send one, a service manager that sends several kinds.
// Nobody asks twice as fast as this.
constexpr auto together = std::chrono::milliseconds{100};

}  // namespace

supervisor::supervisor(std::vector<config::planned_route> plan, const config::known_types& types, core::logger& log,
                       std::function<void()> leave, const host_state* kept)
    : types_(types), log_(log), leave_(std::move(leave)), kept_(kept), pool_(std::max(4u, 2 * std::thread::hardware_concurrency())) {
    if (kept_) {
        replay_endpoints_ = types_.endpoints;
        add_letter_source(replay_endpoints_, kept_->directory.letters_file(), kept_->clean);
    }
    for (config::planned_route& p : plan) {
        if (!p.is_enabled) continue;
        routes_.push_back(std::make_unique<watched>());
        routes_.back()->plan = std::move(p);
    }
}

supervisor::~supervisor() = default;

void supervisor::run() {
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    const loading::signal_guard terminated{SIGTERM};
    const loading::signal_guard interrupted{SIGINT};
    wait_for_signal();
    const loading::watchdog dog{
        {[this] { pool_.add_thread(); }, [this] { pool_.retire_thread(); },
         [this](std::string_view route, std::string_view cause) {
             boost::asio::post(control_, [this, name = std::string{route}, text = std::string{cause}] { set_blocked(name, text); });
         }}};
    for (const auto& w : routes_) start(*w);
    while (!all_ended()) control_.run_one();
    if (gave_up_) leave_();
}

void supervisor::start(watched& w) {
    if (!w.plan.broken.empty()) {
        log_.write(core::log_level::error, w.plan.definition.name, "", "failed: " + w.plan.broken);
        w.has_ended = true;
        return;
    }
    tell_guarantee(w);
    launch(w, types_.endpoints);
}

void supervisor::launch(watched& w, const core::CustomEndpointFactory& endpoints) {
    core::route_environment in{endpoints, types_.middlewares, log_, pool_.executor()};
    if (kept_) {
        in.dead_letters = kept_->letters.get();
        in.directory_of = kept_->instance_directories(log_);
    }
    w.route = std::make_unique<core::route>(w.plan.definition, in);
    w.route->start([this, &w] { boost::asio::post(control_, [this, &w] { on_ended(w); }); });
}

void supervisor::tell_guarantee(const watched& w) {
    if (!w.plan.has) return;
    const core::route_definition& d = w.plan.definition;
    log_.write(core::log_level::info, d.name, "", d.input.type + " to " + d.output.type + ": " + w.plan.has->text());
}

void supervisor::on_ended(watched& w) {
    w.has_ended = true;
    const core::route_snapshot s = w.route->snapshot();
    // A route that failed has said so itself.
    if (s.state != core::route_state::failed)
        log_.write(core::log_level::info, w.plan.definition.name, "",
                   std::string{core::to_text(s.state)} + (s.cause.empty() ? "" : ": " + s.cause));
    if (s.abandoned) gave_up_ = true;
    if (w.replays) end_replay(w);
    look_at_limits();
}

void supervisor::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& failed, int number) {
        if (!failed) on_signal(number);
    });
}

void supervisor::on_signal(int number) {
    const std::string name = number == SIGINT ? "SIGINT" : "SIGTERM";
    if (!asked_to_stop_) {
        asked_to_stop_ = clock::now();
        log_.write(core::log_level::info, "", "", name + ": stopping" + (is_stopping_ ? " already; one more leaves at once" : ""));
        if (!is_stopping_) stop_all();
    } else if (clock::now() - *asked_to_stop_ >= together) {
        log_.write(core::log_level::warning, "", "", "second signal: leaving at once");
        leave_();
    }
    wait_for_signal();
}

void supervisor::stop_all() {
    is_stopping_ = true;
    for (const auto& w : routes_) stop(*w);
    look_at_limits();
}

void supervisor::stop(watched& w) {
    if (w.has_ended) return;
    if (!w.route) {  // a replay that waits for its turn
        w.has_ended = true;
        tell_end_of_replay(w);
        return;
    }
    w.is_stopped = true;
    w.limit = clock::now() + w.plan.definition.shutdown_timeout + grace;
    w.route->stop();
}

void supervisor::set_blocked(const std::string& name, const std::string& cause) {
    for (const auto& w : routes_) {
        if (w->plan.definition.name != name || !w->route || w->has_ended) continue;
        w->blocked = cause;
        w->route->set_blocked(cause);
        if (!cause.empty()) log_.write(core::log_level::warning, name, "", cause);
    }
    look_at_limits();
}

void supervisor::look_at_limits() {
    const clock::time_point now = clock::now();
    if (!is_stopping_) {
        const bool is_stuck = only_blocked_drains_are_left();
        for (const auto& w : routes_) {
            if (w->has_ended || w->is_stopped) continue;
            if (!is_stuck) {
                w->limit = clock::time_point::max();
            } else if (w->limit == clock::time_point::max()) {
                w->limit = now + w->plan.definition.shutdown_timeout;
            }
        }
    }
    clock::time_point next = clock::time_point::max();
    for (const auto& w : routes_)
        if (!w->has_ended) next = std::min(next, w->limit);
    if (next <= now) return give_up(now);
    timer_.cancel();
    if (next == clock::time_point::max()) return;
    timer_.expires_at(next);
    timer_.async_wait([this](const boost::system::error_code& failed) {
        if (!failed) look_at_limits();
    });
}

// Its threads cannot be taken back, so the process cannot end in order any more.
void supervisor::give_up(clock::time_point now) {
    for (const auto& w : routes_) {
        if (w->has_ended || w->limit > now) continue;
        w->route->abandon(w->blocked.empty() ? "did not stop in time" : w->blocked);
        w->has_ended = true;
        gave_up_ = true;
        log_.write(core::log_level::error, w->plan.definition.name, "",
                   "given up: " + (w->blocked.empty() ? "did not stop in time" : w->blocked));
        if (w->replays) tell_end_of_replay(*w);
    }
    look_at_limits();
}

bool supervisor::all_ended() const {
    return std::all_of(routes_.begin(), routes_.end(), [](const auto& w) { return w->has_ended; });
}

bool supervisor::only_blocked_drains_are_left() const {
    return std::all_of(routes_.begin(), routes_.end(),
                       [](const auto& w) { return w->has_ended || (w->plan.definition.drain && !w->blocked.empty()); });
}

route_report supervisor::report_of(const watched& w) {
    route_report out{w.plan.definition.name, {}};
    if (w.route) {
        out.snapshot = w.route->snapshot();
    } else if (w.replays && !w.has_ended) {
        out.snapshot.since = std::chrono::system_clock::now();
    } else {
        out.snapshot.state = w.plan.broken.empty() ? core::route_state::stopped : core::route_state::failed;
        out.snapshot.cause = w.plan.broken;
    }
    return out;
}

std::vector<route_report> supervisor::reports() const {
    std::vector<route_report> out;
    for (const auto& w : routes_)
        if (!w->replays) out.push_back(report_of(*w));
    return out;
}

}  // namespace mqb::host
