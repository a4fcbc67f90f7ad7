#include "host/state/task_thread.hpp"

#include <signal.h>

#include <utility>

namespace mqb::state {

task_thread::task_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it
    thread_ = std::thread{&task_thread::run, this};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

task_thread::~task_thread() {
    {
        std::lock_guard lock{mutex_};
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void task_thread::post(std::function<void()> task) {
    {
        std::lock_guard lock{mutex_};
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
}

void task_thread::run() {
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

}  // namespace mqb::state
