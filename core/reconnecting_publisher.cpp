#include "core/reconnecting_publisher.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
bool is_undone(const outcome& o) noexcept { return o.sent() != send_result::done && o.sent() != send_result::refused; }
bool has_no_outcome(const outcome& o) noexcept { return o.sent() == send_result::unsent || o.sent() == send_result::uncertain; }

template <class Test>
bool any_outcome(const send_call& c, Test test) noexcept {
    for (std::uint32_t i = 0; i < c.outcomes.count; ++i)
        if (test(c.outcomes[i])) return true;
    return false;
}
}  // namespace

reconnecting_publisher::reconnecting_publisher(std::unique_ptr<publisher> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns,
                                               bool leaf_keeps_retry_order)
    : reconnecting(std::move(leaf), box, clock, longest_pause_ns), keeps_retry_order_(leaf_keeps_retry_order) {}

void reconnecting_publisher::start_waiting() {
    while (!waiting_.empty() && is_up()) {
        send_op& op = *waiting_.front();
        waiting_.pop_front();
        status answer = status::cancelled;
        if (!op.cancelled) {
            answer = start(op);
            if (answer == status::pending || !ended(op, answer)) continue;
        }
        give_back(op, answer);
    }
}

reconnecting_publisher::send_op& reconnecting_publisher::take_op(send_call& upper) {
    send_op& op = ops_.take([this](send_op& made) {
        made.self = this;
        made.done = [](call& c, status answer) noexcept {
            auto& ended_op = static_cast<send_op&>(c);
            if (ended_op.self->ended(ended_op, answer)) ended_op.self->give_back(ended_op, answer);
        };
    });
    op.upper = &upper;
    op.cancelled = op.comes_back = false;
    op.sequence = next_sequence_++;
    op.index.clear();
    op.messages = upper.messages;
    op.outcomes = upper.outcomes;
    op.answer = nullptr;
    if (upper.answer)
        op.answer = [](send_call& c, std::uint32_t i, const message& response) {
            auto& o = static_cast<send_op&>(c);
            o.upper->answer(*o.upper, o.index.empty() ? i : o.index[i], response);
        };
    upper.below = &op;
    return op;
}

status reconnecting_publisher::send(send_call& c) {
    if (has_given_up()) return status::cancelled;
    send_op& op = take_op(c);
    if (!is_up() || !waiting_.empty()) {
        waiting_.push_back(&op);
        return status::pending;
    }
    status answer = start(op);
    if (answer == status::pending || !ended(op, answer)) return status::pending;
    recycle(op);  // it is the last one: nothing has to come back with it
    return answer;
}

status reconnecting_publisher::start(send_op& op) {
    begin_call();
    const status answer = leaf().send(op);
    op.in_flight = answer == status::pending;
    return answer;
}

bool reconnecting_publisher::ended(send_op& op, status& answer) {
    end_call();
    op.in_flight = false;
    pass_up(op);
    if (answer == status::ok && is_up()) has_worked();
    // What a send left without outcome while the connection is lost comes before all that was started later.
    const bool is_ended_by_the_loss =
        !is_up() && !op.upper->messages.empty() && (answer == status::ok || (answer == status::cancelled && !op.cancelled));
    if (answer != status::disconnected && !is_ended_by_the_loss) {
        reconnect_if_idle();
        return true;
    }
    bool waits = false;
    if (has_to_come_back(op))
        leave_unsent(op);
    else
        waits = !op.cancelled && !is_stopped() && select_unanswered(op);
    lost(op.upper->texts.best(whole_call));
    if (waits)
        wait(op);
    else
        answer = status::ok;  // the outcomes decide
    return !waits;
}

// Whether sending the rest from here would overtake what the caller has to repeat: of a send before it, or of its own.
bool reconnecting_publisher::has_to_come_back(const send_op& op) const noexcept {
    if (!keeps_retry_order_ || op.upper->messages.empty()) return false;
    return op.comes_back || any_outcome(*op.upper, [](const outcome& o) { return is_undone(o) && !has_no_outcome(o); });
}

// The caller gets it, and with it what was started after it.
void reconnecting_publisher::give_back(send_op& op, status answer) {
    send_call& upper = *op.upper;
    const std::uint64_t from = op.sequence, to = next_sequence_;
    const bool others_come_back = keeps_retry_order_ && any_outcome(upper, is_undone);
    recycle(op);
    if (others_come_back)
        ops_.each([from](send_op& o) {
            if (o.upper && o.sequence > from) o.comes_back = true;
        });
    upper.done(upper, answer);
    if (!others_come_back) return;
    // One after the other: each may change the queue. What is started in there is later.
    for (;;) {
        const auto next = std::ranges::find_if(
            waiting_, [&](const send_op* w) { return w->sequence > from && w->sequence < to && !w->upper->messages.empty(); });
        if (next == waiting_.end()) return;
        send_op& other = **next;
        waiting_.erase(next);
        leave_unsent(other);
        send_call& c = *other.upper;
        const status told = other.cancelled ? status::cancelled : status::ok;
        recycle(other);
        c.done(c, told);
    }
}

void reconnecting_publisher::leave_unsent(send_op& op) {
    list<outcome>& all = op.upper->outcomes;
    for (std::uint32_t i = 0; i < all.count; ++i) {
        if (!has_no_outcome(all[i])) continue;
        if (all[i].sent() == send_result::uncertain) all[i].flags |= was_uncertain;
        all[i].set(send_result::unsent);
    }
}

void reconnecting_publisher::wait(send_op& op) {
    auto at = std::ranges::find_if(waiting_, [&](const send_op* w) { return w->sequence > op.sequence; });
    waiting_.insert(at, &op);
}

// Brings the answers of a part to where the caller looks for them.
void reconnecting_publisher::pass_up(send_op& op) {
    for (std::uint32_t k = 0; k < op.index.size(); ++k) {
        outcome& to = op.upper->outcomes[op.index[k]];
        const std::uint32_t kept = to.flags & was_uncertain;
        to = op.answers[k];
        to.flags |= kept;
    }
    op.texts.each(
        [&](std::uint32_t i, std::string_view text) { op.upper->texts.set(i == whole_call || op.index.empty() ? i : op.index[i], text); });
    op.texts.clear();
}

// Leaves in the op what has no outcome. False: everything has one.
bool reconnecting_publisher::select_unanswered(send_op& op) {
    send_call& upper = *op.upper;
    op.again.clear();
    op.index.clear();
    for (std::uint32_t i = 0; i < upper.messages.count; ++i) {
        outcome& o = upper.outcomes[i];
        if (!has_no_outcome(o)) continue;
        if (o.sent() == send_result::uncertain) o.flags |= was_uncertain;
        op.again.push_back(upper.messages.copy(i));
        op.index.push_back(i);
    }
    if (upper.messages.empty()) return true;  // a flush that the lost connection interrupted
    op.answers.assign(op.again.size(), outcome{});
    op.messages = message_list{std::span<const message>{op.again}};
    op.outcomes = list<outcome>{op.answers};
    return !op.index.empty();
}

void reconnecting_publisher::recycle(send_op& op) {
    op.upper->below = nullptr;
    op.upper = nullptr;
    ops_.give_back(op);
}

void reconnecting_publisher::cancel_in_flight() {
    ops_.each([this](send_op& op) {
        if (op.in_flight) leaf().cancel(op);
    });
}

void reconnecting_publisher::cancel_started(call& c) {
    send_op* op = ops_.find([&](const send_op& o) { return o.upper == &c; });
    if (!op) return;
    op->cancelled = true;
    if (op->in_flight)
        leaf().cancel(*op);
    else
        post_parked();
}

void reconnecting_publisher::answer_waiting() {
    for (;;) {
        const auto next = std::ranges::find_if(waiting_, [this](const send_op* w) { return w->cancelled || is_stopped(); });
        if (next == waiting_.end()) return;
        send_op& op = **next;
        waiting_.erase(next);
        give_back(op, status::cancelled);
    }
}

}  // namespace mqb::core
