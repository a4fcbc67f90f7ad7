// task_thread: one thread for what blocks, such as a disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace mqb::state {

// post: any thread. Tasks run one after the other in the order in which they were posted, and do not throw. The destructor waits
// for all of them. The thread takes no signals.
class task_thread {
public:
    task_thread();
    ~task_thread();
    task_thread(const task_thread&) = delete;
    task_thread& operator=(const task_thread&) = delete;
    void post(std::function<void()> task);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace mqb::state
