// reconnecting_publisher: sits on a leaf and keeps it connected. Nothing above sees `disconnected`: what had no outcome when the
// connection ended is sent again after the next connect.
#pragma once

#include "core/connection.hpp"
#include "core/event_relay.hpp"
#include "core/publisher.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// connect is pending until the first connection holds. Used by one route.
class reconnecting_publisher final : public publisher, private connection::owner, private event_relay {
public:
    reconnecting_publisher(std::unique_ptr<publisher> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns);

    status connect(call& c) override;
    status send(send_call& c) override;
    status control(control_call& c) override { return link_.is_up() ? leaf_->control(c) : status::retry; }
    void cancel(call& c) override;
    status close(call& c) override { return leaf_->close(c); }
    void listen(event_sink* sink) override { above_ = sink; }
    // No more tries to connect; what waits for a connection is answered with `cancelled`, by mail.
    void stop();
    [[nodiscard]] bool is_connected() const noexcept { return link_.is_up(); }
    [[nodiscard]] bool is_at_rest() const noexcept { return link_.is_at_rest() && waiting_.empty() && in_flight_ == 0 && !parked_.posted; }

private:
    struct send_op : send_call {
        reconnecting_publisher* self = nullptr;
        send_call* upper = nullptr;
        bool cancelled = false;
        bool in_flight = false;
        std::uint64_t sequence = 0;
        // When only a part is sent again: its messages, their outcomes, and which of the caller's they are.
        std::vector<message> again;
        std::vector<outcome> answers;
        std::vector<std::uint32_t> index;
    };
    struct parked_mail : mail {
        reconnecting_publisher* self = nullptr;
        bool posted = false;
    };
    status start(send_op& op);
    // True: the caller gets this answer; false: the send waits for the next connection.
    bool ended(send_op& op, status& answer);
    void pass_up(send_op& op);
    [[nodiscard]] bool select_unanswered(send_op& op);
    void wait(send_op& op);
    void lost(send_op& by);
    void recycle(send_op& op);
    void reconnect_if_idle();
    void post_parked();
    void answer_parked();
    void answer_connect(status answer, std::string_view text);
    send_op& take_op(send_call& upper);

    status start_connect(call& c) override { return leaf_->connect(c); }
    void cancel_connect(call& c) override { leaf_->cancel(c); }
    void on_connected() override;
    void on_not_connected(bool fatal, std::string_view cause) override;

    std::unique_ptr<publisher> leaf_;
    mailbox& box_;
    connection link_;
    call* connecting_ = nullptr;
    bool inside_connect_ = false;
    status connect_answer_ = status::pending;
    bool stopped_ = false;
    parked_mail parked_;
    std::deque<send_op*> waiting_;  // in the order in which they were started
    std::vector<std::unique_ptr<send_op>> ops_;
    std::vector<send_op*> spare_ops_;
    std::uint32_t in_flight_ = 0;
    std::uint64_t next_sequence_ = 0;
};

}  // namespace mqb::core
