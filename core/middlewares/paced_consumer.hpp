// paced_consumer: an input that gives its batches when its pace lets it.
#pragma once

#include "core/chain_links.hpp"
#include "core/consumer.hpp"
#include "core/middlewares/pace.hpp"
#include "core/timers.hpp"

#include <memory>

namespace mqb::core {

// Over a consumer; used by one route. Batches are the inner side's own. A receive that brings nothing waits for nothing behind it.
class paced_consumer final : public consumer, private pausing {
public:
    // before: it waits, and then it reads; a cancel in the wait ends the receive. after: it reads, and then the batch waits; where the
    // wait is cut short (a cancel, lanes that end, the end of the route) the batch is given at once, so that none is held or lost.
    enum class waits { before, after };
    paced_consumer(consumer& inner, waits when, std::shared_ptr<pace> speed, timers& clock, chain_links* links = nullptr);
    ~paced_consumer() override;

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override;
    status settle(settle_call& c) override { return inner_.settle(c); }
    void free_batch(void* batch) override { inner_.free_batch(batch); }
    void lanes_done(std::uint64_t token) override { inner_.lanes_done(token); }
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    struct inner_receive : receive_call {
        paced_consumer* self = nullptr;
        receive_call* upper = nullptr;
        bool is_cancelled = false;
    };
    struct pause : timer {
        paced_consumer* self = nullptr;
        bool pending = false;
    };
    [[nodiscard]] bool waits_for(std::uint32_t count);
    status read();
    status took(status answer);
    void go_on();
    void finish(status answer);
    void end_pauses() override;

    consumer& inner_;
    const waits when_;
    const std::shared_ptr<pace> pace_;
    timers& clock_;
    chain_links* links_;
    bool hurries_ = false;  // no more waits
    inner_receive below_;
    pace::slot slot_;
    pause wait_;
};

}  // namespace mqb::core
