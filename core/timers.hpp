// timers: the clock and the timers of one route. Tests drive a clock of their own.
#pragma once

#include "core/mailbox.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <map>
#include <memory>

namespace mqb::core {

// One wait. Delivered through the route's mailbox at its time or soon after, or when cancelled; once.
struct timer : mail {
    bool was_cancelled = false;
    std::weak_ptr<void> below;  // the clock's own note about the last wait; goes with it, so that a timer may outlive the executor
};

// `ns` after `now`; the end of time where that is later.
[[nodiscard]] constexpr std::uint64_t later(std::uint64_t now, std::uint64_t ns) noexcept {
    return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

// now_*: any thread. wait and cancel: only the route that owns it.
class timers {
public:
    virtual ~timers() = default;
    [[nodiscard]] virtual std::uint64_t now_steady() const noexcept = 0;  // ns
    [[nodiscard]] virtual std::uint64_t now_wall() const noexcept = 0;    // ns since 1970
    virtual void wait_until(std::uint64_t steady_ns, timer& t) = 0;
    // Ignored when the timer is not pending. It is still delivered.
    virtual void cancel(timer& t) = 0;
};

// The real clock.
class asio_timers final : public timers {
public:
    asio_timers(boost::asio::any_io_executor executor, mailbox& box) : executor_(std::move(executor)), box_(box) {}
    [[nodiscard]] std::uint64_t now_steady() const noexcept override;
    [[nodiscard]] std::uint64_t now_wall() const noexcept override;
    void wait_until(std::uint64_t steady_ns, timer& t) override;
    void cancel(timer& t) override;

private:
    boost::asio::any_io_executor executor_;
    mailbox& box_;
};

// A clock that a test moves. Not thread-safe.
class manual_timers final : public timers {
public:
    explicit manual_timers(mailbox& box) : box_(box) {}
    [[nodiscard]] std::uint64_t now_steady() const noexcept override { return now_; }
    [[nodiscard]] std::uint64_t now_wall() const noexcept override { return now_; }
    void wait_until(std::uint64_t steady_ns, timer& t) override;
    void cancel(timer& t) override;
    // Puts every timer that is due into the mailbox, in the order of their times.
    void advance_to(std::uint64_t steady_ns);
    // The time of the next timer; UINT64_MAX if there is none.
    [[nodiscard]] std::uint64_t next() const noexcept { return waiting_.empty() ? UINT64_MAX : waiting_.begin()->first; }

private:
    mailbox& box_;
    std::uint64_t now_ = 1'000'000'000;
    std::multimap<std::uint64_t, timer*> waiting_;
};

}  // namespace mqb::core
