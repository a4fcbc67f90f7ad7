#include "host/loading/operation.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/lent_children.hpp"

#include <cstddef>
#include <utility>

namespace mqb::loading {

namespace {

constexpr std::uint64_t with_status(operation::state s, mqb_status status) {
    return std::uint64_t{s} | (std::uint64_t{static_cast<std::uint32_t>(status)} << 32);
}
constexpr mqb_status status_in(std::uint64_t word) { return static_cast<mqb_status>(static_cast<std::uint32_t>(word >> 32)); }

// What an answer that this host does not know counts as.
mqb_status sane(mqb_status answer, entry_point kind) noexcept {
    if (answer >= MQB_OK && answer <= MQB_UNSUPPORTED && answer != MQB_PENDING) return answer;
    return kind == entry_point::send ? MQB_RETRY : MQB_DISCONNECTED;
}

}  // namespace

void operation::on_done(mqb_call* call, mqb_status status) {
    operation& op = of(call);
    operation_pool& pool = *op.pool;
    std::unique_lock<std::recursive_mutex> turn;
    if (pool.keeps_retry_order_ && !op.is_starting_here()) turn = std::unique_lock{pool.order_mutex_};
    std::uint64_t word = op.word.load(std::memory_order_acquire);
    for (;;) {
        const auto s = static_cast<state>(word & 0xFF);
        if (s != pending && s != starting) {
            op.owner->misbehaved(op.kind.load(std::memory_order_relaxed),
                                 s == answered ? "called `done` of a call that it had answered" : "completed twice");
            return;
        }
        const bool inside = s == starting && op.starter.load(std::memory_order_relaxed) == &this_thread_entry();
        const bool in_cancel = s == pending && op.owner->is_inside_cancel();
        // From the exchange on the operation may be used again at any moment.
        gate& owner = *op.owner;
        const entry_point kind = op.kind.load(std::memory_order_relaxed);
        op.breaks_order = turn.owns_lock() && pool.is_breaking_order(op);
        if (op.breaks_order) ++pool.undone_;
        if (!op.word.compare_exchange_strong(word, with_status(s == pending ? done : early, status), std::memory_order_acq_rel)) {
            if (op.breaks_order) --pool.undone_;
            continue;
        }
        if (s == pending) owner.post(op);
        if (inside) owner.misbehaved(kind, "completed inside its own start");
        if (in_cancel) owner.misbehaved(kind, "completed inside a cancel");
        return;
    }
}

bool operation::accepts(std::uint32_t index, std::string_view what) noexcept {
    const state s = now();
    if (s != starting && s != pending) {
        owner->misbehaved(kind, std::string{what} + " a call that had ended");
        return false;
    }
    if (index != MQB_WHOLE_CALL && index >= entries.load(std::memory_order_relaxed)) {
        owner->misbehaved(kind, std::string{what} + " an entry that the call does not have");
        return false;
    }
    return true;
}

void operation::on_explain(mqb_call* call, std::uint32_t entry, mqb_text text) try {
    operation& op = of(call);
    if (!op.accepts(entry, "explained")) return;
    const std::string clean = op.owner->without_secrets(readable(view(text)));
    std::lock_guard lock{op.notes_mutex};
    op.texts.set(entry, clean);
    op.has_notes.store(true, std::memory_order_release);
} catch (...) {}  // no memory for a text

bool operation_pool::is_breaking_order(const operation& op) const noexcept {
    if (op.kind.load(std::memory_order_relaxed) != entry_point::send) return false;
    const mqb_list& outcomes = op.abi.send.outcomes;
    for (std::uint32_t i = 0; i < outcomes.count; ++i) {
        const std::int32_t r = mqb_outcome_at(&outcomes, i)->result;
        if (r != MQB_DONE && r != MQB_REFUSED) return true;
    }
    return false;
}

operation_pool::operation_pool(gate& owner, lent_children* lent) : gate_(owner), lent_(lent) {
    for (std::size_t i = 0; i < rest; ++i) put_back(add());
}

operation& operation_pool::add() {
    operation& op = all_.emplace_back();
    op.abi = {};
    op.abi.self = &op;
    op.owner = &gate_;
    op.pool = this;
    op.deliver = &operation_pool::deliver;
    return op;
}

void operation_pool::put_back(operation& op) noexcept {
    op.next_idle = nullptr;
    (last_ ? last_->next_idle : first_) = &op;
    last_ = &op;
    ++idle_;
}

operation& operation_pool::take(entry_point kind, core::call& upper, void* adapter, core::status (*finish)(operation&, mqb_status) noexcept,
                                std::uint32_t entries) {
    if (idle_ <= rest) put_back(add());
    operation& op = *first_;
    first_ = op.next_idle;
    if (!first_) last_ = nullptr;
    --idle_;
    if (op.has_notes.load(std::memory_order_relaxed)) {  // a text that came after the end
        std::lock_guard lock{op.notes_mutex};
        op.texts.clear();
        op.answers.clear();
        op.json.clear();
        op.has_notes.store(false, std::memory_order_relaxed);
    }
    if (!upper.texts.empty()) upper.texts.clear();
    op.kind.store(kind, std::memory_order_relaxed);
    op.upper = &upper;
    op.adapter = adapter;
    op.finish = finish;
    op.has_thrown = op.breaks_order = false;
    op.entries.store(entries, std::memory_order_relaxed);
    op.starter.store(&this_thread_entry(), std::memory_order_relaxed);
    op.abi.head.operation = next_id_++;
    op.word.store(operation::starting, std::memory_order_release);
    return op;
}

core::status operation_pool::started(operation& op, mqb_status answer) noexcept {
    if (answer != MQB_PENDING) [[likely]] {
        if (op.word.load(std::memory_order_relaxed) != operation::starting)
            gate_.misbehaved(op.kind.load(std::memory_order_relaxed), "answered a call and called its `done` too");
        if (!is_lent_on(op)) [[likely]]
            return end(op, answer, operation::answered);
        ++in_flight_;
        op.word.store(with_status(operation::done, answer), std::memory_order_release);
        hold(op);
        return core::status::pending;
    }
    ++in_flight_;
    std::uint64_t word = operation::starting;
    if (!op.word.compare_exchange_strong(word, operation::pending, std::memory_order_acq_rel)) {
        op.word.store(with_status(operation::done, status_in(word)), std::memory_order_release);
        gate_.post(op);
    }
    return core::status::pending;
}

bool operation_pool::is_lent_on(const operation& op) const noexcept {
    if (!lent_ || lent_->all().empty()) [[likely]]
        return false;
    switch (op.kind.load(std::memory_order_relaxed)) {
        case entry_point::send: return lent_->are_using(op.abi.send.messages, op.abi.send.outcomes);
        case entry_point::settle: return lent_->are_using(op.abi.settle.entries, op.abi.settle.outcomes);
        case entry_point::apply: return lent_->are_using(op.abi.apply.entries, op.abi.apply.outcomes);
        default: return false;
    }
}

// The caller may free the arrays once it has its answer, and somebody below still reads and writes them.
void operation_pool::hold(operation& op) noexcept {
    const entry_point kind = op.kind.load(std::memory_order_relaxed);
    op.next_idle = std::exchange(held_, &op);
    gate_.misbehaved(kind, "ended before a call of its inner side that has the same arrays");
    switch (kind) {
        case entry_point::send: return lent_->stop_using(op.abi.send.messages, op.abi.send.outcomes);
        case entry_point::settle: return lent_->stop_using(op.abi.settle.entries, op.abi.settle.outcomes);
        default: return lent_->stop_using(op.abi.apply.entries, op.abi.apply.outcomes);
    }
}

void operation_pool::release_held() noexcept {
    for (operation* op = std::exchange(held_, nullptr); op;) {
        operation* next = op->next_idle;
        if (is_lent_on(*op))
            op->next_idle = std::exchange(held_, op);
        else
            gate_.post(*op);
        op = next;
    }
}

operation* operation_pool::pending(const core::call& upper) noexcept {
    if (in_flight_ == 0) return nullptr;
    for (operation& op : all_)
        if (op.now() == operation::pending && op.upper == &upper) return &op;
    return nullptr;
}

core::status operation_pool::end(operation& op, mqb_status answer, operation::state ended) noexcept {
    core::call& upper = *op.upper;
    const entry_point kind = op.kind.load(std::memory_order_relaxed);
    if (op.has_notes.load(std::memory_order_acquire)) [[unlikely]] {
        std::lock_guard lock{op.notes_mutex};
        upper.texts = std::exchange(op.texts, {});
    }
    const mqb_status known = sane(answer, kind);
    if (known != answer) [[unlikely]] {
        if (answer == MQB_PENDING)
            gate_.misbehaved(kind, "completed with PENDING");
        else
            upper.texts.set(core::whole_call, gate_.site(kind).text() + " answered the unknown status " + std::to_string(answer));
    }
    if (gate_.has_thrown()) [[unlikely]]
        upper.texts.set(core::whole_call, gate_.take_thrown());
    const core::status result = op.finish(op, known);
    op.upper = nullptr;
    op.word.store(ended, std::memory_order_release);
    put_back(op);
    return result;
}

void operation_pool::deliver(core::mail& m) noexcept {
    auto& op = static_cast<operation&>(m);
    if (op.owner->now() == phase::gone) return;  // nobody is there to be told
    if (op.pool->is_lent_on(op)) [[unlikely]]
        return op.pool->hold(op);
    core::call& upper = *op.upper;
    --op.pool->in_flight_;
    if (op.breaks_order) {
        std::lock_guard lock{op.pool->order_mutex_};
        --op.pool->undone_;
    }
    const core::status answer = op.pool->end(op, status_in(op.word.load(std::memory_order_acquire)), operation::completed);
    upper.done(upper, answer);  // which may start, cancel or close
}

}  // namespace mqb::loading
