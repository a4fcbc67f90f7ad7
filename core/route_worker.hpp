// route_worker: output middlewares of its own on a coroutine of its own, so that their work runs beside that of the other workers.
// Used with concurrency > 1; private to the route's sources.
#pragma once

#include "core/chain_links.hpp"
#include "core/crossing_publisher.hpp"
#include "core/middleware_stack.hpp"
#include "core/timers.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mqb::core {

class route_worker final : public std::enable_shared_from_this<route_worker> {
public:
    // `leaf` is used on the route's side, through `home`.
    route_worker(publisher& leaf, mailbox& home, boost::asio::any_io_executor executor);

    // What its middlewares are made with.
    [[nodiscard]] mailbox& box() noexcept { return box_; }
    [[nodiscard]] timers& clock() noexcept { return clock_; }
    [[nodiscard]] chain_links& links() noexcept { return links_; }
    [[nodiscard]] publisher& base() noexcept { return to_leaf_; }
    // Once, after the middlewares were made. `route` owns the mailbox `home`: it lives at least as long as the coroutine.
    void start(std::vector<std::unique_ptr<publisher>> middlewares, std::shared_ptr<void> route);
    // The whole, as the route uses it.
    [[nodiscard]] publisher& top() noexcept { return *entry_; }
    [[nodiscard]] bool is_started() const noexcept { return entry_.has_value(); }
    void end_pauses();
    // When the first of its nested endpoints connects next, as in connection; `on_next_try` is called at `home` when that has changed.
    [[nodiscard]] std::uint64_t next_try_ns() const noexcept { return next_try_ns_.load(std::memory_order_relaxed); }
    void on_next_try(std::function<void()> tell) { tell_next_try_ = std::move(tell); }
    // Its nested endpoints make no more tries to connect; `home` gets mail when they are at rest.
    void stop_links();
    [[nodiscard]] bool is_at_rest() const noexcept { return !entry_ || (entry_->is_at_rest() && links_rest_); }
    // After top() was closed, or when the route is left behind: the coroutine ends, and `home` gets mail when it has.
    void stop();
    [[nodiscard]] bool has_ended() const noexcept { return !is_started() || ended_; }

private:
    struct end_mail : mail {
        route_worker* self = nullptr;
    };
    void look_at_next_try();
    static boost::asio::awaitable<void> run(std::shared_ptr<route_worker> self, std::shared_ptr<void> route);

    mailbox& home_;
    boost::asio::any_io_executor executor_;
    mailbox box_;
    asio_timers clock_;
    crossing_publisher to_leaf_;
    chain_links links_;  // before the middlewares, which leave it when they go
    std::optional<middleware_stack> stack_;
    std::optional<crossing_publisher> entry_;
    end_mail end_pauses_;         // to the worker
    end_mail stop_links_;         // to the worker
    end_mail stop_;               // to the worker
    end_mail links_are_at_rest_;  // to the route
    end_mail has_ended_;          // to the route
    end_mail next_try_;           // to the route
    std::atomic<bool> next_try_is_out_{false};
    std::atomic<std::uint64_t> next_try_ns_{0};
    std::function<void()> tell_next_try_;  // here
    bool links_stop_ = false;              // there: asked, and not at rest yet
    bool stops_ = false;                   // there
    bool hurries_ = false;                 // here
    bool asked_links_ = false;             // here
    bool asked_stop_ = false;              // here
    bool links_rest_ = true;               // here
    bool ended_ = false;                   // here
};

}  // namespace mqb::core
