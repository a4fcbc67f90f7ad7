// block: counted memory into which a connection reads; messages are parts of it.
#pragma once

#include <mqb/message.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace mqb::memory {

// Threads: counted, [any]; written by the one who made it, behind what others have been shown.
class block : private mqb_owner {
public:
    // With one count. Throws bad_alloc.
    static block* make(std::size_t capacity) {
        void* memory = std::malloc(sizeof(block) + capacity);
        if (!memory) throw std::bad_alloc();
        return new (memory) block(capacity);
    }
    block(const block&) = delete;

    mqb_owner* owner() noexcept { return this; }
    std::uint8_t* bytes() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
    std::size_t capacity() const noexcept { return capacity_; }
    bool is_only_ours() const noexcept { return holders_.load(std::memory_order_acquire) == 1; }
    void retain() noexcept { retained(this); }
    void release() noexcept { released(this); }

private:
    explicit block(std::size_t capacity) noexcept
        : mqb_owner{sizeof(mqb_owner), 0, sizeof(block) + capacity, retained, released}, capacity_(capacity) {}
    ~block() = default;
    static void retained(mqb_owner* self) { static_cast<block*>(self)->holders_.fetch_add(1, std::memory_order_relaxed); }
    static void released(mqb_owner* self) {
        auto* one = static_cast<block*>(self);
        if (one->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        one->~block();
        std::free(one);
    }

    std::atomic<std::uint32_t> holders_{1};
    const std::size_t capacity_;
};

}  // namespace mqb::memory
