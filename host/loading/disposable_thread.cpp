#include "host/loading/disposable_thread.hpp"

#include "host/loading/thread_entry.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <system_error>
#include <thread>
#include <utility>

namespace mqb::loading {

bool run_detached(std::function<void()> work) try {
    std::thread([w = std::move(work)] {
        this_thread_entry().is_disposable.store(true, std::memory_order_relaxed);
        w();
    }).detach();
    return true;
} catch (const std::system_error&) { return false; }

std::string limit_text(std::chrono::milliseconds limit) {
    return limit.count() % 1000 ? std::to_string(limit.count()) + " ms" : std::to_string(limit.count() / 1000) + " s";
}

std::string to_text(work_end end, std::chrono::milliseconds limit) {
    return end == work_end::no_thread ? "could not be called: cannot start a thread" : "did not return within " + limit_text(limit);
}

work_end run_with_limit(std::function<void()> work, std::chrono::milliseconds limit) {
    struct ending {
        std::mutex mutex;
        std::condition_variable wake;
        bool ended = false;
    };
    auto end = std::make_shared<ending>();
    const bool is_begun = run_detached([end, w = std::move(work)] {
        w();
        std::lock_guard lock{end->mutex};
        end->ended = true;
        end->wake.notify_one();
    });
    if (!is_begun) return work_end::no_thread;
    std::unique_lock lock{end->mutex};
    return end->wake.wait_for(lock, limit, [&] { return end->ended; }) ? work_end::in_time : work_end::late;
}

void limited_work::start(std::function<void()> work, std::chrono::milliseconds limit, boost::asio::any_io_executor executor,
                         completion handler) {
    executor_ = std::move(executor);
    handler_.swap(handler);  // Boost 1.81: a move assignment of this type recurses for ever
    timer_ = std::make_unique<boost::asio::steady_timer>(executor_, limit);
    timer_->async_wait([self = shared_from_this()](const boost::system::error_code& e) {
        if (!e) self->finish(work_end::late);
    });
    const bool is_begun = run_detached([self = shared_from_this(), w = std::move(work)] {
        w();
        self->finish(work_end::in_time);
    });
    if (!is_begun) finish(work_end::no_thread);
}

// Posts, since the work may end before start has returned. The timer goes with it: it must not outlive the executor, which the
// detached thread may.
void limited_work::finish(work_end end) {
    completion handler;
    boost::asio::any_io_executor executor;
    std::unique_ptr<boost::asio::steady_timer> timer;
    {
        std::lock_guard lock{mutex_};
        if (!handler_) return;
        handler.swap(handler_);
        executor = std::exchange(executor_, boost::asio::any_io_executor{});
        timer = std::move(timer_);
    }
    if (end != work_end::late) timer->cancel();
    boost::asio::post(executor, [h = std::move(handler), t = std::move(timer), end]() mutable {
        t.reset();
        std::move(h)(end);
    });
}

}  // namespace mqb::loading
