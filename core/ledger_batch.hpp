// ledger_batch: one received batch as the ledger sees it, with the fate of each of its messages.
#pragma once

#include "core/call.hpp"
#include "core/counters.hpp"
#include "core/dead_letters.hpp"
#include "core/message_ids.hpp"
#include "core/owned_message.hpp"
#include "core/timers.hpp"

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
    std::uint32_t given = 0;  // so many from the front are in a call or final
    std::uint32_t not_final = 0;
};

// Where a message is.
struct entry_place {
    ledger_batch* batch = nullptr;
    std::uint32_t index = 0;
};

// What the chain above has been given at one time: a batch as it was received, or messages of earlier ones once more.
struct presentation {
    ledger_batch* whole = nullptr;    // set: index k is index k of that batch
    std::vector<entry_place> places;  // else: where each message is; no batch once it was settled
    std::vector<message> messages;    // of those
    bool freed = false;
};

// What is known of a message that was presented in vain.
struct redelivery {
    std::uint32_t presentations = 1;
    std::uint64_t due = 0;  // on the steady clock
    failure_note note;
};

// Why an entry became final; the order is that of the counters.
enum class fate : std::uint8_t { delivered, replied, filtered, duplicate, discarded, dead_lettered, rejected, nacked, returned };

// open: presented as received, nobody settled it yet. waiting: will be presented again. open_again: is. burying: in a call to the
// dead letters. replying: its reply is in a call, its ACK comes after it. accepted: settled, waits its turn. given: in a call to the
// leaf.
enum class entry_state : std::uint8_t { open, waiting, open_again, burying, replying, accepted, given, final };
// Nobody has decided what becomes of it.
[[nodiscard]] constexpr bool is_undecided(entry_state s) noexcept { return s <= entry_state::burying; }
// Not in a call: it may become final at any moment.
[[nodiscard]] constexpr bool is_loose(entry_state s) noexcept {
    return s <= entry_state::open_again || s == entry_state::replying || s == entry_state::accepted;
}

struct ledger_batch {
    // What an entry carries beyond a plain ACK.
    struct extra {
        settle_entry entry;
        std::string reason;
        owned_message reply;
    };

    void* leaf = nullptr;
    message_list messages;
    std::vector<message> with_ids;   // set where the source gave none to some: `messages` are these
    std::uint64_t bytes = 0;         // charged to the route's budget
    std::uint32_t not_final = 0;     // entries that are not final
    std::uint32_t returned = 0;      // entries that were returned: the leaf has them until the batch is freed
    std::uint32_t not_accepted = 0;  // entries that are undecided
    std::uint64_t sequence = 0;      // in the order of the receives
    bool untouched = true;           // no entry was settled yet
    presentation first;              // as it was received
    std::uint32_t calls = 0;         // settles of this batch in flight
    std::uint32_t presented = 0;     // places in presentations from memory: the chain above may still name them
    bool gives_back = false;         // some of it was returned: freeing it below kills lanes, so it waits for earlier batches
    bool all_ready = false;          // unit message: every entry was accepted at once and none was given
    std::vector<entry_state> states;
    std::vector<fate> fates;
    std::vector<std::unique_ptr<extra>> extras;             // empty, or one slot per entry
    std::vector<std::unique_ptr<redelivery>> redeliveries;  // the same
    std::vector<std::uint32_t> ready;                       // unit message: accepted indexes that were not given yet
    std::vector<lane_group> groups;                         // unit prefix
    std::vector<std::uint32_t> order;     // indexes by group; empty: there is one group and the order is that of the batch
    std::vector<std::uint32_t> group_of;  // by index; empty: there is one group

    void reset(void* leaf_batch, message_list received, std::uint64_t number);
    // Gives every message an id that came without one. After reset.
    void give_ids(message_ids& from, timers& clock);
    [[nodiscard]] std::uint32_t index(const lane_group& g, std::uint32_t k) const noexcept {
        return order.empty() ? g.first + k : order[g.first + k];
    }
    [[nodiscard]] lane_group& group(std::uint32_t index) noexcept { return groups[group_of.empty() ? 0 : group_of[index]]; }
    // Keeps what an entry carries and why it was settled so.
    void keep(std::uint32_t index, const settle_entry& entry, fate why);
    [[nodiscard]] redelivery& redelivery_of(std::uint32_t index);
    // The entry as it is to be given to the leaf.
    [[nodiscard]] settle_entry entry(std::uint32_t index) const noexcept;
};

// Bytes that a batch keeps alive: each run of one owner once, payloads without owner by size, and 128 per message.
[[nodiscard]] std::uint64_t bytes_kept_by(const message_list& messages) noexcept;

[[nodiscard]] counter& counter_of(ledger_counters& all, fate why) noexcept;
// What a settle entry from above means for the counters.
[[nodiscard]] fate fate_of(const settle_entry& entry) noexcept;

}  // namespace mqb::core
