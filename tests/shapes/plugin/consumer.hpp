// consumer: the shapes whose client has callbacks: message, prefix, gated, replying.
#pragma once

#include "frames.hpp"
#include "link.hpp"

namespace mqb::shapes {

// Threads: the host's calls one at a time; cancel on any; answers, notices and with them all completions on the link's.
class consumer final : public sdk::consumer, link::listener {
public:
    consumer(const sdk::context& made, const config& with);
    static sdk::promises promise(const config& with);

    sdk::status connect(sdk::connect_call& call);
    sdk::status receive(sdk::receive_call& call);
    sdk::status settle(sdk::settle_call& call);
    sdk::status control(sdk::control_call& call);
    void free_batch(void* batch);
    void lanes_done(std::uint64_t token);
    void cancel(std::uint64_t operation) { link_.cancel(operation); }

private:
    void noticed(wire::reader& in) override;
    sdk::status settle_unconfirmed(const sdk::settle_call& call);

    const config config_;
    note_pool batches_;
    link link_;  // gone first: its thread opens batches
};

}  // namespace mqb::shapes
