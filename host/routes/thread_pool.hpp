// thread_pool: the threads that routes run on. Grows while a plugin keeps one of them.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace mqb::host {

// Every function: any thread that is not one of the pool.
class thread_pool {
public:
    explicit thread_pool(unsigned threads);
    // Waits for all of them: never while one is stuck.
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    [[nodiscard]] boost::asio::any_io_executor executor() { return context_.get_executor(); }
    void add_thread();
    // Whichever is free first.
    void retire_thread();

private:
    void run();
    void join_ended();

    boost::asio::io_context& context_;  // never destroyed
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
    std::mutex mutex_;
    std::map<std::thread::id, std::thread> threads_;
    std::vector<std::thread::id> ended_;
};

}  // namespace mqb::host
