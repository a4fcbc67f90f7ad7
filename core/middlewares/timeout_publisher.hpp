// timeout_publisher: gives up on sends that take too long.
#pragma once

#include "core/call_pool.hpp"
#include "core/mailbox.hpp"
#include "core/middlewares/stage_log.hpp"
#include "core/middlewares/timed_send.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace mqb::core {

// Over a publisher; used by one route. A send that is not answered in time is cancelled below and answered here: its messages have
// failed for now and may have arrived. What the inner side still says of it is counted and dropped; until then its messages are held.
// The inner side never has more sends, late ones among them, than the caller has had open at once: the next ones wait for its answer, as
// long as their own time lasts.
class timeout_publisher final : public publisher {
public:
    // takes_several: the inner side promises concurrent or ordered_retry.
    timeout_publisher(publisher& inner, std::uint64_t limit_ns, bool takes_several, mailbox& box, timers& clock, stage_log log);

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    // Pending while something that was given up on has not been answered.
    status close(call& c) override;
    void listen(event_sink* sink) override { sink_ = sink; }
    // Sends that were answered too late.
    [[nodiscard]] std::uint64_t answered_late() const noexcept { return answered_late_; }

private:
    struct one_send : timed_send {
        timeout_publisher* self = nullptr;
    };
    struct clock_mail : timer {
        timeout_publisher* self = nullptr;
        bool pending = false;
    };
    struct turn : mail {
        timeout_publisher* self = nullptr;
        bool is_posted = false;
    };
    one_send& take(send_call& c);
    [[nodiscard]] bool may_start() const noexcept;
    status start(one_send& s);
    void ended(one_send& s, status answer);
    void came_late(one_send& s);
    void finish(one_send& s, status answer);
    void recycle(one_send& s);
    void watch();
    void give_up_on_what_is_due();
    void give_up(one_send& s);
    void start_held();
    void start_held_soon();
    void end_close();

    publisher& inner_;
    const std::uint64_t limit_ns_;
    const bool takes_several_;
    mailbox& box_;
    timers& clock_;
    stage_log log_;
    event_sink* sink_ = nullptr;
    clock_mail watch_;
    turn turn_;
    call_pool<one_send> sends_;
    std::deque<one_send*> in_time_;  // in the order of their ends; empty sends, which have none, are not among them
    std::deque<one_send*> held_;     // not started yet
    std::size_t below_ = 0;          // the inner side has them
    std::size_t late_ = 0;           // and of those the caller has had an answer
    std::size_t most_open_ = 0;      // that the caller has had at once
    std::uint64_t answered_late_ = 0;
    call* closing_ = nullptr;
};

}  // namespace mqb::core
