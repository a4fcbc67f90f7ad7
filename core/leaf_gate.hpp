// leaf_gate: lets the sends of several workers through to one leaf, in the order and the number that the leaf promises to take.
#pragma once

#include "core/call_pool.hpp"
#include "core/mailbox.hpp"
#include "core/promises.hpp"
#include "core/publisher.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// Everything happens on the route's side. A leaf that promises order gets the first send of each batch in the order of the batches.
class leaf_gate {
public:
    leaf_gate(publisher& leaf, const promises& promised, mailbox& box);
    ~leaf_gate();

    // One worker's way to the leaf. Valid as long as the gate.
    publisher& add_door();
    // Door `i` works on the batch of this number from now on, and no longer.
    void begin(std::size_t i, std::uint64_t sequence);
    void end(std::size_t i);
    [[nodiscard]] bool is_at_rest() const noexcept { return waiting_.empty() && in_flight_ == 0 && !nudge_.posted; }

private:
    class door;
    struct passage : send_call {
        door* by = nullptr;
        send_call* upper = nullptr;
    };
    struct waiting_send {
        door* by;
        send_call* what;
        bool cancelled = false;
    };
    struct nudge : mail {
        leaf_gate* self = nullptr;
        bool posted = false;
    };
    [[nodiscard]] bool may_pass(const door& d) const noexcept;
    status pass(door& d, send_call& c);
    void let_through();
    void passed() noexcept { --in_flight_; }
    void cancel(call& c);
    void wake();

    publisher& leaf_;
    mailbox& box_;
    bool keeps_order_;
    bool one_at_a_time_;
    std::vector<std::unique_ptr<door>> doors_;
    std::deque<waiting_send> waiting_;
    std::uint32_t in_flight_ = 0;
    call_pool<passage> passages_;
    nudge nudge_;
};

}  // namespace mqb::core
