// host_timers: the timers of one instance. A plugin sets and cancels them from any thread; the route's clock is touched only on the
// route's side, so both go through the mailbox.
#pragma once

#include "core/timers.hpp"
#include "host/loading/gate.hpp"

#include <mqb/call.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace mqb::loading {

class host_timers {
public:
    explicit host_timers(gate& owner) : gate_(owner) {}

    // Any thread.
    mqb_status wait_until(std::uint64_t steady_ns, mqb_call* call);
    void cancel(std::uint64_t operation);

    // The route's side. Ends all timers; on_empty is called after the completion of each, in case it was the last.
    void end_all(std::function<void()> on_empty);
    [[nodiscard]] bool is_empty() const;
    // True when there is none; then none is accepted any more.
    [[nodiscard]] bool close_if_empty();

private:
    enum class state : std::uint8_t { spare, asked, waiting, ended };
    // One wait, used again. Two mails of it may be under way: the request to start or cancel, and the clock's.
    struct wait {
        struct request_mail : core::mail {
            wait* self = nullptr;
        } request;
        struct clock_timer : core::timer {
            wait* self = nullptr;
        } clock;
        host_timers* owner = nullptr;
        mqb_call* call = nullptr;
        std::uint64_t operation = 0;
        std::uint64_t at = 0;
        state now = state::spare;
        bool is_cancelled = false;
        bool has_request_out = false;
    };
    static void on_request(core::mail& m) noexcept;
    static void on_clock(core::mail& m) noexcept;
    void complete(wait& w, mqb_status status) noexcept;
    bool ask_cancel(wait& w);
    wait& take();

    gate& gate_;
    mutable std::mutex mutex_;  // over the waits
    std::deque<wait> all_;
    std::size_t open_ = 0;       // not spare
    std::size_t after_end_ = 0;  // set while all are being ended
    bool is_closed_ = false;
    std::function<void()> on_empty_;
};

}  // namespace mqb::loading
