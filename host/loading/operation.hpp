// operation: one call of core into a plugin, with the call struct that the plugin sees. The structs of a handle live as long as its
// instance and are used in turn, so that a completion which comes late or twice hits one that nobody waits for.
#pragma once

#include "core/call.hpp"
#include "core/mailbox.hpp"
#include "core/owned_message.hpp"
#include "host/loading/checking.hpp"
#include "host/loading/gate.hpp"

#include <mqb/call.h>
#include <mqb/store.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mqb::loading {

struct operation;

// The call struct first, so that its address leads back here.
struct abi_call {
    union {
        mqb_call head;
        mqb_receive receive;
        mqb_settle settle;
        mqb_send send;
        mqb_control control;
        mqb_apply apply;
    };
    operation* self;
};

class lent_children;

// What came on another thread while the call was pending, kept for the route's side.
struct kept_answer {
    std::uint32_t index = 0;
    core::owned_message message;  // of a send; the value of a store's entry is its payload
    std::string key;
    std::uint64_t version = 0;
    std::uint64_t expires_in_ns = 0;
};

// answered -> starting -> answered                  the start was the end
// answered -> starting -> pending -> done -> completed  `done` came later; in place of pending `early`: from another thread, before
//                                                   the start returned
// An answer, however it came, is held back in `done` while calls below use arrays of this one.
struct operation : core::mail {
    enum state : std::uint32_t { answered, starting, early, pending, done, completed };

    abi_call abi;
    gate* owner = nullptr;
    class operation_pool* pool = nullptr;
    void* adapter = nullptr;
    std::atomic<entry_point> kind{entry_point::connect};
    core::call* upper = nullptr;
    // Turns the plugin's answer into the upper call's; the last step before that call is answered.
    core::status (*finish)(operation& self, mqb_status answer) noexcept = nullptr;

    // The state, and above it the status that `done` brought.
    std::atomic<std::uint64_t> word{answered};
    std::atomic<const thread_entry*> starter{nullptr};
    std::atomic<std::uint32_t> entries{0};  // indexes that texts and answers may have

    std::mutex notes_mutex;  // over the notes: [any]
    std::atomic<bool> has_notes{false};
    core::explanations texts;
    std::vector<kept_answer> answers;
    std::string json;

    bool breaks_order = false;              // a send that is over and left something undone, where that matters
    bool has_thrown = false;                // the start threw: nobody knows how far it came
    std::unique_ptr<relaid_arrays> relaid;  // only while checking
    operation* next_idle = nullptr;

    [[nodiscard]] state now() const noexcept { return static_cast<state>(word.load(std::memory_order_acquire) & 0xFF); }
    [[nodiscard]] bool is_starting_here() const noexcept {
        return now() == starting && starter.load(std::memory_order_relaxed) == &this_thread_entry();
    }
    // The head of a call struct of this many bytes.
    [[nodiscard]] mqb_call head(std::size_t struct_size) const noexcept {
        return {static_cast<std::uint32_t>(struct_size), 0, abi.head.operation, &on_done, &on_explain};
    }

    // What plugins call.
    static void on_done(mqb_call* call, mqb_status status);
    static void on_explain(mqb_call* call, std::uint32_t entry, mqb_text text);
    [[nodiscard]] static operation& of(mqb_call* call) noexcept { return *reinterpret_cast<abi_call*>(call)->self; }
    // The route's side: what was kept, if anything.
    [[nodiscard]] std::vector<kept_answer> take_answers() {
        if (!has_notes.load(std::memory_order_acquire)) [[likely]]
            return {};
        std::lock_guard lock{notes_mutex};
        has_notes.store(false, std::memory_order_relaxed);
        return std::exchange(answers, {});
    }
    // True if a text or an answer for this entry may come now; otherwise it is a misbehaviour.
    bool accepts(std::uint32_t index, std::string_view what) noexcept;
};

// The operations of one handle. The route's side.
class operation_pool {
public:
    // Between two uses of an operation lie at least so many others.
    static constexpr std::size_t rest = 16;

    // lent: what the instance may lend the arrays of its calls on to; null: nothing.
    explicit operation_pool(gate& owner, lent_children* lent = nullptr);

    // An operation with a new id, in state starting.
    operation& take(entry_point kind, core::call& upper, void* adapter, core::status (*finish)(operation&, mqb_status) noexcept,
                    std::uint32_t entries = 0);
    // What the start answered. The upper call's answer, or pending.
    core::status started(operation& op, mqb_status answer) noexcept;
    // The pending operation of an upper call; null when there is none here.
    [[nodiscard]] operation* pending(const core::call& upper) noexcept;
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
    // Of a publisher with ordered retry. From the `done` of a send that leaves something undone until that is delivered no send is
    // started: it would overtake what is to be sent again.
    void keep_retry_order() noexcept { keeps_retry_order_ = true; }
    // Before a send is started, until its start has returned.
    [[nodiscard]] std::unique_lock<std::recursive_mutex> wait_for_turn() {
        return keeps_retry_order_ ? std::unique_lock{order_mutex_} : std::unique_lock<std::recursive_mutex>{};
    }
    [[nodiscard]] bool may_send() const noexcept { return undone_ == 0; }
    // A call below has ended: what was held back because of it is answered.
    void release_held() noexcept;

private:
    friend struct operation;
    static void deliver(core::mail& m) noexcept;
    [[nodiscard]] bool is_breaking_order(const operation& op) const noexcept;
    [[nodiscard]] bool is_lent_on(const operation& op) const noexcept;
    void hold(operation& op) noexcept;
    core::status end(operation& op, mqb_status answer, operation::state ended) noexcept;
    operation& add();
    void put_back(operation& op) noexcept;

    gate& gate_;
    lent_children* lent_;
    std::deque<operation> all_;
    operation* held_ = nullptr;  // answered too early; linked by next_idle
    operation* first_ = nullptr;
    operation* last_ = nullptr;
    std::size_t idle_ = 0;
    std::size_t in_flight_ = 0;  // pending, until delivered
    std::uint64_t next_id_ = 1;
    bool keeps_retry_order_ = false;
    std::recursive_mutex order_mutex_;  // a start may complete other sends
    std::uint32_t undone_ = 0;          // sends that broke the order and are not delivered; under the mutex
};

}  // namespace mqb::loading
