#include "core/reconnecting_publisher.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

reconnecting_publisher::reconnecting_publisher(std::unique_ptr<publisher> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns)
    : leaf_(std::move(leaf)), box_(box), link_(*this, clock, longest_pause_ns) {
    leaf_->listen(this);
    parked_.self = this;
    parked_.deliver = [](mail& m) noexcept {
        auto& p = static_cast<parked_mail&>(m);
        p.posted = false;
        p.self->answer_parked();
    };
}

status reconnecting_publisher::connect(call& c) {
    if (stopped_) return status::cancelled;
    connecting_ = &c;
    connect_answer_ = status::pending;
    inside_connect_ = true;
    link_.begin();
    inside_connect_ = false;
    return connect_answer_;
}

void reconnecting_publisher::answer_connect(status answer, std::string_view text) {
    call* c = std::exchange(connecting_, nullptr);
    if (!c) return;
    if (!text.empty()) c->texts.set(whole_call, text);
    if (inside_connect_)
        connect_answer_ = answer;
    else
        c->done(*c, answer);
}

void reconnecting_publisher::on_connected() {
    on_state(true, {});
    answer_connect(status::ok, {});
    while (!waiting_.empty() && link_.is_up()) {
        send_op& op = *waiting_.front();
        waiting_.pop_front();
        status answer = status::cancelled;
        if (!op.cancelled) {
            answer = start(op);
            if (answer == status::pending || !ended(op, answer)) continue;
        }
        send_call& upper = *op.upper;
        recycle(op);
        upper.done(upper, answer);
    }
}

void reconnecting_publisher::on_not_connected(bool fatal, std::string_view cause) {
    if (!fatal) {
        on_state(false, cause);
        return;
    }
    if (connecting_)
        answer_connect(status::bad_config, cause);
    else
        on_bad_config(cause);
    stopped_ = true;
    post_parked();
}

reconnecting_publisher::send_op& reconnecting_publisher::take_op(send_call& upper) {
    if (spare_ops_.empty()) {
        ops_.push_back(std::make_unique<send_op>());
        send_op& made = *ops_.back();
        made.self = this;
        made.done = [](call& c, status answer) noexcept {
            auto& op = static_cast<send_op&>(c);
            reconnecting_publisher& self = *op.self;
            if (!self.ended(op, answer)) return;
            send_call& above = *op.upper;
            self.recycle(op);
            above.done(above, answer);
        };
        spare_ops_.push_back(&made);
    }
    send_op& op = *spare_ops_.back();
    spare_ops_.pop_back();
    op.upper = &upper;
    op.cancelled = false;
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
    if (stopped_ && !link_.is_up()) return status::cancelled;
    send_op& op = take_op(c);
    if (!link_.is_up() || !waiting_.empty()) {
        waiting_.push_back(&op);
        return status::pending;
    }
    status answer = start(op);
    if (answer == status::pending || !ended(op, answer)) return status::pending;
    recycle(op);
    return answer;
}

status reconnecting_publisher::start(send_op& op) {
    ++in_flight_;
    const status answer = leaf_->send(op);
    op.in_flight = answer == status::pending;
    return answer;
}

bool reconnecting_publisher::ended(send_op& op, status& answer) {
    --in_flight_;
    op.in_flight = false;
    pass_up(op);
    if (answer == status::ok && link_.is_up()) link_.has_worked();
    // What a send left without outcome while the connection is lost comes before all that was started later.
    const bool is_ended_by_the_loss =
        !link_.is_up() && !op.upper->messages.empty() && (answer == status::ok || (answer == status::cancelled && !op.cancelled));
    if (answer != status::disconnected && !is_ended_by_the_loss) {
        reconnect_if_idle();
        return true;
    }
    if (link_.is_up()) lost(op);
    const bool more = !op.cancelled && !stopped_ && select_unanswered(op);
    if (more) wait(op);
    reconnect_if_idle();
    if (more) return false;
    answer = status::ok;  // the outcomes decide
    return true;
}

// The next connect waits until nothing is in flight.
void reconnecting_publisher::lost(send_op& by) {
    link_.lost();
    const auto cause = by.upper->texts.best(whole_call);
    on_state(false, cause.empty() ? std::string_view{"disconnected"} : cause);
    for (auto& o : ops_)
        if (o->in_flight) leaf_->cancel(*o);
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
        if (o.sent() != send_result::unsent && o.sent() != send_result::uncertain) continue;
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
    spare_ops_.push_back(&op);
}

void reconnecting_publisher::reconnect_if_idle() {
    if (in_flight_ == 0 && link_.is_down() && !stopped_) link_.begin_later();
}

void reconnecting_publisher::cancel(call& c) {
    if (&c == connecting_) {
        stop();
        return;
    }
    for (auto& o : ops_) {
        if (o.get() != c.below) continue;
        o->cancelled = true;
        if (std::ranges::find(waiting_, o.get()) == waiting_.end())
            leaf_->cancel(*o);
        else
            post_parked();
        return;
    }
    leaf_->cancel(c);  // control
}

void reconnecting_publisher::stop() {
    stopped_ = true;
    link_.stop();
    if (!link_.is_up()) post_parked();
}

void reconnecting_publisher::post_parked() {
    if (parked_.posted) return;
    parked_.posted = true;
    box_.put(parked_);
}

void reconnecting_publisher::answer_parked() {
    if (link_.is_up()) return;
    if (stopped_) answer_connect(status::cancelled, {});
    for (send_op* op : std::exchange(waiting_, {})) {
        if (!stopped_ && !op->cancelled) {
            wait(*op);  // a caller may have started another one meanwhile
            continue;
        }
        send_call& upper = *op->upper;
        recycle(*op);
        upper.done(upper, status::cancelled);
    }
}

}  // namespace mqb::core
