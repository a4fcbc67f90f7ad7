// ledger_ops: the calls that a ledger has in flight. Private to the ledger's sources.
#pragma once

#include "core/ledger.hpp"

namespace mqb::core {

// One settle to the leaf.
struct ledger::settle_op : settle_call {
    // The part of the call that belongs to one lane.
    struct slice {
        lane_group* group;
        std::uint32_t count;
    };
    ledger* self = nullptr;
    ledger_batch* from = nullptr;
    bool only_replies = false;
    std::vector<settle_entry> named;  // what `entries` points to, unless it points into the plain ACKs
    std::vector<outcome> answers;
    std::vector<slice> slices;  // unit prefix
    owned_message reply;        // of a REPLY_MORE
};

// The one receive, and the caller's while it waits for room.
struct ledger::receive_slot : receive_call {
    struct wake_up : mail {
        receive_slot* slot = nullptr;
        bool posted = false;
    };
    ledger* self = nullptr;
    receive_call* upper = nullptr;
    bool parked = false;     // upper waits for room; the leaf was not asked
    bool cancelled = false;  // while parked
    bool below_pending = false;
    wake_up wake;
};

}  // namespace mqb::core
