#include "core/middlewares/timeout_publisher.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace mqb::core {

timeout_publisher::timeout_publisher(publisher& inner, std::uint64_t limit_ns, bool takes_several, mailbox& box, timers& clock,
                                     stage_log log)
    : inner_(inner), limit_ns_(limit_ns), takes_several_(takes_several), box_(box), clock_(clock), log_(std::move(log)) {
    watch_.self = turn_.self = this;
    watch_.deliver = [](mail& m) noexcept {
        auto& due = static_cast<clock_mail&>(m);
        due.pending = false;
        due.self->give_up_on_what_is_due();
        due.self->watch();
        due.self->end_close();
    };
    turn_.deliver = [](mail& m) noexcept {
        auto& now = static_cast<turn&>(m);
        now.is_posted = false;
        now.self->start_held();
        now.self->end_close();
    };
}

timeout_publisher::one_send& timeout_publisher::take(send_call& c) {
    one_send& s = sends_.take([this](one_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& back = static_cast<one_send&>(self);
            back.self->ended(back, answer);
        };
    });
    s.take(c, c.messages.empty() ? UINT64_MAX : later(clock_.now_steady(), limit_ns_));
    return s;
}

// The caller gives one at a time where the inner side wants that: then only what is late is there.
bool timeout_publisher::may_start() const noexcept { return below_ < (takes_several_ ? most_open_ : 1); }

status timeout_publisher::send(send_call& c) {
    most_open_ = std::max<std::size_t>(most_open_, held_.size() + below_ - late_ + 1);
    one_send& s = take(c);
    const bool starts = held_.empty() && may_start();
    if (!starts) {
        held_.push_back(&s);
    } else if (const status answer = start(s); answer != status::pending) {
        s.bring_up();
        recycle(s);
        return answer;
    }
    if (s.due != UINT64_MAX) in_time_.push_back(&s);
    watch();
    return status::pending;
}

status timeout_publisher::start(one_send& s) {
    s.is_below = true;
    ++below_;
    const status answer = inner_.send(s);
    if (answer == status::pending) return answer;
    s.is_below = false;
    --below_;
    return answer;
}

void timeout_publisher::ended(one_send& s, status answer) {
    s.is_below = false;
    --below_;
    if (!s.upper) return came_late(s);
    std::erase(in_time_, &s);
    if (!held_.empty()) start_held_soon();
    finish(s, answer);
}

void timeout_publisher::finish(one_send& s, status answer) {
    send_call& upper = *s.upper;
    s.bring_up();
    recycle(s);
    upper.done(upper, answer);
}

void timeout_publisher::recycle(one_send& s) {
    s.forget();
    sends_.give_back(s);
}

void timeout_publisher::came_late(one_send& s) {
    --late_;
    std::uint32_t done = 0;
    for (std::uint32_t i = 0; i < s.outcomes.count; ++i) done += s.outcomes[i].sent() == send_result::done ? 1 : 0;
    if (answered_late_++ == 0)
        log_.warn("a send was answered after it had been given up on, " + std::to_string(done) + " of its " +
                  std::to_string(s.outcomes.count) + " messages had arrived; others will only be counted");
    if (sink_) sink_->on_count("answered_late", 1);
    recycle(s);
    if (!held_.empty()) start_held_soon();
    end_close();
}

// One timer for all: the first of them ends first.
void timeout_publisher::watch() {
    if (watch_.pending || in_time_.empty()) return;
    watch_.pending = true;
    clock_.wait_until(in_time_.front()->due, watch_);
}

void timeout_publisher::give_up_on_what_is_due() {
    while (!in_time_.empty() && in_time_.front()->due <= clock_.now_steady()) {
        one_send& s = *in_time_.front();
        in_time_.pop_front();
        give_up(s);
    }
}

void timeout_publisher::give_up(one_send& s) {
    send_call& upper = *s.upper;
    const std::string limit = "within " + std::to_string(limit_ns_ / 1'000'000) + " ms";
    for (std::uint32_t i = 0; i < upper.outcomes.count; ++i) {
        upper.outcomes[i].set(send_result::again);
        if (s.is_below) upper.outcomes[i].flags |= was_uncertain;
    }
    if (s.is_below) {
        upper.texts.set(whole_call, "timeout: no answer " + limit + "; it may have arrived");
        s.keep();
        s.upper = nullptr;
        ++late_;
        inner_.cancel(s);
    } else {
        upper.texts.set(whole_call, "timeout: not sent " + limit + ": what was given up on before has not been answered");
        std::erase(held_, &s);
        recycle(s);
    }
    upper.done(upper, status::ok);
}

void timeout_publisher::start_held_soon() {
    if (std::exchange(turn_.is_posted, true)) return;
    box_.put(turn_);
}

void timeout_publisher::start_held() {
    const auto end = [this](one_send& s, status answer) {
        std::erase(in_time_, &s);
        finish(s, answer);
    };
    for (std::size_t i = 0; i < held_.size();) {
        one_send& s = *held_[i];
        if (!s.is_cancelled) {
            ++i;
            continue;
        }
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
        end(s, status::cancelled);
    }
    while (!held_.empty() && may_start()) {
        one_send& s = *held_.front();
        held_.pop_front();
        const status answer = start(s);
        if (answer != status::pending) end(s, answer);
    }
}

void timeout_publisher::cancel(call& c) {
    if (&c == closing_) {
        sends_.each([this](one_send& s) {
            if (s.is_below) inner_.cancel(s);
        });
        return;
    }
    one_send* const found = sends_.find([&](const one_send& s) { return s.upper == &c; });
    if (!found) return inner_.cancel(c);  // a control
    found->is_cancelled = true;
    if (found->is_below)
        inner_.cancel(*found);
    else
        start_held_soon();
}

status timeout_publisher::close(call& c) {
    if (answered_late_ > 1) log_.warn(std::to_string(answered_late_) + " sends were answered after they had been given up on");
    if (below_ == 0 && !watch_.pending && !turn_.is_posted) return status::ok;
    closing_ = &c;
    if (watch_.pending) clock_.cancel(watch_);
    return status::pending;
}

void timeout_publisher::end_close() {
    if (!closing_ || below_ != 0 || watch_.pending || turn_.is_posted) return;
    call& c = *std::exchange(closing_, nullptr);
    c.done(c, status::ok);
}

}  // namespace mqb::core
