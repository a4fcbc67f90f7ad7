// reconnecting_consumer: sits on a leaf and keeps it connected. Nothing above sees `disconnected`.
#pragma once

#include "core/connection.hpp"
#include "core/event_relay.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// connect is pending until the first connection holds. A receive that finds the connection lost is started again after the next
// connect; a settle that comes meanwhile waits. Used by one route.
class reconnecting_consumer final : public consumer, private connection::owner, private event_relay {
public:
    reconnecting_consumer(std::unique_ptr<consumer> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns);

    status connect(call& c) override;
    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override { leaf_->free_batch(batch); }
    void lanes_done(std::uint64_t token) override {
        if (link_.is_up()) leaf_->lanes_done(token);  // with the connection the lanes are gone
    }
    status control(control_call& c) override { return link_.is_up() ? leaf_->control(c) : status::retry; }
    void cancel(call& c) override;
    status close(call& c) override { return leaf_->close(c); }
    void listen(event_sink* sink) override { above_ = sink; }
    // No more tries to connect; what waits for a connection is answered with `cancelled`, by mail.
    void stop();
    [[nodiscard]] bool is_at_rest() const noexcept { return link_.is_at_rest() && in_flight_ == 0 && !parked_.posted; }
    [[nodiscard]] bool is_connected() const noexcept { return link_.is_up(); }
    // Not connected, and no more tries.
    [[nodiscard]] bool has_given_up() const noexcept { return stopped_ && !link_.is_up(); }

private:
    struct receive_op : receive_call {
        reconnecting_consumer* self = nullptr;
        receive_call* upper = nullptr;  // null: nobody waits
        bool asked = false;             // the leaf has it
        bool cancelled = false;
    };
    struct settle_op : settle_call {
        reconnecting_consumer* self = nullptr;
        settle_call* upper = nullptr;
        bool in_flight = false;
    };
    // Answers what waits for a connection that will not come.
    struct parked_mail : mail {
        reconnecting_consumer* self = nullptr;
        bool posted = false;
    };
    bool received(status& answer);
    status start_settle(settle_call& upper);
    void settled(settle_op& op, status answer);
    void lost(std::string_view cause);
    void reconnect_if_idle();
    void post_parked();
    void answer_parked();
    void answer_connect(status answer, std::string_view text);

    status start_connect(call& c) override { return leaf_->connect(c); }
    void cancel_connect(call& c) override { leaf_->cancel(c); }
    void on_connected() override;
    void on_not_connected(bool fatal, std::string_view cause) override;

    std::unique_ptr<consumer> leaf_;
    mailbox& box_;
    connection link_;
    call* connecting_ = nullptr;  // the first connect, while it is pending
    bool inside_connect_ = false;
    status connect_answer_ = status::pending;
    bool stopped_ = false;
    receive_op receive_;
    parked_mail parked_;
    std::deque<settle_call*> waiting_settles_;
    std::vector<std::unique_ptr<settle_op>> ops_;
    std::vector<settle_op*> spare_ops_;
    std::uint32_t in_flight_ = 0;
};

}  // namespace mqb::core
