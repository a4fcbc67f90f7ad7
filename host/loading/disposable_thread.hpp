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
#include <string>

namespace mqb::loading {

// Starts the work on a detached thread. What it points to must outlive it, however long it takes. False: the system has no thread
// left, and the work was not begun.
[[nodiscard]] bool run_detached(std::function<void()> work);

enum class work_end { in_time, late, no_thread };
// Late: its thread is left to itself.
[[nodiscard]] work_end run_with_limit(std::function<void()> work, std::chrono::milliseconds limit);

// What became of work that did not end in time: "did not return within 30 s", "cannot start a thread".
[[nodiscard]] std::string to_text(work_end end, std::chrono::milliseconds limit);
// "30 s", "50 ms"
[[nodiscard]] std::string limit_text(std::chrono::milliseconds limit);

// The same for a coroutine: exactly one of the end of the work and the limit completes the wait.
class limited_work : public std::enable_shared_from_this<limited_work> {
public:
    static std::shared_ptr<limited_work> make() { return std::make_shared<limited_work>(); }

    // Starts the work and completes with how it ended.
    template <class Token>
    auto async_run(std::function<void()> work, std::chrono::milliseconds limit, Token&& token) {
        return boost::asio::async_initiate<Token, void(work_end)>(
            [self = shared_from_this(), limit](auto handler, std::function<void()> w) {
                boost::asio::any_io_executor executor = boost::asio::get_associated_executor(handler);
                self->start(std::move(w), limit, std::move(executor), std::move(handler));
            },
            token, std::move(work));
    }

private:
    using completion = boost::asio::any_completion_handler<void(work_end)>;
    void start(std::function<void()> work, std::chrono::milliseconds limit, boost::asio::any_io_executor executor, completion handler);
    void finish(work_end end);

    std::mutex mutex_;
    boost::asio::any_io_executor executor_;
    completion handler_;
    std::unique_ptr<boost::asio::steady_timer> timer_;
};

}  // namespace mqb::loading
