#include "host/loading/lent.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/layout.hpp"

#include <string>
#include <utility>

namespace mqb::loading {

mqb_status lent::admit(const mqb_call* call, std::size_t least) noexcept {
    switch (gate_.admits()) {
        case admission::fine: break;
        case admission::late: return MQB_CANCELLED;
        case admission::forbidden: gate_.misbehaved("calls a handle that is lent to it outside of its life"); return MQB_UNSUPPORTED;
    }
    if (!call || call->struct_size < least || !call->done || !call->explain) {
        gate_.misbehaved("calls a handle that is lent to it with a call struct that is too short or has no `done` or `explain`");
        return MQB_UNSUPPORTED;
    }
    return MQB_OK;
}

mqb_status lent::run(lent_op& op, mqb_call* theirs) noexcept {
    {
        std::lock_guard lock{mutex_};
        op.theirs = theirs;
        if (std::ranges::any_of(
                ops_, [&](const lent_op* o) { return o != &op && o->is_taken && o->theirs && o->theirs->operation == theirs->operation; }))
            gate_.misbehaved("uses one operation id for two calls in flight");
    }
    if (!gate_.is_route_side()) return gate_.post(op.start) ? MQB_PENDING : refuse(op, MQB_CANCELLED);
    const core::status s = op.begin();
    if (s == core::status::pending) {
        op.is_started = true;
        return MQB_PENDING;
    }
    write_answer(op, s);
    return refuse(op, to_abi(s));
}

mqb_status lent::refuse(lent_op& op, mqb_status s) noexcept {
    give_back(op);
    return s;
}

void lent::give_back(lent_op& op) noexcept {
    std::lock_guard lock{mutex_};
    op.is_taken = false;
    op.theirs = nullptr;
}

void lent::deliver_start(core::mail& m) noexcept {
    lent_op& op = *static_cast<lent_op::start_mail&>(m).self;
    if (op.owner->gate_.now() == phase::gone) return;
    if (op.is_cancelled) return ended(op, core::status::cancelled);
    const core::status s = op.begin();
    op.is_started = true;
    if (s != core::status::pending) ended(op, s);
}

void lent::write_answer(lent_op& op, core::status s) noexcept {
    const core::explanations& texts = op.texts();
    if (!texts.empty()) {
        auto tell = [&](std::uint32_t entry) {
            const std::string_view text = texts.of(entry);
            if (!text.empty()) gate_.call(entry_point::completion, [&] { op.theirs->explain(op.theirs, entry, text_of(text)); });
        };
        tell(MQB_WHOLE_CALL);
        for (std::uint32_t i = 0; i < op.entries(); ++i) tell(i);
    }
    op.answer(s);
}

void lent::ended(lent_op& op, core::status s) noexcept {
    lent& self = *op.owner;
    if (self.gate_.now() == phase::gone) return;
    self.write_answer(op, s);
    mqb_call* theirs = op.theirs;
    self.give_back(op);
    self.gate_.call(entry_point::completion, [&] { theirs->done(theirs, to_abi(s)); });
    if (self.after_end_) self.after_end_();
    if (self.on_idle_ && self.is_idle()) self.on_idle_();
}

void lent::stop(lent_op& op) noexcept {
    if (op.is_started)
        op.stop();
    else
        op.is_cancelled = true;
}

void lent::cancel(std::uint64_t operation) noexcept {
    switch (gate_.admits()) {
        case admission::fine: break;
        case admission::late: return;
        case admission::forbidden: gate_.misbehaved("calls a handle that is lent to it outside of its life"); return;
    }
    if (gate_.is_route_side()) return cancel_here(operation);
    gate_.post_work([this, operation] { cancel_here(operation); });
}

void lent::cancel_here(std::uint64_t operation) noexcept {
    lent_op* found = nullptr;
    {
        std::lock_guard lock{mutex_};
        auto at =
            std::ranges::find_if(ops_, [&](const lent_op* o) { return o->is_taken && o->theirs && o->theirs->operation == operation; });
        if (at != ops_.end()) found = *at;
    }
    if (found) stop(*found);
}

mqb_status lent::forbidden(const char* slot) noexcept {
    gate_.misbehaved(std::string{"calls "} + slot + " of a handle that is lent to it");
    return MQB_UNSUPPORTED;
}

void lent::end_all(std::function<void()> on_idle) {
    on_idle_ = std::move(on_idle);
    std::vector<lent_op*> open;
    {
        std::lock_guard lock{mutex_};
        is_ending_ = true;
        std::ranges::copy_if(ops_, std::back_inserter(open), [](const lent_op* o) { return o->is_taken; });
    }
    for (lent_op* op : open) stop(*op);
}

bool lent::is_using(const mqb_list& elements, const mqb_list& outcomes) const noexcept {
    const memory_span one = span_of(elements), other = span_of(outcomes);
    std::lock_guard lock{mutex_};
    return std::ranges::any_of(ops_, [&](const lent_op* o) { return uses(*o, one, other); });
}

void lent::stop_using(const mqb_list& elements, const mqb_list& outcomes) noexcept {
    const memory_span one = span_of(elements), other = span_of(outcomes);
    for (std::size_t i = 0;; ++i) {
        lent_op* op = nullptr;
        {
            std::lock_guard lock{mutex_};
            if (i == ops_.size()) return;
            if (uses(*ops_[i], one, other)) op = ops_[i];
        }
        if (op) stop(*op);
    }
}

bool lent::is_ending() const {
    std::lock_guard lock{mutex_};
    return is_ending_;
}

bool lent::is_idle() const {
    std::lock_guard lock{mutex_};
    return std::ranges::none_of(ops_, &lent_op::is_taken);
}

}  // namespace mqb::loading
