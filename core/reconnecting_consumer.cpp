#include "core/reconnecting_consumer.hpp"

#include <utility>

namespace mqb::core {

reconnecting_consumer::reconnecting_consumer(std::unique_ptr<consumer> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns)
    : leaf_(std::move(leaf)), box_(box), link_(*this, clock, longest_pause_ns) {
    leaf_->listen(this);
    receive_.self = this;
    receive_.done = [](call& c, status answer) noexcept {
        auto& op = static_cast<receive_op&>(c);
        if (!op.self->received(answer)) return;
        receive_call* upper = std::exchange(op.upper, nullptr);
        upper->done(*upper, answer);
    };
    parked_.self = this;
    parked_.deliver = [](mail& m) noexcept {
        auto& p = static_cast<parked_mail&>(m);
        p.posted = false;
        p.self->answer_parked();
    };
}

status reconnecting_consumer::connect(call& c) {
    if (stopped_) return status::cancelled;
    connecting_ = &c;
    connect_answer_ = status::pending;
    inside_connect_ = true;
    link_.begin();
    inside_connect_ = false;
    return connect_answer_;
}

// The first connect ends: by its return value while it is being started, else by its completion.
void reconnecting_consumer::answer_connect(status answer, std::string_view text) {
    call* c = std::exchange(connecting_, nullptr);
    if (!c) return;
    if (!text.empty()) c->texts.set(whole_call, text);
    if (inside_connect_)
        connect_answer_ = answer;
    else
        c->done(*c, answer);
}

void reconnecting_consumer::on_connected() {
    on_state(true, {});
    answer_connect(status::ok, {});
    while (!waiting_settles_.empty() && link_.is_up()) {
        settle_call& c = *waiting_settles_.front();
        waiting_settles_.pop_front();
        const status answer = start_settle(c);
        if (answer != status::pending) c.done(c, answer);
    }
    if (receive_.upper && !receive_.asked && link_.is_up()) {
        receive_call& upper = *receive_.upper;
        status answer = status::cancelled;
        if (receive_.cancelled || stopped_)
            receive_.upper = nullptr;
        else
            answer = receive(upper);
        if (answer != status::pending) upper.done(upper, answer);
    }
}

void reconnecting_consumer::on_not_connected(bool fatal, std::string_view cause) {
    if (fatal) {
        if (connecting_)
            answer_connect(status::bad_config, cause);
        else
            on_bad_config(cause);
        stopped_ = true;
        post_parked();
        return;
    }
    on_state(false, cause);
}

status reconnecting_consumer::receive(receive_call& c) {
    receive_.upper = &c;
    receive_.cancelled = false;
    if (!link_.is_up()) {
        if (stopped_) return receive_.upper = nullptr, status::cancelled;
        return status::pending;
    }
    receive_.max_messages = c.max_messages;
    receive_.max_bytes = c.max_bytes;
    receive_.drain = c.drain;
    receive_.messages = {};
    receive_.batch = nullptr;
    receive_.texts.clear();
    receive_.asked = true;
    ++in_flight_;
    status answer = leaf_->receive(receive_);
    if (answer == status::pending || !received(answer)) return status::pending;
    receive_.upper = nullptr;
    return answer;
}

// True: the caller gets this answer; false: the connection was lost and the receive waits for the next one.
bool reconnecting_consumer::received(status& answer) {
    receive_.asked = false;
    --in_flight_;
    if (answer == status::disconnected || (answer == status::cancelled && !link_.is_up())) {
        lost(receive_.texts.best(whole_call));
        if (!receive_.cancelled && !stopped_) return false;
        answer = status::cancelled;
    } else {
        if (answer == status::ok) link_.has_worked();
        reconnect_if_idle();
    }
    receive_.upper->messages = receive_.messages;
    receive_.upper->batch = receive_.batch;
    if (!receive_.texts.empty()) std::swap(receive_.upper->texts, receive_.texts);
    return true;
}

status reconnecting_consumer::settle(settle_call& c) {
    if (link_.is_up()) return start_settle(c);
    if (stopped_) return status::cancelled;  // nothing recorded: every outcome says so
    waiting_settles_.push_back(&c);
    return status::pending;
}

status reconnecting_consumer::start_settle(settle_call& upper) {
    if (spare_ops_.empty()) {
        ops_.push_back(std::make_unique<settle_op>());
        ops_.back()->self = this;
        ops_.back()->done = [](call& c, status answer) noexcept {
            auto& op = static_cast<settle_op&>(c);
            settle_call* above = op.upper;
            op.self->settled(op, answer);
            above->done(*above, answer == status::disconnected ? status::ok : answer);
        };
        spare_ops_.push_back(ops_.back().get());
    }
    settle_op& op = *spare_ops_.back();
    spare_ops_.pop_back();
    op.upper = &upper;
    op.batch = upper.batch;
    op.entries = upper.entries;
    op.outcomes = upper.outcomes;
    ++in_flight_;
    const status answer = leaf_->settle(op);
    op.in_flight = answer == status::pending;
    if (op.in_flight) return answer;
    settled(op, answer);
    return answer == status::disconnected ? status::ok : answer;  // the outcomes decide
}

void reconnecting_consumer::settled(settle_op& op, status answer) {
    --in_flight_;
    op.in_flight = false;
    if (!op.texts.empty()) std::swap(op.upper->texts, op.texts);
    op.texts.clear();
    spare_ops_.push_back(&op);
    if (answer == status::disconnected)
        lost(op.upper->texts.best(whole_call));
    else
        reconnect_if_idle();
    if (answer == status::ok) link_.has_worked();
}

void reconnecting_consumer::lost(std::string_view cause) {
    if (link_.is_up()) {
        link_.lost();
        on_state(false, cause.empty() ? std::string_view{"disconnected"} : cause);
        // The next connect waits until nothing is in flight.
        if (receive_.asked) leaf_->cancel(receive_);
        for (auto& o : ops_)
            if (o->in_flight) leaf_->cancel(*o);
    }
    reconnect_if_idle();
}

void reconnecting_consumer::reconnect_if_idle() {
    if (in_flight_ == 0 && link_.is_down() && !stopped_) link_.begin_later();
}

void reconnecting_consumer::cancel(call& c) {
    if (&c == connecting_) {
        stop();
    } else if (receive_.upper == &c) {
        receive_.cancelled = true;
        if (receive_.asked)
            leaf_->cancel(receive_);
        else
            post_parked();
    } else {
        leaf_->cancel(c);  // control
    }
}

void reconnecting_consumer::stop() {
    stopped_ = true;
    link_.stop();
    if (!link_.is_up()) post_parked();
}

void reconnecting_consumer::post_parked() {
    if (parked_.posted) return;
    parked_.posted = true;
    box_.put(parked_);
}

void reconnecting_consumer::answer_parked() {
    if (link_.is_up()) return;
    if (stopped_) {
        answer_connect(status::cancelled, {});
        for (settle_call* c : std::exchange(waiting_settles_, {})) c->done(*c, status::cancelled);
    }
    if (receive_.upper && !receive_.asked && (receive_.cancelled || stopped_)) {
        receive_call* upper = std::exchange(receive_.upper, nullptr);
        upper->done(*upper, status::cancelled);
    }
}

}  // namespace mqb::core
