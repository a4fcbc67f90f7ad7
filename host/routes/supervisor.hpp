// supervisor: starts routes, waits until all have ended, and stops them on a signal.
#pragma once

#include "core/route.hpp"
#include "host/config/plan.hpp"
#include "host/routes/report.hpp"
#include "host/routes/thread_pool.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mqb::host {

// Everything runs on the thread that calls run(), which never enters a plugin: so it always answers a signal.
class supervisor {
public:
    // `leave` ends the process at once, with what has been reported; it does not return.
    supervisor(std::vector<config::planned_route> plan, const config::known_types& types, core::logger& log, std::function<void()> leave);
    ~supervisor();
    supervisor(const supervisor&) = delete;
    supervisor& operator=(const supervisor&) = delete;

    // Returns when every route has ended. Calls `leave` where one does not, or on a second signal.
    void run();
    [[nodiscard]] std::vector<route_report> reports() const;

private:
    using clock = std::chrono::steady_clock;
    struct watched {
        config::planned_route plan;
        std::unique_ptr<core::route> route;  // null: never started
        bool has_ended = false;
        std::string blocked;                                 // "blocked in PLUGIN.FUNCTION"
        clock::time_point limit = clock::time_point::max();  // after which it is given up
    };

    void start(watched& w);
    void tell_guarantee(const watched& w);
    void on_ended(watched& w);
    void on_signal(int number);
    void wait_for_signal();
    void set_blocked(const std::string& name, const std::string& cause);
    // Gives routes that only wait for a plugin a limit, takes it away again, and waits for the next one.
    void look_at_limits();
    void give_up(clock::time_point now);
    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool only_blocked_drains_are_left() const;

    const config::known_types& types_;
    core::logger& log_;
    std::function<void()> leave_;
    boost::asio::io_context control_;
    boost::asio::signal_set signals_{control_};
    boost::asio::steady_timer timer_{control_};
    bool is_stopping_ = false;
    bool gave_up_ = false;  // some thread will never come back
    std::vector<std::unique_ptr<watched>> routes_;
    thread_pool pool_;
};

}  // namespace mqb::host
