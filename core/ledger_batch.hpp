// ledger_batch: one received batch as the ledger sees it, with the fate of each of its messages.
#pragma once

#include "core/call.hpp"
#include "core/counters.hpp"
#include "core/owned_message.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

struct ledger_batch;
struct lane_group;

// open -> ending -> ended; open or ending -> dead (an unsettled message of it was given back). Ended and dead take no more settles.
struct ledger_lane {
    enum class state : std::uint8_t { open, ending, ended, dead };

    std::uint64_t id = 0;
    state now = state::open;
    bool in_call = false;            // prefix: one settle at a time
    std::uint32_t users = 0;         // groups of held batches: the lane lives at least as long as they do
    std::deque<lane_group*> groups;  // prefix: in order of receipt; what is not final yet
    [[nodiscard]] bool takes_settles() const noexcept { return now == state::open || now == state::ending; }
};

// The messages of one lane in one batch, in order of receipt.
struct lane_group {
    ledger_lane* lane = nullptr;
    ledger_batch* batch = nullptr;
    std::uint32_t first = 0;  // into the batch's order
    std::uint32_t count = 0;
    std::uint32_t accepted = 0;  // so many from the front have been accepted
    std::uint32_t given = 0;     // so many from the front are in a call or final
    std::uint32_t not_final = 0;
};

// Why an entry became final; the order is that of the counters.
enum class fate : std::uint8_t { delivered, replied, filtered, duplicate, discarded, dead_lettered, rejected, nacked, returned };

// open: nobody settled it yet. accepted: settled from above, waits its turn. given: in a call to the leaf.
enum class entry_state : std::uint8_t { open, accepted, given, final };

struct ledger_batch {
    // What an entry carries beyond a plain ACK.
    struct extra {
        settle_entry entry;
        std::string reason;
        owned_message reply;
    };

    void* leaf = nullptr;
    message_list messages;
    std::uint64_t bytes = 0;         // charged to the route's budget
    std::uint32_t not_final = 0;     // entries that are not final
    std::uint32_t not_accepted = 0;  // entries in state open
    std::uint32_t calls = 0;         // settles of this batch in flight
    bool freed = false;              // from above
    bool gives_back = false;         // some of it was returned: freeing it below kills lanes, so it waits for earlier batches
    bool all_ready = false;          // unit message: every entry was accepted at once and none was given
    std::vector<entry_state> states;
    std::vector<fate> fates;
    std::vector<std::unique_ptr<extra>> extras;  // empty, or one slot per entry
    std::vector<std::uint32_t> ready;            // unit message: accepted indexes that were not given yet
    std::vector<lane_group> groups;              // unit prefix
    std::vector<std::uint32_t> order;            // indexes by group; empty: there is one group and the order is that of the batch
    std::vector<std::uint32_t> group_of;         // by index; empty: there is one group

    void reset(void* leaf_batch, message_list received);
    [[nodiscard]] std::uint32_t index(const lane_group& g, std::uint32_t k) const noexcept {
        return order.empty() ? g.first + k : order[g.first + k];
    }
    [[nodiscard]] lane_group& group(std::uint32_t index) noexcept { return groups[group_of.empty() ? 0 : group_of[index]]; }
    // Accepts one entry; what it carries is copied.
    void accept(std::uint32_t index, const settle_entry& entry, fate why);
    // The entry as it is to be given to the leaf.
    [[nodiscard]] settle_entry entry(std::uint32_t index) const noexcept;
};

// Bytes that a batch keeps alive: each run of one owner once, payloads without owner by size, and 128 per message.
[[nodiscard]] std::uint64_t bytes_kept_by(const message_list& messages) noexcept;

[[nodiscard]] counter& counter_of(ledger_counters& all, fate why) noexcept;
// What a settle entry from above means for the counters.
[[nodiscard]] fate fate_of(const settle_entry& entry) noexcept;

}  // namespace mqb::core
