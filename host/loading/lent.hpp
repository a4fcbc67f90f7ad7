// lent: what all handles that the host lends to a middleware have in common. A middleware may call them on the route's side, where
// the inner object is called at once, or from a thread of its own: then the call waits in the route's mailbox.
#pragma once

#include "core/call.hpp"
#include "core/mailbox.hpp"
#include "host/loading/gate.hpp"

#include <mqb/plugin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace mqb::loading {

// The memory of an array.
struct memory_span {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    [[nodiscard]] bool meets(const memory_span& other) const noexcept { return from < other.to && other.from < to; }
};
// List: mqb_list or core::list.
template <class List>
[[nodiscard]] memory_span span_of(const List& list) noexcept {
    const auto from = reinterpret_cast<std::uintptr_t>(list.first);
    return {from, list.count ? from + std::uintptr_t{list.count - 1} * list.stride + list.size : from};
}

// One call of a middleware into the inner object.
struct lent_op {
    struct start_mail : core::mail {
        lent_op* self = nullptr;
    } start;
    class lent* owner = nullptr;
    mqb_call* theirs = nullptr;
    bool is_taken = false;
    bool is_started = false;  // the inner object has it
    bool is_cancelled = false;

    virtual ~lent_op() = default;
    // Calls the inner object.
    virtual core::status begin() noexcept = 0;
    // Asks the inner object to end it.
    virtual void stop() noexcept = 0;
    // Writes the answer into the middleware's struct.
    virtual void answer(core::status s) noexcept { (void)s; }
    // The inner call, for its texts, and how many entries it has.
    virtual const core::explanations& texts() const noexcept = 0;
    virtual std::uint32_t entries() const noexcept { return 0; }
    // Whether one of its arrays lies there.
    virtual bool uses(const memory_span&) const noexcept { return false; }
};

// One lent handle, made for one instance.
class lent {
public:
    explicit lent(gate& borrower) : gate_(borrower) {}
    virtual ~lent() = default;
    lent(const lent&) = delete;
    lent& operator=(const lent&) = delete;

    // For mqb_child.
    [[nodiscard]] virtual void* handle() noexcept = 0;
    [[nodiscard]] virtual std::uint32_t kind() const noexcept = 0;

    // The route's side. Cancels what is pending, refuses new starts, and calls on_idle after each completion that may have been the
    // last.
    void end_all(std::function<void()> on_idle);
    [[nodiscard]] bool is_idle() const;
    // The route's side. Called after the end of each call that did not end in its start.
    void watch(std::function<void()> after_end) { after_end_ = std::move(after_end); }
    // Whether a call that has not ended has an array in either of these lists.
    [[nodiscard]] bool is_using(const mqb_list& elements, const mqb_list& outcomes) const noexcept;
    // The route's side. Cancels those calls.
    void stop_using(const mqb_list& elements, const mqb_list& outcomes) noexcept;

protected:
    // OK for a struct that can be answered, at a time at which it is; otherwise the answer.
    [[nodiscard]] mqb_status admit(const mqb_call* call, std::size_t least) noexcept;
    // For a slot: what is thrown on the host's side stays there.
    template <class Fn>
    static mqb_status guarded(Fn fn) noexcept {
        try {
            return fn();
        } catch (...) {
            return MQB_RETRY;  // no memory for one more operation
        }
    }
    [[nodiscard]] bool is_ending() const;
    // Runs a prepared op: at once, or by mail.
    mqb_status run(lent_op& op, mqb_call* theirs) noexcept;
    void cancel(std::uint64_t operation) noexcept;
    // A slot that only the host may call.
    mqb_status forbidden(const char* slot) noexcept;
    // What core's `done` of an op leads to.
    static void ended(lent_op& op, core::status s) noexcept;

    // A spare op, or a new one that is made with `inner`. Null when all are being ended, or when it would not be the only one and has
    // to be.
    template <class Op, class Inner>
    Op* take(std::deque<Op>& all, Inner& inner, bool has_to_be_only = false) {
        std::lock_guard lock{mutex_};
        if (is_ending_) return nullptr;
        if (has_to_be_only && std::ranges::any_of(all, &Op::is_taken)) return nullptr;
        for (Op& op : all)
            if (!op.is_taken) return claim(op);
        ops_.reserve(ops_.size() + 1);
        Op& op = all.emplace_back(inner);
        op.owner = this;
        op.start.self = &op;
        op.start.deliver = &lent::deliver_start;
        ops_.push_back(&op);
        return claim(op);
    }

    gate& gate_;

private:
    template <class Op>
    static Op* claim(Op& op) noexcept {
        op.is_taken = true;
        op.is_started = op.is_cancelled = false;
        op.theirs = nullptr;
        return &op;
    }
    [[nodiscard]] static bool uses(const lent_op& op, const memory_span& elements, const memory_span& outcomes) noexcept {
        return op.is_taken && op.theirs && (op.uses(elements) || op.uses(outcomes));
    }
    static void deliver_start(core::mail& m) noexcept;
    void cancel_here(std::uint64_t operation) noexcept;
    void stop(lent_op& op) noexcept;
    mqb_status refuse(lent_op& op, mqb_status s) noexcept;
    void write_answer(lent_op& op, core::status s) noexcept;
    void give_back(lent_op& op) noexcept;

    mutable std::mutex mutex_;  // over the list, and which of it is taken
    std::vector<lent_op*> ops_;
    bool is_ending_ = false;
    std::function<void()> on_idle_;  // the route's side, as the next
    std::function<void()> after_end_;
};

}  // namespace mqb::loading
