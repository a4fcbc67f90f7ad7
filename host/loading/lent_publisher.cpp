#include "host/loading/lent_publisher.hpp"

#include "host/loading/layout.hpp"
#include "host/loading/message_fault.hpp"

namespace mqb::loading {

const mqb_publisher_table lent_publisher::table_{
    .struct_size = sizeof(mqb_publisher_table),
    .reserved = 0,
    .connect = [](mqb_publisher* p, mqb_call*) { return of(p).forbidden("connect"); },
    .send = [](mqb_publisher* p, mqb_send* s) { return guarded([&] { return of(p).send(s); }); },
    .control = [](mqb_publisher* p, mqb_control*) { return of(p).forbidden("control"); },
    .cancel = [](mqb_publisher* p, std::uint64_t operation) { of(p).cancel(operation); },
    .free = [](mqb_publisher* p) { of(p).forbidden("free"); },
};

mqb_status lent_publisher::send(mqb_send* s) {
    if (const mqb_status admitted = admit(&s->call, sizeof *s); admitted != MQB_OK) return admitted;
    if (!loading::is_sound<mqb_message>(s->messages) || !loading::is_sound<mqb_outcome>(s->outcomes) ||
        s->messages.count != s->outcomes.count) {
        gate_.misbehaved("sends with arrays that do not fit");
        return MQB_REJECTED;
    }
    if (const char* fault = fault_in_messages(s->messages)) {
        gate_.misbehaved(fault);
        return MQB_REJECTED;
    }
    send_op* taken = take(sends_, inner_);
    if (!taken) return MQB_CANCELLED;
    send_op& op = *taken;
    op.done = [](core::call& c, core::status answer) noexcept {
        auto& finished = static_cast<send_op&>(c);
        static_cast<lent_publisher&>(*finished.owner).finished(finished, answer);
    };
    op.core::call::texts.clear();
    op.messages = to_core<const core::message>(s->messages);
    op.outcomes = to_core<core::outcome>(s->outcomes);
    op.core::send_call::answer = s->answer ? &on_answer : nullptr;
    return run(op, &s->call);
}

core::status lent_publisher::begin(send_op& op) noexcept {
    if (may_overlap_) return inner_.send(op);
    op.is_waiting = current_ || first_;
    if (op.is_waiting) {
        op.next = nullptr;
        (last_ ? last_->next : first_) = &op;
        last_ = &op;
        return core::status::pending;
    }
    current_ = &op;
    const core::status s = inner_.send(op);
    if (s == core::status::pending) return s;
    current_ = nullptr;
    if (first_) gate_.post_work([this] { start_next(); });  // came in the middle of this one
    return s;
}

void lent_publisher::finished(send_op& op, core::status answer) noexcept {
    if (current_ == &op) current_ = nullptr;
    ended(op, answer);
    start_next();
}

void lent_publisher::start_next() noexcept {
    while (first_ && !current_ && gate_.now() == phase::running) {
        send_op& op = *first_;
        first_ = op.next;
        if (!first_) last_ = nullptr;
        op.is_waiting = false;
        core::status s = core::status::cancelled;
        if (!op.is_cancelled) {
            current_ = &op;
            s = inner_.send(op);
            if (s == core::status::pending) return;
            current_ = nullptr;
        }
        ended(op, s);
    }
}

void lent_publisher::stop(send_op& op) noexcept {
    if (!op.is_waiting) return inner_.cancel(op);
    op.is_cancelled = true;
    gate_.post_work([this] { end_cancelled(); });  // never inside a cancel
}

void lent_publisher::end_cancelled() noexcept {
    send_op* before = nullptr;
    send_op* op = first_;
    while (op && !op->is_cancelled) before = std::exchange(op, op->next);
    if (!op) return;
    (before ? before->next : first_) = op->next;
    if (last_ == op) last_ = before;
    op->is_waiting = false;
    ended(*op, core::status::cancelled);  // which may start others
    end_cancelled();
}

void lent_publisher::on_answer(core::send_call& c, std::uint32_t index, const core::message& response) {
    auto& op = static_cast<send_op&>(c);
    auto* theirs = reinterpret_cast<mqb_send*>(op.theirs);
    auto& self = static_cast<lent_publisher&>(*op.owner);
    self.gate_.call(entry_point::completion, [&] { theirs->answer(theirs, index, &to_abi(response)); });
}

}  // namespace mqb::loading
