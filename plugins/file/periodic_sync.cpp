#include "periodic_sync.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include <mqb/sdk/thread.hpp>

namespace mqb::file {

periodic_sync::~periodic_sync() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void periodic_sync::start() {
    if (!thread_.joinable()) thread_ = sdk::start_thread([this] { run(); });
}

void periodic_sync::wrote(int descriptor) {
    bool is_first;
    {
        std::lock_guard lock(mutex_);
        is_first = !dirty_;
        descriptor_ = descriptor;
        if (is_first) since_ = clock::now();
        dirty_ = true;
    }
    if (is_first) changed_.notify_all();
}

int periodic_sync::error() {
    std::lock_guard lock(mutex_);
    return error_;
}

int periodic_sync::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !syncing_; });
    if (dirty_ && error_ == 0 && ::fdatasync(descriptor_) != 0) error_ = errno;
    dirty_ = false;
    descriptor_ = -1;
    return std::exchange(error_, 0);
}

void periodic_sync::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (!dirty_ || error_ != 0) {
            changed_.wait(lock);
            continue;
        }
        if (const auto at = due(); clock::now() < at) {
            changed_.wait_until(lock, at);
            continue;
        }
        dirty_ = false;
        syncing_ = true;
        const int descriptor = descriptor_;
        lock.unlock();
        const auto begin = clock::now();
        const int error = ::fdatasync(descriptor) == 0 ? 0 : errno;
        const auto took = clock::now() - begin;
        lock.lock();
        // A disk that was slow once is forgotten in time.
        longest_ = std::max<clock::duration>(took, longest_ - longest_ / 8);
        syncing_ = false;
        if (error != 0) error_ = error;
        changed_.notify_all();
    }
}

}  // namespace mqb::file
