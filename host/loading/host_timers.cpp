#include "host/loading/host_timers.hpp"

#include <algorithm>
#include <utility>

namespace mqb::loading {

namespace {
constexpr std::size_t most_after_end = 64;  // timers that a middleware may still set while the host ends them
}

mqb_status host_timers::wait_until(std::uint64_t steady_ns, mqb_call* call) {
    const admission admitted = gate_.admits();
    if (!call || !call->done || admitted == admission::forbidden) {
        gate_.misbehaved("sets a timer while it is created, after its free, or without `done`");
        return MQB_REJECTED;
    }
    std::lock_guard lock{mutex_};
    if (is_closed_ || admitted == admission::late) return MQB_CANCELLED;
    const bool is_ending = static_cast<bool>(on_empty_);
    if (is_ending && ++after_end_ > most_after_end) return MQB_CANCELLED;
    wait& w = take();
    ++open_;
    w.call = call;
    w.operation = call->operation;
    w.at = steady_ns;
    w.now = state::asked;
    w.is_cancelled = is_ending;
    w.has_request_out = gate_.post(w.request);
    return MQB_PENDING;
}

host_timers::wait& host_timers::take() {
    auto at = std::ranges::find_if(all_, [](const wait& w) { return w.now == state::spare && !w.has_request_out; });
    if (at != all_.end()) return *at;
    wait& w = all_.emplace_back();
    w.owner = this;
    w.request.self = &w;
    w.request.deliver = &host_timers::on_request;
    w.clock.self = &w;
    w.clock.deliver = &host_timers::on_clock;
    return w;
}

bool host_timers::ask_cancel(wait& w) {
    if ((w.now != state::asked && w.now != state::waiting) || w.is_cancelled) return false;
    w.is_cancelled = true;
    if (!w.has_request_out) w.has_request_out = gate_.post(w.request);
    return true;
}

void host_timers::cancel(std::uint64_t operation) {
    std::lock_guard lock{mutex_};
    for (wait& w : all_)
        if (w.operation == operation && ask_cancel(w)) return;
}

void host_timers::end_all(std::function<void()> on_empty) {
    std::lock_guard lock{mutex_};
    on_empty_ = std::move(on_empty);
    for (wait& w : all_) ask_cancel(w);
}

bool host_timers::close_if_empty() {
    std::lock_guard lock{mutex_};
    is_closed_ = is_closed_ || open_ == 0;
    return is_closed_;
}

bool host_timers::is_empty() const {
    std::lock_guard lock{mutex_};
    return open_ == 0;
}

void host_timers::on_request(core::mail& m) noexcept {
    wait& w = *static_cast<wait::request_mail&>(m).self;
    host_timers& self = *w.owner;
    if (self.gate_.now() == phase::gone) return;
    bool was_cancelled_first = false;
    {
        std::lock_guard lock{self.mutex_};
        w.has_request_out = false;
        if (w.now == state::asked) {
            was_cancelled_first = w.is_cancelled;
            w.now = state::waiting;
            if (!was_cancelled_first) self.gate_.clock().wait_until(w.at, w.clock);
        } else if (w.now == state::waiting && w.is_cancelled) {
            self.gate_.clock().cancel(w.clock);  // answered by the clock's mail
        }
    }
    if (was_cancelled_first) self.complete(w, MQB_CANCELLED);
}

void host_timers::on_clock(core::mail& m) noexcept {
    wait& w = *static_cast<wait::clock_timer&>(m).self;
    if (w.owner->gate_.now() == phase::gone) return;
    w.owner->complete(w, w.clock.was_cancelled ? MQB_CANCELLED : MQB_OK);
}

void host_timers::complete(wait& w, mqb_status status) noexcept {
    mqb_call* call;
    std::function<void()> on_empty;
    {
        std::lock_guard lock{mutex_};
        call = w.call;
        w.now = state::spare;
        w.is_cancelled = false;
        w.operation = 0;
        --open_;
    }
    gate_.call(entry_point::completion, [&] { call->done(call, status); });
    {
        std::lock_guard lock{mutex_};
        if (open_ == 0) on_empty = on_empty_;
    }
    if (on_empty) on_empty();
}

}  // namespace mqb::loading
