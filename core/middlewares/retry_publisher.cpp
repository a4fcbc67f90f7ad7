#include "core/middlewares/retry_publisher.hpp"

#include <algorithm>

namespace mqb::core {

retry_publisher::retry_publisher(publisher& inner, const retry_policy& policy, timers& clock, bool keeps_together, chain_links* links)
    : inner_(inner), policy_(policy), clock_(clock), jitter_(keeps_together), links_(links) {
    if (links_) links_->add(*this);
}

retry_publisher::~retry_publisher() {
    if (links_) links_->remove(*this);
}

void retry_publisher::end_pauses() {
    hurries_ = true;
    sends_.each([this](one_send& s) {
        if (s.upper && !s.in_flight) clock_.cancel(s.until_due);
    });
}

retry_publisher::one_send& retry_publisher::take(send_call& c) {
    one_send& s = sends_.take([this](one_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& back = static_cast<one_send&>(self);
            if (back.self->ended(back, answer)) back.self->finish(back, answer);
        };
        made.until_due.of = &made;
        made.until_due.deliver = [](mail& m) noexcept {
            one_send& due = *static_cast<pause&>(m).of;
            due.self->go_on(due);
        };
    });
    s.take(c, 0);
    return s;
}

status retry_publisher::send(send_call& c) {
    one_send& s = take(c);
    s.begin(clock_.now_steady());
    const status answer = start(s);
    if (answer == status::pending || !ended(s, answer)) return status::pending;
    recycle(s);
    return answer;
}

status retry_publisher::start(one_send& s) {
    const status answer = inner_.send(s);
    s.in_flight = answer == status::pending;
    return answer;
}

bool retry_publisher::ended(one_send& s, status answer) {
    s.in_flight = false;
    s.collect(answer);
    if (s.is_clean() || hurries_) return true;
    const auto unsent = s.stands_still() ? retry_send::unsent::count : retry_send::unsent::go_behind;
    jitter_.begin_round();
    const auto verdict = s.judge(policy_, clock_.now_steady(), unsent, jitter_);
    if (verdict.waits) clock_.wait_until(verdict.first_due, s.until_due);
    return !verdict.waits;
}

// A pause is over, or was cut short.
void retry_publisher::go_on(one_send& s) {
    if (s.cancelled) return finish(s, status::cancelled);
    if (hurries_) return finish(s, s.came);
    const std::uint64_t now = clock_.now_steady();
    if (!s.select(now, true)) (void)s.select(now, false);  // nothing is due yet: an empty send would be a flush
    const status answer = start(s);
    if (answer != status::pending && ended(s, answer)) finish(s, answer);
}

void retry_publisher::finish(one_send& s, status answer) {
    send_call& upper = *s.upper;
    recycle(s);
    upper.done(upper, answer);
}

void retry_publisher::recycle(one_send& s) {
    s.upper = nullptr;
    sends_.give_back(s);
}

void retry_publisher::cancel(call& c) {
    one_send* found = sends_.find([&](const one_send& one) { return one.upper == &c; });
    if (!found) return inner_.cancel(c);  // a control
    one_send& s = *found;
    s.cancelled = true;
    if (s.in_flight)
        inner_.cancel(s);
    else
        clock_.cancel(s.until_due);
}

}  // namespace mqb::core
