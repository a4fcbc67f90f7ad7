// source: a fake consumer with the awkward shapes of real ones: cumulative acknowledgement with lanes and revocation, a unit of
// work for each batch, gated acknowledgement, leases, replies.
#pragma once

#include "core/promises.hpp"
#include "core/registry.hpp"
#include "tests/shapes/fake_endpoint.hpp"
#include "tests/shapes/queue_store.hpp"

#include <set>
#include <unordered_map>

namespace mqb::shapes {

struct source_shape {
    std::string name;
    core::settle_unit unit = core::settle_unit::message;
    std::uint32_t dispositions = core::bit(core::disposition::ack);
    std::uint32_t max_unsettled_messages = 0;
    std::uint32_t max_unsettled_batches = 0;
    std::uint32_t batch_at_most = 7;
    bool ends = true;             // END when nothing is left; else it waits
    bool forgets = true;          // a new connection knows nothing of older batches
    double expires = 0;           // the chance that a lease has run out when it is settled
    bool deadline_first = false;  // of a revocation
    bool emptied_at_stop = false;
    answers how = answers::at_once;
};

// The shapes by name: prefix, unit-of-work, gated, lease, replying, replying-prefix.
[[nodiscard]] std::vector<source_shape> all_sources(answers how);
[[nodiscard]] source_shape source_named(std::string_view name, answers how);

class source final : public core::consumer, public fake_endpoint {
public:
    source(surroundings around, source_shape shape, queue_store& store, const sink_store& target);
    ~source() override;

    core::status connect(core::call& c) override { return start_connect(c); }
    core::status receive(core::receive_call& c) override;
    core::status settle(core::settle_call& c) override;
    void free_batch(void* batch) override;
    void lanes_done(std::uint64_t token) override;
    core::status control(core::control_call& c) override { return on_control ? on_control(c) : core::status::unsupported; }
    void cancel(core::call& c) override {
        cancel_call(c);
        if (on_cancel) on_cancel(c);
    }
    core::status close(core::call& c) override;
    void listen(core::event_sink* sink) override { sink_ = sink; }

    // Takes the lanes of these partitions away; they come back as new lanes. With `deadline_first` without waiting for anybody.
    void revoke(std::vector<std::uint32_t> partitions);
    // What controls answer, and who else hears of cancels.
    std::function<core::status(core::control_call&)> on_control;
    std::function<void(core::call&)> on_cancel;
    // A waiting receive looks again.
    void look_again() { wake(verb::receive); }

private:
    struct batch;
    struct lane {
        std::uint64_t id = 0;
        std::uint32_t partition = 0;
        bool alive = true;
        bool in_call = false;
        std::uint32_t replies_in_call = 0;
        bool is_done = false;                                    // the host has said so
        std::deque<std::pair<batch*, std::uint32_t>> unsettled;  // in order of receipt
    };
    struct batch {
        std::vector<unsigned char> elements;
        core::message_list messages;
        std::vector<item*> items;
        std::vector<bool> is_final;  // has its outcome
        std::vector<bool> dropped;   // comes again, or came again
        std::vector<bool> in_call;
        std::uint32_t calls = 0;
    };
    struct revocation {
        std::uint64_t token;
        std::vector<std::uint64_t> lanes;
    };
    core::status carry_out(operation& op) override;
    void begun(operation& op) override;
    void connected_again() override;
    core::status give(core::receive_call& c, operation& op);
    void fill(batch& b, core::receive_call& c);
    lane& lane_of(std::uint32_t partition);
    void drop(lane& l);
    void forget(batch& b, std::uint32_t index);
    void give_back(batch& b, std::uint32_t index);
    [[nodiscard]] std::uint32_t unsettled() const;

    // source_settling.cpp
    void check_settle(const core::settle_call& c);
    core::status record(core::settle_call& c, operation& op);
    void record_one(batch& b, const core::settle_entry& e, core::settle_result result);
    core::status settled(core::settle_call& c, core::status answer);
    void end_lanes(std::uint64_t token);
    void hop(int left, std::uint64_t token);

    source_shape shape_;
    queue_store& store_;
    const sink_store& target_;
    core::event_sink* sink_ = nullptr;
    std::map<void*, std::unique_ptr<batch>> batches_;
    std::unordered_map<std::uint64_t, lane> lanes_;
    std::map<std::uint32_t, std::uint64_t> current_;  // partition -> lane; 0: taken away
    std::vector<revocation> revocations_;
    std::uint64_t next_token_ = 1;
    std::set<std::uint64_t> done_tokens_;
    std::uint32_t units_in_call_ = 0;
};

}  // namespace mqb::shapes
