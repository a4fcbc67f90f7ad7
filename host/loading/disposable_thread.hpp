// disposable_thread: runs one piece of work that may block for ever on a thread of its own, and waits for it only so long.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace mqb::loading {

// Starts the work on a detached thread. What it points to must outlive it, however long it takes.
void run_detached(std::function<void()> work);

// True if the work ended within the limit. Otherwise its thread is left to itself.
[[nodiscard]] bool run_with_limit(std::function<void()> work, std::chrono::milliseconds limit);

// The same for a coroutine: exactly one of the end of the work and the limit completes the wait.
class limited_work : public std::enable_shared_from_this<limited_work> {
public:
    static std::shared_ptr<limited_work> make() { return std::make_shared<limited_work>(); }

    // Starts the work and completes with true if it ended within the limit.
    template <class Token>
    auto async_run(std::function<void()> work, std::chrono::milliseconds limit, Token&& token) {
        return boost::asio::async_initiate<Token, void(bool)>(
            [self = shared_from_this(), limit](auto handler, std::function<void()> w) {
                boost::asio::any_io_executor executor = boost::asio::get_associated_executor(handler);
                self->start(std::move(w), limit, std::move(executor), std::move(handler));
            },
            token, std::move(work));
    }

private:
    using completion = boost::asio::any_completion_handler<void(bool)>;
    void start(std::function<void()> work, std::chrono::milliseconds limit, boost::asio::any_io_executor executor, completion handler);
    void finish(bool in_time);

    std::mutex mutex_;
    boost::asio::any_io_executor executor_;
    completion handler_;
    std::unique_ptr<boost::asio::steady_timer> timer_;
};

}  // namespace mqb::loading
