#include "core/connection.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
constexpr std::uint64_t first_pause_ns = 100'000'000;
}

std::uint64_t backoff::next() {
    last_ = last_ ? std::min(2 * last_, longest_) : std::min(first_, longest_);
    std::uniform_real_distribution<double> spread{0.8, 1.2};
    return static_cast<std::uint64_t>(static_cast<double>(last_) * spread(random_));
}

connection::connection(owner& who, timers& clock, std::uint64_t longest_pause_ns)
    : owner_(who), clock_(clock), pauses_(first_pause_ns, std::max<std::uint64_t>(longest_pause_ns, 1)) {
    call_.self = this;
    call_.done = [](call& c, status answer) noexcept { static_cast<connect_call&>(c).self->ended(answer); };
    pause_.self = this;
    pause_.deliver = [](mail& m) noexcept {
        auto& t = static_cast<pause_timer&>(m);
        t.pending = false;
        if (!t.self->stopping_) t.self->begin();
    };
}

void connection::begin() {
    if (stopping_) return;
    now_ = state::connecting;
    call_.texts.clear();
    const status answer = owner_.start_connect(call_);
    if (answer != status::pending) ended(answer);
}

void connection::ended(status answer) {
    if (answer == status::ok || answer == status::unsupported) {
        now_ = state::up;
        owner_.on_connected();
        return;
    }
    now_ = stopping_ ? state::stopped : state::down;
    if (stopping_) return;
    std::string cause{call_.texts.best(whole_call)};
    if (cause.empty()) cause = "cannot connect: " + std::string{to_text(answer)};
    const bool fatal = answer == status::bad_config;
    if (fatal) {
        now_ = state::stopped;
    } else {
        begin_later();
    }
    owner_.on_not_connected(fatal, cause);
}

void connection::begin_later() {
    now_ = state::pausing;
    pause_.pending = true;
    next_try_ns_ = later(clock_.now_steady(), pauses_.next());
    clock_.wait_until(next_try_ns_, pause_);
}

void connection::stop() {
    stopping_ = true;
    if (now_ == state::connecting) owner_.cancel_connect(call_);
    if (pause_.pending) clock_.cancel(pause_);
}

}  // namespace mqb::core
