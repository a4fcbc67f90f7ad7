// retry_publisher: sends again what was refused for now. Each send by itself: what is sent again comes after what was started
// meanwhile, as it would if the caller did it.
#pragma once

#include "core/call_pool.hpp"
#include "core/chain_links.hpp"
#include "core/middlewares/retry_send.hpp"
#include "core/timers.hpp"

#include <memory>
#include <vector>

namespace mqb::core {

// Over a publisher that does not keep the order of what is sent again. A send is pending until each of its messages has its last
// outcome. A cancelled one ends at once, with the outcomes that it has. Used by one route.
class retry_publisher final : public publisher, private pausing {
public:
    // keeps_together: the messages of one send that failed go again together, in their order. links: of the chain; may be null.
    retry_publisher(publisher& inner, const retry_policy& policy, timers& clock, bool keeps_together, chain_links* links = nullptr);
    ~retry_publisher() override;

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    struct one_send;
    struct pause : timer {
        one_send* of = nullptr;
    };
    struct one_send : retry_send {
        retry_publisher* self = nullptr;
        pause until_due;
    };
    one_send& take(send_call& c);
    status start(one_send& s);
    // True: the caller gets the answer; false: something waits.
    bool ended(one_send& s, status answer);
    void go_on(one_send& s);
    void finish(one_send& s, status answer);
    void recycle(one_send& s);
    void end_pauses() override;

    publisher& inner_;
    const retry_policy policy_;
    timers& clock_;
    jitter_source jitter_;
    chain_links* links_;
    bool hurries_ = false;  // no more pauses
    call_pool<one_send> sends_;
};

}  // namespace mqb::core
