// return_stack: used things on their way back from any thread to the one that uses them again.
#pragma once

#include <atomic>

namespace mqb::sdk::detail {

// Threads: push is [any]; take_all is one thread at a time. Nothing is popped singly by two threads, so there is no ABA.
template <class T>
class return_stack {
public:
    void push(T* one) noexcept {
        T* head = head_.load(std::memory_order_relaxed);
        do one->next = head;
        while (!head_.compare_exchange_weak(head, one, std::memory_order_seq_cst, std::memory_order_relaxed));
    }
    // A chain by `next`, the last pushed first.
    T* take_all() noexcept { return head_.load(std::memory_order_relaxed) ? head_.exchange(nullptr, std::memory_order_seq_cst) : nullptr; }

private:
    std::atomic<T*> head_{nullptr};
};

}  // namespace mqb::sdk::detail
