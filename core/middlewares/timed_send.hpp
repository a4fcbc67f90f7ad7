// timed_send: one send that may be given up on: what the inner side sees of it lives until that has answered, whatever the caller does.
#pragma once

#include "core/owned_message.hpp"
#include "core/publisher.hpp"

#include <cstdint>
#include <vector>

namespace mqb::core {

// The call that the inner side gets. Used again and again.
struct timed_send : send_call {
    send_call* upper = nullptr;  // null: it was given up on, or is not in use
    std::uint64_t due = 0;
    bool is_below = false;      // the inner side has it
    bool is_cancelled = false;  // by the caller

    // Borrows what has an owner; what has none is copied, since it is the caller's only while the call is pending.
    void take(send_call& c, std::uint64_t until);
    // Outcomes and texts to the caller.
    void bring_up();
    // From now on what was borrowed is held, until forget.
    void keep();
    void forget() noexcept;

private:
    std::vector<message> all_;
    std::vector<owned_message> kept_;
    std::vector<outcome> came_;
};

}  // namespace mqb::core
