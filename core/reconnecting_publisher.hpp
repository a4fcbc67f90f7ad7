// reconnecting_publisher: sits on a leaf and keeps it connected. Nothing above sees `disconnected`: what had no outcome when the
// connection ended is sent again after the next connect.
#pragma once

#include "core/call_pool.hpp"
#include "core/publisher.hpp"
#include "core/reconnecting.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// Over a leaf that keeps its order also when something is sent again (ordered retry): once a send has come back to the caller with an
// entry that is neither done nor refused, each send that was started after it and before it came back comes back too, with what is
// left of it unsent; it is not sent again from here, where it would overtake what the caller has to repeat.
class reconnecting_publisher final : public reconnecting<publisher> {
public:
    reconnecting_publisher(std::unique_ptr<publisher> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns,
                           bool leaf_keeps_retry_order = false);

    status send(send_call& c) override;
    [[nodiscard]] bool is_at_rest() const noexcept { return is_idle() && waiting_.empty(); }

private:
    struct send_op : send_call {
        reconnecting_publisher* self = nullptr;
        send_call* upper = nullptr;
        bool cancelled = false;
        bool in_flight = false;
        bool comes_back = false;  // something before it did: it is not sent again from here
        std::uint64_t sequence = 0;
        // When only a part is sent again: its messages, their outcomes, and which of the caller's they are.
        std::vector<message> again;
        std::vector<outcome> answers;
        std::vector<std::uint32_t> index;
    };
    status start(send_op& op);
    // True: the caller gets this answer; false: the send waits for the next connection.
    bool ended(send_op& op, status& answer);
    void pass_up(send_op& op);
    [[nodiscard]] bool select_unanswered(send_op& op);
    void leave_unsent(send_op& op);
    [[nodiscard]] bool has_to_come_back(const send_op& op) const noexcept;
    void wait(send_op& op);
    void recycle(send_op& op);
    void give_back(send_op& op, status answer);
    send_op& take_op(send_call& upper);

    void start_waiting() override;
    void cancel_in_flight() override;
    void answer_waiting() override;
    void cancel_started(call& c) override;

    const bool keeps_retry_order_;
    std::deque<send_op*> waiting_;  // in the order in which they were started
    call_pool<send_op> ops_;
    std::uint64_t next_sequence_ = 0;
};

}  // namespace mqb::core
