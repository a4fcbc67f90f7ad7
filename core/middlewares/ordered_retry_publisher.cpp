#include "core/middlewares/ordered_retry_publisher.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

ordered_retry_publisher::ordered_retry_publisher(publisher& inner, const retry_policy& policy, mailbox& box, timers& clock,
                                                 chain_links* links)
    : inner_(inner), policy_(policy), box_(box), clock_(clock), links_(links) {
    gather_.self = this;
    gather_.deliver = [](mail& m) noexcept {
        auto& g = static_cast<gather_mail&>(m);
        g.posted = false;
        g.self->gather();
    };
    pause_.self = this;
    pause_.deliver = [](mail& m) noexcept {
        auto& p = static_cast<pause&>(m);
        p.pending = false;
        p.self->go_on();
    };
    if (links_) links_->add(*this);
}

ordered_retry_publisher::~ordered_retry_publisher() {
    if (links_) links_->remove(*this);
}

void ordered_retry_publisher::end_pauses() {
    hurries_ = true;
    if (pause_.pending) clock_.cancel(pause_);
}

ordered_retry_publisher::one_send& ordered_retry_publisher::take(send_call& c) {
    one_send& s = sends_.take([this](one_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& back = static_cast<one_send&>(self);
            if (back.self->ended(back, answer)) back.self->finish(back, answer);
        };
    });
    s.take(c, next_++);
    return s;
}

status ordered_retry_publisher::send(send_call& c) {
    one_send& s = take(c);
    if (!c.messages.empty() && (!held_.empty() || resending_)) {
        hold(s);
        return status::pending;
    }
    s.begin(clock_.now_steady());
    const status answer = start(s);
    if (answer == status::pending || !ended(s, answer)) return status::pending;
    recycle(s);
    return answer;
}

status ordered_retry_publisher::start(one_send& s) {
    if (!s.upper->messages.empty()) ++in_flight_;
    const status answer = inner_.send(s);
    s.in_flight = answer == status::pending;
    return answer;
}

bool ordered_retry_publisher::ended(one_send& s, status answer) {
    s.in_flight = false;
    if (!s.upper->messages.empty()) --in_flight_;
    s.collect(answer);
    const bool is_clean = s.is_clean();
    if (!is_clean) hold(s);
    gather_if_idle();
    return is_clean;
}

void ordered_retry_publisher::hold(one_send& s) {
    held_.insert(std::ranges::find_if(held_, [&](const one_send* h) { return h->sequence > s.sequence; }), &s);
}

// By mail: what it leads to must not happen inside a start or a cancel.
void ordered_retry_publisher::gather_if_idle() {
    if (in_flight_ != 0 || held_.empty() || resending_ || pause_.pending || gather_.posted) return;
    gather_.posted = true;
    box_.put(gather_);
}

// Everything that was in flight is back.
void ordered_retry_publisher::gather() {
    if (in_flight_ != 0 || held_.empty() || resending_ || pause_.pending) return;
    const auto is_back = [](const one_send* s) { return s->is_started && !s->is_judged; };
    const bool some_failed = std::ranges::any_of(held_, [&](const one_send* s) { return is_back(s) && !s->stands_still(); });
    bool give_back = is_some_cancelled() || hurries_;
    // Where nothing says what has failed, it was the first; what came behind it has not been tried.
    auto unsent = some_failed ? retry_send::unsent::wait : retry_send::unsent::count;
    std::uint64_t due = clock_.now_steady();
    jitter_.begin_round();
    for (one_send* s : held_) {
        if (!is_back(s)) continue;
        const auto verdict = s->judge(policy_, clock_.now_steady(), std::exchange(unsent, retry_send::unsent::wait), jitter_);
        give_back = give_back || verdict.has_failed;
        if (verdict.waits) due = std::max(due, verdict.last_due);
    }
    if (give_back) return give_back_held();
    pause_.pending = true;
    clock_.wait_until(due, pause_);
}

bool ordered_retry_publisher::is_some_cancelled() const noexcept {
    return std::ranges::any_of(held_, [](const one_send* s) { return s->cancelled; });
}

// The pause is over, or was cut short.
void ordered_retry_publisher::go_on() {
    if (is_some_cancelled() || hurries_)
        give_back_held();
    else
        send_held();
}

void ordered_retry_publisher::send_held() {
    resending_ = true;
    for (one_send* s : std::exchange(held_, {})) {
        if (!held_.empty() || s->cancelled) {
            hold(*s);  // one in front of it has failed already
            continue;
        }
        if (s->is_started)
            s->select(clock_.now_steady(), false);
        else
            s->begin(clock_.now_steady());
        const status answer = start(*s);
        if (answer != status::pending && ended(*s, answer)) finish(*s, answer);
    }
    resending_ = false;
    gather_if_idle();
}

void ordered_retry_publisher::give_back_held() {
    for (one_send* s : std::exchange(held_, {})) finish(*s, s->cancelled ? status::cancelled : s->came);
}

void ordered_retry_publisher::finish(one_send& s, status answer) {
    send_call& upper = *s.upper;
    recycle(s);
    upper.done(upper, answer);
}

void ordered_retry_publisher::recycle(one_send& s) {
    s.upper = nullptr;
    sends_.give_back(s);
}

void ordered_retry_publisher::cancel(call& c) {
    one_send* found = sends_.find([&](const one_send& one) { return one.upper == &c; });
    if (!found) return inner_.cancel(c);  // a control
    one_send& s = *found;
    s.cancelled = true;
    if (s.in_flight)
        inner_.cancel(s);
    else if (pause_.pending)
        clock_.cancel(pause_);
    else
        gather_if_idle();
}

}  // namespace mqb::core
