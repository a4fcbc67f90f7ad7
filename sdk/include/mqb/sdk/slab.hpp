// slab: one counted block of memory that holds the payloads and metadata of a batch, used again when nobody holds it any more.
#pragma once

#include <mqb/message.h>
#include <mqb/sdk/return_stack.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

namespace mqb::sdk::detail {

class slab_home;

// Behind the last byte come 64 more that may be read, for code that reads whole vectors.
struct slab {
    static constexpr std::size_t tail = 64;

    mqb_owner owner;  // first: the host's pointer is ours
    std::atomic<std::uint32_t> count;
    std::uint32_t reserved;
    slab_home* home;
    slab* next;
    std::size_t capacity;

    std::uint8_t* bytes() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
    bool is_only_ours() const noexcept { return count.load(std::memory_order_acquire) == 1; }
    void release() noexcept { owner.release(&owner); }
};

// Where the slabs of one consumer come back to. It outlives the consumer until the last of them is released.
// Threads: take is one thread at a time; slabs come back on any.
class slab_home {
public:
    static constexpr std::size_t small = 64 << 10;  // a slab up to this size is good for any batch that fits in it

    static slab_home* make() { return new slab_home; }
    slab_home(const slab_home&) = delete;

    // A slab of at least `size` bytes with one count.
    slab* take(std::size_t size) {
        for (slab* back = returned_.take_all(); back;) {
            slab* next = back->next;
            back->next = idle_, idle_ = back, ++idle_count_;
            back = next;
        }
        slab* found = nullptr;
        for (slab** at = &idle_; *at;) {
            slab* one = *at;
            const bool fits = one->capacity >= size && (one->capacity <= small || one->capacity / 8 <= size);
            if ((fits && !found) || idle_count_ > most_idle) {
                *at = one->next, --idle_count_;
                if (fits && !found)
                    found = one;
                else
                    discard(one);
            } else {
                at = &one->next;
            }
        }
        if (!found) return allocate(size);
        found->count.store(1, std::memory_order_relaxed);
        return found;
    }

    // The consumer is gone: what comes back from now on is freed.
    void close() noexcept {
        closed_.store(true, std::memory_order_seq_cst);
        discard_all(idle_);
        discard_all(returned_.take_all());
        drop();
    }

private:
    static constexpr std::size_t most_idle = 16, least_size = 4096;

    slab_home() = default;
    slab* allocate(std::size_t size) {
        if (size < least_size) size = least_size;
        void* memory = std::malloc(sizeof(slab) + size + slab::tail);
        if (!memory) throw std::bad_alloc();
        slab* one =
            new (memory) slab{{sizeof(mqb_owner), 0, sizeof(slab) + size + slab::tail, retain, released}, {1}, 0, this, nullptr, size};
        std::memset(one->bytes() + size, 0, slab::tail);
        holders_.fetch_add(1, std::memory_order_relaxed);
        return one;
    }
    void discard(slab* one) noexcept {
        std::free(one);
        drop();
    }
    void discard_all(slab* chain) noexcept {
        while (chain) {
            slab* next = chain->next;
            discard(chain);
            chain = next;
        }
    }
    void drop() noexcept {
        if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    static void retain(mqb_owner* owner) { reinterpret_cast<slab*>(owner)->count.fetch_add(1, std::memory_order_relaxed); }
    static void released(mqb_owner* owner) {
        slab* one = reinterpret_cast<slab*>(owner);
        if (one->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        slab_home* home = one->home;
        // One holder more, since after the push the slab, and with it the home, may be freed by close on another thread.
        home->holders_.fetch_add(1, std::memory_order_relaxed);
        home->returned_.push(one);
        if (home->closed_.load(std::memory_order_seq_cst)) home->discard_all(home->returned_.take_all());
        home->drop();
    }

    return_stack<slab> returned_;
    slab* idle_ = nullptr;
    std::size_t idle_count_ = 0;
    std::atomic<bool> closed_{false};
    std::atomic<std::size_t> holders_{1};  // the consumer, and every slab that exists
};

}  // namespace mqb::sdk::detail
