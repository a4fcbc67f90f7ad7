#include "host/loading/disposable_thread.hpp"

#include "host/loading/thread_entry.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <thread>
#include <utility>

namespace mqb::loading {

void run_detached(std::function<void()> work) {
    std::thread([w = std::move(work)] {
        this_thread_entry().is_disposable.store(true, std::memory_order_relaxed);
        w();
    }).detach();
}

bool run_with_limit(std::function<void()> work, std::chrono::milliseconds limit) {
    struct ending {
        std::mutex mutex;
        std::condition_variable wake;
        bool ended = false;
    };
    auto end = std::make_shared<ending>();
    run_detached([end, w = std::move(work)] {
        w();
        std::lock_guard lock{end->mutex};
        end->ended = true;
        end->wake.notify_one();
    });
    std::unique_lock lock{end->mutex};
    return end->wake.wait_for(lock, limit, [&] { return end->ended; });
}

void limited_work::start(std::function<void()> work, std::chrono::milliseconds limit, boost::asio::any_io_executor executor,
                         completion handler) {
    executor_ = std::move(executor);
    handler_.swap(handler);  // Boost 1.81: a move assignment of this type recurses for ever
    timer_ = std::make_unique<boost::asio::steady_timer>(executor_, limit);
    timer_->async_wait([self = shared_from_this()](const boost::system::error_code& e) {
        if (!e) self->finish(false);
    });
    run_detached([self = shared_from_this(), w = std::move(work)] {
        w();
        self->finish(true);
    });
}

// Posts, since the work may end before start has returned. The timer goes with it: it must not outlive the executor, which the
// detached thread may.
void limited_work::finish(bool in_time) {
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
    if (in_time) timer->cancel();
    boost::asio::post(executor, [h = std::move(handler), t = std::move(timer), in_time]() mutable {
        t.reset();
        std::move(h)(in_time);
    });
}

}  // namespace mqb::loading
