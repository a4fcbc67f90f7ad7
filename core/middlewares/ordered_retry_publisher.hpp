// ordered_retry_publisher: sends again what was refused for now, in its place: what was started later waits behind it.
#pragma once

#include "core/call_pool.hpp"
#include "core/chain_links.hpp"
#include "core/middlewares/retry_send.hpp"
#include "core/timers.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// Over a publisher that promises ordered_retry, and promises it too. As soon as a message has failed nothing is started; when
// everything in flight has come back, and after the pause, all that is left goes again in the order in which it was started. When
// a message is given up, everything behind it, in whatever lane, goes back to the caller unsent. Used by one route.
class ordered_retry_publisher final : public publisher, private pausing {
public:
    // links: of the chain; may be null.
    ordered_retry_publisher(publisher& inner, const retry_policy& policy, mailbox& box, timers& clock, chain_links* links = nullptr);
    ~ordered_retry_publisher() override;

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    struct one_send : retry_send {
        ordered_retry_publisher* self = nullptr;
    };
    struct gather_mail : mail {
        ordered_retry_publisher* self = nullptr;
        bool posted = false;
    };
    struct pause : timer {
        ordered_retry_publisher* self = nullptr;
        bool pending = false;
    };
    one_send& take(send_call& c);
    status start(one_send& s);
    // True: the caller gets the answer; false: the send is held.
    bool ended(one_send& s, status answer);
    void hold(one_send& s);
    void gather_if_idle();
    void gather();
    void go_on();
    void send_held();
    void give_back_held();
    void finish(one_send& s, status answer);
    void recycle(one_send& s);
    void end_pauses() override;
    [[nodiscard]] bool is_some_cancelled() const noexcept;

    publisher& inner_;
    const retry_policy policy_;
    mailbox& box_;
    timers& clock_;
    jitter_source jitter_{true};
    gather_mail gather_;
    pause pause_;
    bool resending_ = false;
    chain_links* links_;
    bool hurries_ = false;         // no more pauses
    std::uint32_t in_flight_ = 0;  // sends with messages
    std::uint64_t next_ = 0;
    std::deque<one_send*> held_;  // in the order in which they were started
    call_pool<one_send> sends_;
};

}  // namespace mqb::core
