// ledger_ops: the calls that a ledger has in flight. Private to the ledger's sources.
#pragma once

#include "core/ledger.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <deque>

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
    bool only_replies = false;        // while it is used: in a call, or waiting to be given again
    bool then_ack = false;            // of a reply: the entry is acknowledged once the reply has its outcome
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
    bool cancelled = false;  // by the caller
    bool below_pending = false;
    bool makes_way = false;  // the leaf's answer was cancelled for messages that are due
    wake_up wake;
};

// One call to the dead letters.
struct ledger::bury_op : bury_call {
    ledger* self = nullptr;
    std::vector<entry_place> places;
    std::vector<death> why;
    std::vector<dead_letter> all;
    std::deque<counted_block> blocks;  // metadata of broken records without the reason, which the note has
    std::deque<message> records;       // those records with that metadata
    bool is_running = false;
};

}  // namespace mqb::core
