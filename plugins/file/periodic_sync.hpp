// Periodic sync: brings what was written to a file to the disk within an interval, on a thread of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace mqb::file {

// new -> idle -> watching one descriptor -> idle. Made, called and destroyed by one thread at a time. An error is final for the descriptor: after a failed sync the system may have dropped what it could not write, and another
// sync that succeeds says nothing about it.
class periodic_sync {
public:
    using clock = std::chrono::steady_clock;

    explicit periodic_sync(std::chrono::milliseconds interval) : interval_(interval) {}
    periodic_sync(const periodic_sync&) = delete;
    periodic_sync& operator=(const periodic_sync&) = delete;
    ~periodic_sync();

    // Starts the thread, once. Throws what std::thread throws.
    void start();
    // Something was written to it, which stays open until `finish` has returned.
    void wrote(int descriptor);
    // 0, or the errno of a sync that failed since the descriptor was written to first.
    int error();
    // Ends a sync that is going on, and brings the rest to the disk: at most two syncs. 0 or errno, also of an earlier one. The
    // descriptor may be closed then.
    int finish();

private:
    void run();
    clock::time_point due() const { return since_ + interval_ - std::min<clock::duration>(2 * longest_, interval_ / 2); }

    std::chrono::milliseconds interval_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int descriptor_ = -1;
    int error_ = 0;
    bool dirty_ = false, syncing_ = false, stopping_ = false;
    clock::time_point since_;     // the oldest write that is not on the disk
    clock::duration longest_{0};  // that a sync took: it begins so much earlier, twice
    std::thread thread_;
};

}  // namespace mqb::file
