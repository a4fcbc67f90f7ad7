// supervisor_requests: what an operator asks while routes run.
#include "host/config/near_match.hpp"
#include "host/routes/replay.hpp"
#include "host/routes/supervisor.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace mqb::host {

namespace {

using core::failure;
using core::result;
using core::status;

// How long a replay waits at most until the route that it takes the output from writes nothing more.
constexpr auto most_quiet = std::chrono::seconds{5};
// How long a status waits for the sources.
constexpr auto most_asking = std::chrono::milliseconds{200};
constexpr auto look_again = std::chrono::milliseconds{10};

failure refusal(std::string text) { return {status::rejected, std::move(text)}; }

std::string quoted(const std::string& name) { return "route \"" + name + '"'; }

}  // namespace

std::vector<route_report> supervisor::all_reports() const {
    std::vector<route_report> out;
    for (const auto& w : routes_)
        if (!w->replays || !w->has_ended) out.push_back(report_of(*w));
    return out;
}

void supervisor::ask_lags(std::function<void()> then) {
    struct asking {
        asking(boost::asio::io_context& in, std::function<void()> next) : limit(in, most_asking), tell(std::move(next)) {}
        void end() {
            limit.cancel();
            if (const auto once = std::exchange(tell, nullptr)) once();
        }
        boost::asio::steady_timer limit;
        std::function<void()> tell;
        std::size_t open = 1;
    };
    auto all = std::make_shared<asking>(control_, std::move(then));
    const auto one_less = [all, this] {
        boost::asio::post(control_, [all] {
            if (--all->open == 0) all->end();
        });
    };
    for (const auto& w : routes_) {
        if (!w->route || w->has_ended) continue;
        ++all->open;
        w->route->ask_lag(one_less);
    }
    all->limit.async_wait([all](const boost::system::error_code& failed) {
        if (!failed) all->end();
    });
    one_less();
}

result<supervisor::watched*> supervisor::find(const std::string& route) const {
    std::vector<std::string> names;
    for (const auto& w : routes_) {
        if (w->replays) continue;
        if (w->plan.definition.name == route) return w.get();
        names.push_back(w->plan.definition.name);
    }
    return refusal("no " + quoted(route) + " runs here" + config::did_you_mean(route, names));
}

result<supervisor::watched*> supervisor::find_living(const std::string& route) const {
    const auto found = find(route);
    if (!found) return found;
    // What a status shows decides: `has_ended` follows a little later.
    const core::route_snapshot s = report_of(**found).snapshot;
    if (!(*found)->has_ended && !core::is_final(s.state)) return found;
    return refusal(quoted(route) + " has ended: " + std::string{core::to_text(s.state)} + (s.cause.empty() ? "" : ": " + s.cause));
}

supervisor::watched* supervisor::replay_that_runs(const watched& of) const {
    const auto at = std::ranges::find_if(routes_, [&](const auto& w) { return w->replays == &of && !w->has_ended; });
    return at == routes_.end() ? nullptr : at->get();
}

result<void> supervisor::pause(const std::string& route) {
    const auto found = find_living(route);
    if (!found) return found.error();
    if (watched* replay = replay_that_runs(**found); replay && replay->is_alone)
        replay->resumes = false;  // it is paused already, and stays so
    else
        (*found)->route->pause();
    return {};
}

result<void> supervisor::resume(const std::string& route) {
    const auto found = find_living(route);
    if (!found) return found.error();
    if (watched* replay = replay_that_runs(**found); replay && replay->is_alone)
        replay->resumes = true;  // when the output is its own again
    else
        (*found)->route->resume();
    return {};
}

result<void> supervisor::replay(const std::string& route, state::letter_filter which, std::function<void(const route_report&)> on_ended) {
    if (!kept_) return refusal("this host keeps no dead letters");
    if (is_stopping_) return refusal("the host is stopping");
    const auto found = find(route);
    if (!found) return found.error();
    watched& of = **found;
    if (!of.plan.broken.empty()) return refusal(quoted(route) + " cannot run: " + of.plan.broken);
    const std::string name = replay_name(route);
    if (std::ranges::any_of(routes_, [&](const auto& w) { return w->plan.definition.name == name && !w->has_ended; }))
        return refusal("a replay of " + quoted(route) + " is running");
    watched& made = *routes_.emplace_back(std::make_unique<watched>());
    made.plan.definition = replay_of(of.plan.definition, std::move(which));
    made.replays = &of;
    made.asked = clock::now();
    made.on_ended = std::move(on_ended);
    made.is_alone = writes_alone(made.plan.definition.output, types_.endpoints);
    if (made.is_alone && of.route && !of.has_ended && of.route->snapshot().state != core::route_state::paused) {
        made.resumes = true;
        of.route->pause();
    }
    start_replay_when_quiet(made);
    return {};
}

void supervisor::start_replay_when_quiet(watched& w) {
    const watched& of = *w.replays;
    if (!w.is_alone || of.has_ended || report_of(of).snapshot.is_quiet) return launch(w, replay_endpoints_);
    if (clock::now() - w.asked > most_quiet) {
        w.plan.broken = quoted(of.plan.definition.name) +
                        " still has messages on the way to the output, which it has to itself; wait for "
                        "them, or stop the host and replay without one";
        w.has_ended = true;
        log_.write(core::log_level::error, w.plan.definition.name, "", "failed: " + w.plan.broken);
        tell_end_of_replay(w);
        return forget(w);
    }
    auto timer = std::make_shared<boost::asio::steady_timer>(control_, look_again);
    timer->async_wait([this, &w, timer](const boost::system::error_code& failed) {
        if (failed) return;
        w.has_ended ? forget(w) : start_replay_when_quiet(w);
    });
}

void supervisor::stop_replay(const std::string& route) {
    const auto found = find(route);
    watched* replay = found ? replay_that_runs(**found) : nullptr;
    if (replay) stop(*replay);
    look_at_limits();
}

void supervisor::tell_end_of_replay(watched& w) {
    if (w.resumes && !w.replays->has_ended) w.replays->route->resume();
    w.resumes = false;
    if (const auto tell = std::exchange(w.on_ended, {})) tell(report_of(w));
}

// What never came back from a plugin may still come back to it.
void supervisor::end_replay(watched& w) {
    tell_end_of_replay(w);
    if (w.route && w.route->snapshot().abandoned) return;
    forget(w);
}

void supervisor::forget(const watched& w) {
    std::erase_if(routes_, [&](const auto& each) { return each.get() == &w; });
}

}  // namespace mqb::host
