// worker: one thread that runs what the host asks of one instance, in order, and lets a turn of waiting run between.
#pragma once

#include <mqb/sdk/call.hpp>
#include <mqb/sdk/thread.hpp>

#include <chrono>
#include <condition_variable>
#include <system_error>
#include <thread>
#include <vector>

namespace mqb::sdk::detail {

enum class job_kind : std::uint8_t { connect, receive, settle, send, control, free_batch, lanes_done };

struct job {
    job_kind kind;
    bool is_cancelled = false;  // before it began
    void* what = nullptr;       // the call, or the batch
    std::uint64_t number = 0;   // the operation, or the token
    bool is_put_off = false;    // not to be begun: what came before it was left undone
};

// Threads: post and cancel are [any]; the body runs on the worker's own thread, and nowhere else.
// Body has: run(job &), idle(), wants_turn(), turn(slice), end(); interrupt() is [any].
class worker {
public:
    using clock = std::chrono::steady_clock;
    // Without a wake-up the thread looks for other work this often: what the host may have to wait for a settle.
    static constexpr std::chrono::milliseconds longest_slice{50};

    worker() = default;
    worker(const worker&) = delete;
    ~worker() { join(); }

    void set_idle_period(std::chrono::milliseconds period) noexcept { period_ = period; }

    // Starts the thread at the first job: inside create none may be started.
    template <class Body>
    void post(Body& body, const job& one) {
        {
            std::lock_guard lock(mutex_);
            posted_.push_back(one);
            if (!thread_.joinable()) start(body);
        }
        changed_.notify_one();
        if (in_turn_.load()) body.interrupt();
    }

    template <class Body>
    void cancel(Body& body, std::uint64_t operation) {
        bool interrupts = false;
        {
            std::lock_guard lock(mutex_);
            for (std::size_t i = first_; i < posted_.size(); ++i)
                if (is_call(posted_[i]) && posted_[i].number == operation) posted_[i].is_cancelled = true;
            if (running_ == operation && runs_call_) should_stop_.store(true), interrupts = true;
            if (turn_of_ == operation && has_turn_) cancels_turn_ = true, interrupts = true;
        }
        changed_.notify_one();
        if (interrupts) body.interrupt();
    }

    // What of this kind has not begun is not to be begun.
    void put_off(job_kind kind) noexcept {
        std::lock_guard lock(mutex_);
        for (std::size_t i = first_; i < posted_.size(); ++i)
            if (posted_[i].kind == kind) posted_[i].is_put_off = true;
    }

    // Whether the host has asked to end the operation that is running now. [any]
    bool should_stop() const noexcept { return should_stop_.load(std::memory_order_relaxed); }

    template <class Body>
    void stop(Body& body) noexcept {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_one();
        if (in_turn_.load()) body.interrupt();
        join();
    }

    // ---- on the thread, for the body: the operation that is waited for, turn by turn ----
    void begin_turns(std::uint64_t operation) noexcept {
        std::lock_guard lock(mutex_);
        // The operation is the running one still: what asked it to end since it began holds for its turns too.
        has_turn_ = true, turn_of_ = operation, cancels_turn_ = should_stop_.load();
    }
    void end_turns() noexcept {
        std::lock_guard lock(mutex_);
        has_turn_ = false;
    }
    bool turn_is_cancelled() noexcept {
        std::lock_guard lock(mutex_);
        return cancels_turn_;
    }

private:
    static bool is_call(const job& one) noexcept { return one.kind != job_kind::free_batch && one.kind != job_kind::lanes_done; }

    void join() noexcept {
        if (thread_.joinable()) thread_.join();
    }
    template <class Body>
    void start(Body& body) {
        try {
            thread_ = start_thread([this, &body] { loop(body); });
        } catch (...) {
            posted_.pop_back();
            throw;
        }
    }

    template <class Body>
    void loop(Body& body) {
        clock::time_point next_idle = clock::now() + period_;
        std::unique_lock lock(mutex_);
        for (;;) {
            if (first_ < posted_.size()) {
                run_first(body, lock);
            } else if (period_.count() > 0 && clock::now() >= next_idle) {
                lock.unlock();
                body.idle();
                next_idle = clock::now() + period_;
                lock.lock();
            } else if (stopping_) {
                break;
            } else if (has_turn_) {
                take_turn(body, next_idle, lock);
            } else if (period_.count() > 0) {
                changed_.wait_until(lock, next_idle);
            } else {
                changed_.wait(lock);
            }
        }
        lock.unlock();
        body.end();
    }

    // The first of the queue; the others stay where cancel finds them.
    template <class Body>
    void run_first(Body& body, std::unique_lock<std::mutex>& lock) {
        job one = posted_[first_++];
        if (first_ == posted_.size() || first_ == 64) {
            posted_.erase(posted_.begin(), posted_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        if (is_call(one)) running_ = one.number, runs_call_ = true, should_stop_.store(false);
        lock.unlock();
        body.run(one);
        lock.lock();
        runs_call_ = false;
    }

    template <class Body>
    void take_turn(Body& body, clock::time_point next_idle, std::unique_lock<std::mutex>& lock) {
        auto slice = Body::can_interrupt ? std::chrono::milliseconds(1000) : longest_slice;
        if (period_.count() > 0) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_idle - clock::now());
            if (left < slice) slice = left.count() > 0 ? left : std::chrono::milliseconds(0);
        }
        // Before the queue is left unlocked: whoever posts from here on interrupts the turn.
        in_turn_.store(true);
        lock.unlock();
        body.turn(slice);
        in_turn_.store(false);
        lock.lock();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<job> posted_;  // from first_ on: not begun
    std::size_t first_ = 0;
    std::chrono::milliseconds period_{0};  // set before the thread starts
    bool stopping_ = false;
    bool runs_call_ = false, has_turn_ = false, cancels_turn_ = false;
    std::uint64_t running_ = 0, turn_of_ = 0;
    std::atomic<bool> should_stop_{false}, in_turn_{false};
    std::thread thread_;
};

}  // namespace mqb::sdk::detail
