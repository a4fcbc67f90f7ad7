#include "core/reconnecting_consumer.hpp"

#include <utility>

namespace mqb::core {

reconnecting_consumer::reconnecting_consumer(std::unique_ptr<consumer> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns)
    : reconnecting(std::move(leaf), box, clock, longest_pause_ns) {
    receive_.self = this;
    receive_.done = [](call& c, status answer) noexcept {
        auto& op = static_cast<receive_op&>(c);
        if (!op.self->received(answer)) return;
        receive_call* upper = std::exchange(op.upper, nullptr);
        upper->done(*upper, answer);
    };
}

void reconnecting_consumer::start_waiting() {
    while (!waiting_settles_.empty() && is_up()) {
        const waiting_settle next = waiting_settles_.front();
        waiting_settles_.pop_front();
        const status answer = next.cancelled ? status::cancelled : start_settle(*next.upper);
        if (answer != status::pending) next.upper->done(*next.upper, answer);
    }
    if (receive_.upper && !receive_.asked && is_up()) {
        receive_call& upper = *receive_.upper;
        status answer = status::cancelled;
        if (receive_.cancelled || is_stopped())
            receive_.upper = nullptr;
        else
            answer = receive(upper);
        if (answer != status::pending) upper.done(upper, answer);
    }
}

status reconnecting_consumer::receive(receive_call& c) {
    receive_.upper = &c;
    receive_.cancelled = false;
    if (!is_up()) {
        if (is_stopped()) return receive_.upper = nullptr, status::cancelled;
        return status::pending;
    }
    receive_.max_messages = c.max_messages;
    receive_.max_bytes = c.max_bytes;
    receive_.drain = c.drain;
    receive_.messages = {};
    receive_.batch = nullptr;
    receive_.texts.clear();
    receive_.asked = true;
    begin_call();
    status answer = leaf().receive(receive_);
    if (answer == status::pending || !received(answer)) return status::pending;
    receive_.upper = nullptr;
    return answer;
}

// True: the caller gets this answer; false: the connection was lost and the receive waits for the next one.
bool reconnecting_consumer::received(status& answer) {
    receive_.asked = false;
    end_call();
    if (answer == status::disconnected || (answer == status::cancelled && !is_up())) {
        lost(receive_.texts.best(whole_call));
        if (!receive_.cancelled && !is_stopped()) return false;
        answer = status::cancelled;
    } else {
        if (answer == status::ok) has_worked();
        reconnect_if_idle();
    }
    receive_.upper->messages = receive_.messages;
    receive_.upper->batch = receive_.batch;
    if (!receive_.texts.empty()) std::swap(receive_.upper->texts, receive_.texts);
    return true;
}

status reconnecting_consumer::settle(settle_call& c) {
    if (is_up()) return start_settle(c);
    if (is_stopped()) return status::cancelled;  // nothing recorded: every outcome says so
    waiting_settles_.push_back({&c});
    return status::pending;
}

status reconnecting_consumer::start_settle(settle_call& upper) {
    settle_op& op = ops_.take([this](settle_op& made) {
        made.self = this;
        made.done = [](call& c, status answer) noexcept {
            auto& ended = static_cast<settle_op&>(c);
            settle_call& above = *ended.upper;
            const status told = ended.self->settled(ended, answer);
            above.done(above, told);
        };
    });
    op.upper = &upper;
    op.batch = upper.batch;
    op.entries = upper.entries;
    op.outcomes = upper.outcomes;
    begin_call();
    const status answer = leaf().settle(op);
    op.in_flight = answer == status::pending;
    return op.in_flight ? answer : settled(op, answer);
}

// The answer for the caller. Where the connection was lost: ok, the outcomes decide.
status reconnecting_consumer::settled(settle_op& op, status answer) {
    end_call();
    op.in_flight = false;
    if (!op.texts.empty()) std::swap(op.upper->texts, op.texts);
    op.texts.clear();
    ops_.give_back(op);
    if (answer == status::ok) has_worked();
    if (answer != status::disconnected) return reconnect_if_idle(), answer;
    lost(op.upper->texts.best(whole_call));
    return status::ok;
}

void reconnecting_consumer::cancel_in_flight() {
    if (receive_.asked) leaf().cancel(receive_);
    ops_.each([this](settle_op& op) {
        if (op.in_flight) leaf().cancel(op);
    });
}

void reconnecting_consumer::cancel_started(call& c) {
    if (receive_.upper == &c) {
        receive_.cancelled = true;
        if (receive_.asked)
            leaf().cancel(receive_);
        else
            post_parked();
        return;
    }
    if (settle_op* op = ops_.find([&](const settle_op& o) { return o.in_flight && o.upper == &c; })) return leaf().cancel(*op);
    for (waiting_settle& w : waiting_settles_)
        if (w.upper == &c) w.cancelled = true, post_parked();
}

void reconnecting_consumer::answer_waiting() {
    for (const waiting_settle& w : std::exchange(waiting_settles_, {})) {
        if (w.cancelled || is_stopped())
            w.upper->done(*w.upper, status::cancelled);
        else
            waiting_settles_.push_back(w);
    }
    if (receive_.upper && !receive_.asked && (receive_.cancelled || is_stopped())) {
        receive_call* upper = std::exchange(receive_.upper, nullptr);
        upper->done(*upper, status::cancelled);
    }
}

}  // namespace mqb::core
