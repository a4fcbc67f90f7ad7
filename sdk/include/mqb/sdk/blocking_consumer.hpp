// blocking_consumer: the base of a consumer whose client library blocks. One thread for each instance; everything runs on it.
//
// The author's class has, all public, of these what it needs; each may block, throws what it likes, and runs on the thread:
//   void connect()
//   status receive(receive_call &, std::chrono::milliseconds slice)   waits at most `slice` for the first message, then gives
//                                   what is there; pending: nothing yet, called again; end, or a failure
//   void settle(settle_call &)      between two slices
//   void idle(std::uint32_t unsettled)   at the period of set_idle_period(), whether or not messages are asked for
//   void free_batch(void *batch)    as for a consumer; without it the batch goes back to its batch_pool
//   void lanes_done(std::uint64_t token), void|status control(control_call &)
//   void disconnect()               the last call on the thread
// and, on any thread,
//   void wake() noexcept            ends a receive that waits, or the next one: then slices may be longer than 50 ms
#pragma once

#include <mqb/sdk/consumer.hpp>
#include <mqb/sdk/worker.hpp>

namespace mqb::sdk {

// Threads: the host's calls only leave a job for the thread; members of the author's class need no lock.
class blocking_consumer : public consumer {
public:
    using own_edge = void;
    using consumer::consumer;
    void set_idle_period(std::chrono::milliseconds period) noexcept { worker_.set_idle_period(period); }  // in the constructor
    bool should_stop() const noexcept { return worker_.should_stop(); }  // the operation that runs now is cancelled
    std::uint32_t unsettled() const noexcept { return unsettled_; }      // on the thread

    // ---- for the edge ----
    detail::worker& thread() noexcept { return worker_; }
    void count_given(void* batch, std::uint32_t messages) {
        left_[batch] = messages;
        unsettled_ += messages;
    }
    void count_settled(const settle_call& call) noexcept {
        const auto found = left_.find(call.batch());
        if (found == left_.end()) return;
        for (const settle_entry entry : call)
            if (entry.is_final() && entry.outcome() != MQB_SETTLE_RETRY && found->second) --found->second, --unsettled_;
    }
    void count_freed(void* batch) noexcept {
        const auto found = left_.find(batch);
        if (found == left_.end()) return;
        unsettled_ -= found->second;
        left_.erase(found);
    }

private:
    std::map<void*, std::uint32_t> left_;  // of each batch that lives
    std::uint32_t unsettled_ = 0;
    detail::worker worker_;
};

}  // namespace mqb::sdk
