// buffer_publisher: puts the sends that come at the same time together into one.
#pragma once

#include "core/call_pool.hpp"
#include "core/chain_links.hpp"
#include "core/mailbox.hpp"
#include "core/publisher.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace mqb::core {

// Over a publisher; used by one route, with as many sends at a time as it likes. One send is below at a time, of at most max_messages, in
// the order in which they came; a larger one goes in parts. A message waits at most max_delay for others, and not at all when there are
// enough, when an empty send says that no more come for now, or when the route ends. Each send has its own outcomes. Where the inner
// side keeps the order of what is sent again, what waits behind a failure comes back unsent.
class buffer_publisher final : public publisher, private pausing {
public:
    struct limits {
        std::uint32_t max_messages = 1;
        std::uint64_t max_delay_ns = 0;
    };
    // keeps_retry_order: the inner side promises ordered_retry. links: of the chain; may be null.
    buffer_publisher(publisher& inner, limits most, bool keeps_retry_order, mailbox& box, timers& clock, chain_links* links = nullptr);
    ~buffer_publisher() override;

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    // A send of which something is below is cancelled there when nobody wants the outcome of the others.
    void cancel(call& c) override;
    status close(call& c) override;
    void listen(event_sink*) override {}

private:
    struct held_send {
        send_call* upper = nullptr;
        std::uint64_t came = 0;
        std::uint32_t begun = 0;     // messages that have been sent on
        std::uint32_t ended = 0;     // messages that have an outcome
        status answer = status::ok;  // the worst of its parts
        bool is_cancelled = false;
    };
    struct place {
        held_send* of;
        std::uint32_t index;
    };
    struct joint_send : send_call {
        buffer_publisher* self = nullptr;
        bool is_pending = false;
        std::vector<place> places;
        std::vector<message> all;
        std::vector<outcome> came;
    };
    struct pause : timer {
        buffer_publisher* self = nullptr;
        bool pending = false;
    };
    struct turn : mail {
        buffer_publisher* self = nullptr;
        bool is_posted = false;
    };
    void go_on();
    [[nodiscard]] bool may_go() const;
    void gather();
    void went(status answer);
    void collect(status answer);
    void end_cancelled();
    void give_back_from(std::size_t first);
    void forget(const held_send& h) noexcept;
    void finish_unsent(held_send& h);
    void finish(held_send& h, status answer);
    void go_on_soon();
    void end_close();
    void end_pauses() override;

    publisher& inner_;
    const limits most_;
    const bool keeps_retry_order_;
    mailbox& box_;
    timers& clock_;
    chain_links* links_;
    bool hurries_ = false;
    joint_send below_;
    pause wait_;
    turn turn_;
    std::deque<held_send*> held_;  // in order; what is wholly below is not in here any more
    std::size_t messages_ = 0;     // of those, not sent on yet
    std::size_t flushes_ = 0;      // empty sends among them
    call_pool<held_send> sends_;
    call* closing_ = nullptr;
};

}  // namespace mqb::core
