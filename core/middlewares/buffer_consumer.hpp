// buffer_consumer: puts the batches that come within a short time together into one.
#pragma once

#include "core/call_pool.hpp"
#include "core/chain_links.hpp"
#include "core/consumer.hpp"
#include "core/middlewares/merged_batch.hpp"
#include "core/timers.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace mqb::core {

// Over a consumer; used by one route. A receive gives what has come when there are max_messages, or max_delay after the first of them; a
// cancel, lanes that end and the end of the route cut that short, and what is there is given. Between receives it holds nothing.
class buffer_consumer final : public consumer, private pausing {
public:
    struct limits {
        std::uint32_t max_messages = 1;
        std::uint64_t max_delay_ns = 0;
    };
    // links: of the chain; may be null.
    buffer_consumer(consumer& inner, limits most, timers& clock, chain_links* links = nullptr);
    ~buffer_consumer() override;

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override;
    void lanes_done(std::uint64_t token) override { inner_.lanes_done(token); }
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    // Pending while the timer of a receive that ended early has not been delivered.
    status close(call& c) override;
    void listen(event_sink*) override {}

private:
    struct inner_receive : receive_call {
        buffer_consumer* self = nullptr;
        receive_call* upper = nullptr;
        bool is_pending = false;
        bool is_cut_short = false;  // nothing more is read for it
    };
    struct pause : timer {
        buffer_consumer* self = nullptr;
        bool pending = false;
    };
    status read();
    // What the caller is answered; pending: there is room and time for more.
    [[nodiscard]] status took(status answer);
    [[nodiscard]] bool has_room() const noexcept;
    status give();
    void came(status answer);
    void watch();
    void look_at_the_time();
    void finish(status answer);
    void cut_short();
    void end_pauses() override;

    consumer& inner_;
    const limits most_;
    timers& clock_;
    chain_links* links_;
    bool hurries_ = false;
    inner_receive below_;
    pause wait_;
    std::uint64_t due_ = 0;                   // when what is gathered is given
    std::unique_ptr<merged_batch> gathered_;  // of the present receive; null: nothing yet
    std::vector<std::unique_ptr<merged_batch>> given_;
    call_pool<merged_settle> settles_;
    call* closing_ = nullptr;
};

}  // namespace mqb::core
