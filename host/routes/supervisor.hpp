// supervisor: starts routes, waits until all have ended, stops them on a signal, and does what an operator asks meanwhile.
#pragma once

#include "core/route.hpp"
#include "host/config/plan.hpp"
#include "host/routes/host_state.hpp"
#include "host/routes/report.hpp"
#include "host/routes/thread_pool.hpp"
#include "host/state/letter.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mqb::host {

// Everything runs on the thread that calls run(), which never enters a plugin: so it always answers a signal.
class supervisor {
public:
    // `leave` ends the process at once, with what has been reported; it does not return. `kept`: what routes keep on disk; null:
    // nothing, and then there are no dead letters. Both outlive it.
    supervisor(std::vector<config::planned_route> plan, const config::known_types& types, core::logger& log, std::function<void()> leave,
               const host_state* kept = nullptr);
    ~supervisor();
    supervisor(const supervisor&) = delete;
    supervisor& operator=(const supervisor&) = delete;

    // Returns when every route has ended. Calls `leave` where one does not, or on a second SIGTERM or SIGINT
    // that did not come together with the first.
    void run();
    // Stops every route in order, as the first signal does. On the thread of run().
    void stop_all();
    // Of the routes in the plan.
    [[nodiscard]] std::vector<route_report> reports() const;

    // What follows is for requests that come while run() runs, on its thread: through this context. A failure is a text for people.
    [[nodiscard]] boost::asio::io_context& control() noexcept { return control_; }
    // Of the replays that run, too.
    [[nodiscard]] std::vector<route_report> all_reports() const;
    // Asks the sources of the routes how much waits there; `then` is called once, later, when all have answered or after 200 ms.
    // Reports have what was answered.
    void ask_lags(std::function<void()> then);
    [[nodiscard]] core::result<void> pause(const std::string& route);
    [[nodiscard]] core::result<void> resume(const std::string& route);
    // Presents the dead letters of a route to its output once more. A route whose output must be written by one alone is paused for
    // that time. `on_ended` is called once, later.
    [[nodiscard]] core::result<void> replay(const std::string& route, state::letter_filter which,
                                            std::function<void(const route_report&)> on_ended);
    void stop_replay(const std::string& route);

private:
    using clock = std::chrono::steady_clock;
    struct watched {
        config::planned_route plan;
        std::unique_ptr<core::route> route;  // null: never started
        bool has_ended = false;
        std::string blocked;                                 // "blocked in PLUGIN.FUNCTION"
        clock::time_point limit = clock::time_point::max();  // after which it is given up
        bool is_stopped = false;                             // and the limit stays
        // Of a replay only:
        watched* replays = nullptr;  // the route whose letters they are
        bool is_alone = false;       // that one is paused meanwhile
        bool resumes = false;        // and goes on afterwards
        clock::time_point asked;
        std::function<void(const route_report&)> on_ended;
    };

    void start(watched& w);
    void launch(watched& w, const core::CustomEndpointFactory& endpoints);
    void tell_guarantee(const watched& w);
    void on_ended(watched& w);
    void on_signal(int number);
    void wait_for_signal();
    void stop(watched& w);
    void set_blocked(const std::string& name, const std::string& cause);
    // Gives routes that only wait for a plugin a limit, takes it away again, and waits for the next one.
    void look_at_limits();
    void give_up(clock::time_point now);
    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool only_blocked_drains_are_left() const;
    [[nodiscard]] static route_report report_of(const watched& w);

    // supervisor_requests.cpp
    [[nodiscard]] core::result<watched*> find(const std::string& route) const;
    [[nodiscard]] core::result<watched*> find_living(const std::string& route) const;
    [[nodiscard]] watched* replay_that_runs(const watched& of) const;
    void start_replay_when_quiet(watched& w);
    void end_replay(watched& w);
    void tell_end_of_replay(watched& w);
    void forget(const watched& w);

    const config::known_types& types_;
    core::logger& log_;
    std::function<void()> leave_;
    const host_state* kept_;
    core::CustomEndpointFactory replay_endpoints_;  // and the source of dead letters
    boost::asio::io_context control_;
    boost::asio::signal_set signals_{control_};
    boost::asio::steady_timer timer_{control_};
    bool is_stopping_ = false;
    std::optional<clock::time_point> asked_to_stop_;  // by the first SIGTERM or SIGINT
    bool gave_up_ = false;                            // some thread will never come back
    std::vector<std::unique_ptr<watched>> routes_;
    thread_pool pool_;
};

}  // namespace mqb::host
