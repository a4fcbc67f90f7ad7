// route_state: what a route looks like from outside, and what it hears of its endpoints.
#include "core/running_route.hpp"

#include <utility>

namespace mqb::core {

void running_route::fail(std::string cause) {
    if (failing_) return;
    failing_ = true;
    {
        std::lock_guard lock{mutex_};
        cause_ = std::move(cause);
    }
    if (input_ && receive_.pending) input_->top().cancel(receive_);
    for (auto& f : flights_)
        if (f->timer.pending) clock_.cancel(f->timer);
    stopping_ = true;
    if (poll_.pending) clock_.cancel(poll_);
    if (input_) set_deadline();
}

void running_route::set_state(route_state state, std::string cause) {
    std::lock_guard lock{mutex_};
    if (is_final(state_)) return;
    if (state_ != state) since_ = std::chrono::system_clock::now();
    state_ = state;
    if (!failing_) cause_ = std::move(cause);
    if (is_final(state)) ended_ = std::chrono::steady_clock::now();
}

void running_route::abandon(std::string cause) {
    std::lock_guard lock{mutex_};
    if (is_final(state_)) return;
    state_ = route_state::failed;
    since_ = std::chrono::system_clock::now();
    cause_ = std::move(cause);
    ended_ = std::chrono::steady_clock::now();
    abandoned_ = true;
}

void running_route::set_blocked(std::string cause) {
    std::lock_guard lock{mutex_};
    blocked_ = std::move(cause);
}

route_snapshot running_route::snapshot() const {
    std::lock_guard lock{mutex_};
    const auto end = ended_.value_or(std::chrono::steady_clock::now());
    return {state_,
            since_,
            blocked_.empty() || is_final(state_) ? cause_ : blocked_,
            counters_.totals(),
            bytes_in_flight_.get(),
            std::chrono::duration<double>(end - started_).count(),
            abandoned_};
}

void running_route::on_state(bool connected, std::string_view cause) {
    if (failing_) return;
    if (connected) {
        if (is_connected_ && input_->link->is_connected() && output_->link->is_connected())
            set_state(definition_.drain ? route_state::draining : route_state::running, {});
        return;
    }
    log_.write(log_level::warning, definition_.name, {}, cause);
    set_state(route_state::reconnecting, std::string{cause});
}

// From the leaf outward: each middleware gives on, settles or gives back what it holds of these lanes.
void running_route::on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t) {
    if (!input_) return;
    for (auto& m : input_->middlewares) m->lanes_ending(lanes, deadline_ns);
}

void running_route::on_count(std::string_view, std::int64_t) {}

void running_route::on_warning(std::string_view text) { log_.write(log_level::warning, definition_.name, {}, text); }

}  // namespace mqb::core
