// paced_publisher: sends go on one after the other, each when its pace lets it.
#pragma once

#include "core/call_pool.hpp"
#include "core/chain_links.hpp"
#include "core/middlewares/pace.hpp"
#include "core/publisher.hpp"
#include "core/timers.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

namespace mqb::core {

// Over a publisher; used by one route. Keeps what the inner side promises: sends are started in the order in which they came, and where
// the inner side keeps the order of what is sent again, what waits here comes back unsent as soon as something before it has failed. An
// empty send waits for nothing. A cancelled wait ends at once; when the route ends, what waits goes on at once.
class paced_publisher final : public publisher, private pausing {
public:
    // keeps_retry_order: the inner side promises ordered_retry. links: of the chain; may be null.
    paced_publisher(publisher& inner, std::shared_ptr<pace> speed, timers& clock, bool keeps_retry_order, chain_links* links = nullptr);
    ~paced_publisher() override;

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    // Pending while a wait that was cut short has not been delivered.
    status close(call& c) override;
    void listen(event_sink*) override {}

private:
    struct passed_send : send_call {
        paced_publisher* self = nullptr;
        send_call* upper = nullptr;
    };
    struct waiting_send {
        send_call* what;
        std::uint64_t came;
        bool is_cancelled = false;
    };
    struct pause : timer {
        paced_publisher* self = nullptr;
        bool pending = false;
    };
    [[nodiscard]] bool is_due(send_call& c, std::uint64_t came);
    status pass(send_call& c);
    void finish(send_call& c, status answer);
    void go_on();
    void end_cancelled();
    // From number `first` on they come back, without having been sent.
    void give_back_from(std::size_t first);
    void end_wait();
    void end_pauses() override;

    publisher& inner_;
    const std::shared_ptr<pace> pace_;
    timers& clock_;
    const bool keeps_retry_order_;
    chain_links* links_;
    bool hurries_ = false;            // no more waits
    bool goes_on_ = false;            // in go_on: what comes now is seen there
    pause wait_;                      // pending while somebody waits
    std::optional<pace::slot> slot_;  // of the first that waits
    std::deque<waiting_send> waiting_;
    call_pool<passed_send> sends_;
    call* closing_ = nullptr;
};

}  // namespace mqb::core
