// reconnecting_consumer: sits on a leaf and keeps it connected. Nothing above sees `disconnected`.
#pragma once

#include "core/call_pool.hpp"
#include "core/consumer.hpp"
#include "core/reconnecting.hpp"

#include <deque>
#include <memory>

namespace mqb::core {

// A receive that finds the connection lost is started again after the next connect; a settle that comes meanwhile waits.
class reconnecting_consumer final : public reconnecting<consumer> {
public:
    reconnecting_consumer(std::unique_ptr<consumer> leaf, mailbox& box, timers& clock, std::uint64_t longest_pause_ns);

    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override { leaf().free_batch(batch); }
    void lanes_done(std::uint64_t token) override {
        if (is_up()) leaf().lanes_done(token);  // with the connection the lanes are gone
    }
    [[nodiscard]] bool is_at_rest() const noexcept { return is_idle(); }

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
    struct waiting_settle {
        settle_call* upper;
        bool cancelled = false;
    };
    bool received(status& answer);
    status start_settle(settle_call& upper);
    status settled(settle_op& op, status answer);

    void start_waiting() override;
    void cancel_in_flight() override;
    void answer_waiting() override;
    void cancel_started(call& c) override;

    receive_op receive_;
    std::deque<waiting_settle> waiting_settles_;
    call_pool<settle_op> ops_;
};

}  // namespace mqb::core
