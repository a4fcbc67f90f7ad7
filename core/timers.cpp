#include "core/timers.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace mqb::core {

namespace {

using steady = std::chrono::steady_clock;

std::uint64_t since_epoch(auto time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

// Lives until the wait has ended on its executor; the route reaches it through timer::below until then.
struct pending_wait {
    pending_wait(boost::asio::any_io_executor executor, mailbox& to, timer& which) : clock(std::move(executor)), box(to), target(which) {}
    boost::asio::steady_timer clock;
    mailbox& box;
    timer& target;
    std::mutex mutex;  // an expiry on the pool and a cancel by the route meet here
    bool ended = false;
};

}  // namespace

std::uint64_t asio_timers::now_steady() const noexcept { return since_epoch(steady::now()); }
std::uint64_t asio_timers::now_wall() const noexcept { return since_epoch(std::chrono::system_clock::now()); }

void asio_timers::wait_until(std::uint64_t steady_ns, timer& t) {
    auto wait = std::make_shared<pending_wait>(executor_, box_, t);
    t.was_cancelled = false;
    t.below = wait;
    constexpr std::uint64_t end_of_time = INT64_MAX / 2;  // asio adds to it
    wait->clock.expires_at(steady::time_point{std::chrono::nanoseconds{std::min(steady_ns, end_of_time)}});
    wait->clock.async_wait([wait](const boost::system::error_code&) {
        {
            std::lock_guard lock{wait->mutex};
            if (wait->ended) return;
            wait->ended = true;
        }
        wait->box.put(wait->target);
    });
}

void asio_timers::cancel(timer& t) {
    auto wait = std::static_pointer_cast<pending_wait>(t.below.lock());
    if (!wait) return;
    {
        std::lock_guard lock{wait->mutex};
        if (wait->ended) return;
        wait->ended = true;
        t.was_cancelled = true;
        wait->clock.cancel();
    }
    box_.put(t);
}

void manual_timers::wait_until(std::uint64_t steady_ns, timer& t) {
    t.was_cancelled = false;
    waiting_.emplace(steady_ns, &t);
}

void manual_timers::cancel(timer& t) {
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
        if (at->second != &t) continue;
        waiting_.erase(at);
        t.was_cancelled = true;
        box_.put(t);
        return;
    }
}

void manual_timers::advance_to(std::uint64_t steady_ns) {
    now_ = steady_ns;
    while (!waiting_.empty() && waiting_.begin()->first <= now_) {
        timer* due = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        box_.put(*due);
    }
}

}  // namespace mqb::core
