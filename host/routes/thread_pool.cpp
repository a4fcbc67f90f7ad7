#include "host/routes/thread_pool.hpp"

#include <boost/asio/post.hpp>

#include <memory>

namespace mqb::host {

namespace {

struct retirement {};  // thrown out of run() by the thread that takes it

// Kept for ever: the thread on which a plugin freed its last instance may still be inside the post that told of it, while the
// route, woken by that post, has ended and with it the program's work.
boost::asio::io_context& make_context() {
    static std::mutex mutex;
    static auto& all = *new std::vector<std::unique_ptr<boost::asio::io_context>>;
    std::lock_guard lock{mutex};
    return *all.emplace_back(std::make_unique<boost::asio::io_context>());
}

}  // namespace

thread_pool::thread_pool(unsigned threads) : context_(make_context()) {
    for (unsigned i = 0; i < threads; ++i) add_thread();
}

thread_pool::~thread_pool() {
    work_.reset();
    // No thread starts or retires any more: the watchdog is gone before the pool is.
    for (auto& [id, thread] : threads_) thread.join();
}

void thread_pool::add_thread() {
    std::lock_guard lock{mutex_};
    join_ended();
    std::thread made{&thread_pool::run, this};
    const std::thread::id id = made.get_id();
    threads_.emplace(id, std::move(made));
}

void thread_pool::retire_thread() {
    boost::asio::post(context_, [] { throw retirement{}; });
}

void thread_pool::run() {
    try {
        context_.run();
    } catch (const retirement&) {
        std::lock_guard lock{mutex_};
        ended_.push_back(std::this_thread::get_id());
    }
}

void thread_pool::join_ended() {
    for (const std::thread::id id : ended_) {
        const auto at = threads_.find(id);
        at->second.join();
        threads_.erase(at);
    }
    ended_.clear();
}

}  // namespace mqb::host
