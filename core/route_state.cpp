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
    if (has_finished_) return;
    if (input_ && receive_.pending) input_->top().cancel(receive_);
    end_pauses();
    stopping_ = true;
    if (poll_.pending) clock_.cancel(poll_);
    if (input_) {
        input_->book->stop_presenting();
        set_deadline();
    }
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

void running_route::note_next_try(std::uint64_t making_ns) {
    std::uint64_t next = making_ns;
    const auto take = [&](std::uint64_t at) { next = at != 0 && (next == 0 || at < next) ? at : next; };
    if (input_) take(input_->link->next_try_ns());
    if (output_) take(output_->link->next_try_ns());
    take(links_.next_try_ns());
    for (const route_slot& s : slots_)
        if (s.worker) take(s.worker->next_try_ns());
    std::lock_guard lock{mutex_};
    next_try_ns_ = next;
}

// What an operator should hear first.
const std::string& running_route::cause_now() const {
    if (is_final(state_)) return cause_;
    if (!blocked_.empty()) return blocked_;
    return cause_.empty() ? trouble_ : cause_;
}

void running_route::set_trouble(std::string cause) {
    is_in_trouble_ = !cause.empty();
    std::lock_guard lock{mutex_};
    trouble_ = std::move(cause);
}

route_snapshot running_route::snapshot() const {
    std::lock_guard lock{mutex_};
    const auto end = ended_.value_or(std::chrono::steady_clock::now());
    std::optional<std::chrono::system_clock::time_point> next_try;
    const std::uint64_t now = clock_.now_steady();
    if (state_ == route_state::reconnecting && next_try_ns_ > now)
        next_try = std::chrono::system_clock::now() +
                   std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds{next_try_ns_ - now});
    return {state_,
            since_,
            cause_now(),
            counters_.totals(),
            bytes_in_flight_.get(),
            std::chrono::duration<double>(end - started_).count(),
            is_quiet_,
            abandoned_,
            next_try,
            lag_};
}

void running_route::update_state() {
    if (failing_) return;
    if (!lost_cause_.empty()) return set_state(route_state::reconnecting, lost_cause_);
    if (!is_connected_) return;
    if (paused_) return set_state(route_state::paused, pause_cause_);
    set_state(drains() ? route_state::draining : route_state::running, {});
}

void running_route::on_state(bool connected, std::string_view cause) {
    if (failing_) return;
    if (connected) {
        if (!is_connected_ || !input_->link->is_connected() || !output_->link->is_connected() || !links_.are_connected()) return;
        lost_cause_.clear();
    } else {
        log_.write(log_level::warning, definition_.name, {}, cause);
        lost_cause_ = cause.empty() ? std::string{"disconnected"} : std::string{cause};
        note_next_try();
    }
    update_state();
}

void running_route::pause_for(std::string cause) {
    paused_ = true;
    pause_cause_ = std::move(cause);
    log_.write(log_level::warning, definition_.name, {}, pause_cause_ == "paused" ? pause_cause_ : "paused: " + pause_cause_);
    if (receive_.pending) input_->top().cancel(receive_);
    if (poll_.pending) clock_.cancel(poll_);
    update_state();
}

void running_route::look_if_quiet() {
    const bool is_quiet = !receive_.pending && under_way_ == 0 && ready_.empty() && queued_ == 0;
    std::lock_guard lock{mutex_};
    is_quiet_ = is_quiet;
}

// An outage or a wrong schema must not drain a source into the dead letters.
void running_route::on_dead_letters_stop(std::string_view why) {
    if (stopping_ || failing_) return;
    if (definition_.drain) return fail(std::string{why});
    if (pause_requested_.exchange(true) && paused_) return;
    pause_for(std::string{why});
}

// From the leaf outward: each middleware gives on, settles or gives back what it holds of these lanes.
void running_route::on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t) {
    if (!input_) return;
    for (auto& m : input_->middlewares) m->lanes_ending(lanes, deadline_ns);
}

void running_route::on_count(std::string_view, std::int64_t) {}

void running_route::on_warning(std::string_view text) { log_.write(log_level::warning, definition_.name, {}, text); }

}  // namespace mqb::core
