// batch_pool: makes the batches of one consumer and uses them again.
#pragma once

#include <mqb/sdk/batch.hpp>

#include <memory>

namespace mqb::sdk {

template <class Extra>
class batch_pool;

namespace detail {

// A batch with whatever else the consumer has to remember about it. Extra is cleared with `clear()` if it has that.
template <class Extra>
struct batch_with : batch {
    Extra extra{};
};
template <>
struct batch_with<void> : batch {};

}  // namespace detail

// A batch that is being filled. Given to the host or, when it goes out of scope, back to its pool.
template <class Extra>
class open_batch {
public:
    open_batch() = default;
    open_batch(open_batch&& other) noexcept : batch_(std::exchange(other.batch_, nullptr)) {}
    open_batch& operator=(open_batch&& other) noexcept { return std::swap(batch_, other.batch_), *this; }
    ~open_batch() {
        if (batch_) batch_->free_(batch_);
    }
    explicit operator bool() const noexcept { return batch_; }
    detail::batch_with<Extra>* operator->() const noexcept { return batch_; }
    detail::batch_with<Extra>& operator*() const noexcept { return *batch_; }

    // The answer to the call: done, with the messages; without any, "nothing now".
    status give(const receive_call& call) {
        if (batch_->size() == 0) return call.nothing_now();
        batch_->make_ids();
        detail::batch_with<Extra>* one = std::exchange(batch_, nullptr);
        batch* base = one;
        return call.give(mqb_list_of(one->messages_.data(), one->count_, sizeof(mqb_message)), base);
    }

private:
    friend class batch_pool<Extra>;
    explicit open_batch(detail::batch_with<Extra>* one) noexcept : batch_(one) {}
    detail::batch_with<Extra>* batch_ = nullptr;
};

// A member of the consumer. `Extra` is the consumer's own note about a batch: batches_.of(call)->extra.
// Threads: open is one thread at a time; batches come back on any. Destroyed after its last batch has come back.
template <class Extra = void>
class batch_pool {
public:
    using batch_type = detail::batch_with<Extra>;

    batch_pool() : home_(detail::slab_home::make()) {}
    batch_pool(const batch_pool&) = delete;
    ~batch_pool() {
        while (idle_) delete take();
        take_returned();
        while (idle_) delete take();
        home_->close();
    }

    open_batch<Extra> open() {
        if (!idle_) take_returned();
        batch_type* one = idle_ ? take() : make();
        open_batch<Extra> opened(one);
        one->begin(expected_.load(std::memory_order_relaxed));
        one->state_ = batch::living;
        if constexpr (requires { one->extra.clear(); }) one->extra.clear();
        return opened;
    }
    // The batch that a settle names or that is being freed.
    static batch_type* of(void* raw) noexcept { return static_cast<batch_type*>(static_cast<batch*>(raw)); }
    static batch_type* of(const settle_call& call) noexcept { return of(call.batch()); }
    // For a consumer with a free_batch of its own, at its end.
    static void recycle(void* raw) { batch_access::free(of(raw)); }

private:
    batch_type* make() {
        batch_type* one = new batch_type;
        one->home_ = home_;
        one->pool_ = this;
        one->free_ = [](batch* back) { static_cast<batch_pool*>(back->pool_)->put_back(back); };
        return one;
    }
    batch_type* take() noexcept {
        batch* one = idle_;
        idle_ = one->next;
        return static_cast<batch_type*>(one);
    }
    void take_returned() noexcept {
        if (batch* back = returned_.take_all()) idle_ = back;  // called only while idle_ is empty
    }
    void put_back(batch* one) noexcept {
        // What the next batch probably needs: at once more, slowly less.
        const std::size_t expected = expected_.load(std::memory_order_relaxed);
        expected_.store(one->used_ > expected ? one->used_ : expected - (expected - one->used_) / 16, std::memory_order_relaxed);
        one->end(expected);
        one->state_ = batch::idle;
        returned_.push(one);
    }

    detail::slab_home* home_;
    batch* idle_ = nullptr;
    detail::return_stack<batch> returned_;
    std::atomic<std::size_t> expected_{0};
};

}  // namespace mqb::sdk
