// other_thread: a thread that is not the route's, from which fakes complete their calls, in an order of its own.
#pragma once

#include "core/mailbox.hpp"

#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace mqb::shapes {

// put: any thread. The mailboxes outlive what was put for them.
class other_thread {
public:
    explicit other_thread(std::uint64_t seed) : random_(seed), thread_([this] { run(); }) {}
    ~other_thread() {
        {
            std::lock_guard lock{mutex_};
            ending_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    void put(core::mailbox& box, core::mail& m) {
        {
            std::lock_guard lock{mutex_};
            waiting_.push_back({&box, &m});
        }
        wake_.notify_one();
    }

    // Returns when it is not inside a mailbox: what a plugin owes before its free returns.
    void wait_until_idle() {
        std::unique_lock lock{mutex_};
        idle_.wait(lock, [this] { return waiting_.empty() && !is_putting_; });
    }

private:
    struct letter {
        core::mailbox* box;
        core::mail* content;
    };
    void run() {
        std::unique_lock lock{mutex_};
        for (;;) {
            wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
            const letter next = waiting_.back();
            waiting_.pop_back();
            is_putting_ = true;
            lock.unlock();
            next.box->put(*next.content);
            lock.lock();
            is_putting_ = false;
            if (waiting_.empty()) idle_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    bool is_putting_ = false;
    std::vector<letter> waiting_;
    bool ending_ = false;
    std::mt19937_64 random_;
    std::thread thread_;
};

}  // namespace mqb::shapes
