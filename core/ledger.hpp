// ledger: sits on a leaf consumer, below all middlewares, takes settlements in any order and gives the leaf what its settle unit
// allows. It knows the fate of every message that the leaf has given out.
#pragma once

#include "core/call_pool.hpp"
#include "core/event_relay.hpp"
#include "core/failure_notes.hpp"
#include "core/failure_policy.hpp"
#include "core/ledger_batch.hpp"
#include "core/plain_acks.hpp"
#include "core/promises.hpp"
#include "core/timers.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace mqb::core {

// A settle into the ledger answers ok at once: accepted, not recorded. Only the ledger knows what is recorded.
//
// From above NACK means: present it again, from memory, after a pause. REJECT means: it can never be delivered; the failure policy
// decides. Both reach the leaf only where the policy, or a handler that gives a message back, wants that.
class ledger final : public consumer, private event_relay {
public:
    ledger(std::unique_ptr<consumer> leaf, const promises& promised, ledger_counters& counters, mailbox& box, timers& clock,
           std::uint32_t calls_at_a_time = 4096);
    ~ledger() override;

    status connect(call& c) override { return leaf_->connect(c); }
    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override;
    status control(control_call& c) override { return leaf_->control(c); }
    void cancel(call& c) override;
    status close(call& c) override { return leaf_->close(c); }
    void listen(event_sink* sink) override { above_ = sink; }

    // Before the first receive. Without one, REJECT goes to the leaf.
    void set_policy(failure_policy policy) { policy_ = std::move(policy); }
    // Nothing more is read while one more message like the last would pass this. 0: no limit.
    void set_most_bytes(std::uint64_t bytes) noexcept { most_bytes_ = bytes; }
    [[nodiscard]] bool has_room_for_bytes() const noexcept;
    // Of so many bytes (0: any number) those for which there is room; the first message is given even where it is larger.
    [[nodiscard]] std::uint64_t room_for(std::uint64_t bytes) const noexcept;
    // What failed at a message that is about to be settled with NACK or REJECT. No attempts: it was not tried.
    void note(const message& about, failure_note what) { notes_.put(about.id, std::move(what)); }
    // Messages wait to be presented again, and it is time: a receive gets them at once.
    [[nodiscard]] bool has_due() const noexcept { return has_due_; }
    // The leaf has said that nothing is left, for now or for good.
    [[nodiscard]] bool leaf_is_at_end() const noexcept { return at_end_; }
    // After a pause for dead letters: counts those in a row anew.
    void resume();

    // Nothing is held and nothing is in flight.
    [[nodiscard]] bool is_empty() const noexcept { return batches_.empty() && calls_ == 0 && replies_again_.empty(); }
    // Neither a call nor a timer of it is pending: it may be destroyed.
    [[nodiscard]] bool is_at_rest() const noexcept;
    [[nodiscard]] std::uint32_t calls_in_flight() const noexcept { return calls_; }
    // Entries that were decided and have no outcome yet.
    [[nodiscard]] std::uint64_t unrecorded() const noexcept { return unrecorded_ + burying_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    // Entries of held batches that are not final, counted one by one.
    [[nodiscard]] std::uint64_t count_held() const noexcept;
    // Settles of unknown batches, wrong indexes and entries settled twice; ignored and counted.
    [[nodiscard]] std::uint64_t ignored() const noexcept { return ignored_; }
    // Presents nothing any more. For the begin of a shutdown.
    void stop_presenting();
    // Gives back what waits to be presented. Once nothing of the chain above is in flight.
    void return_waiting();
    void cancel_burials();
    // Gives up on what the leaf keeps refusing: accepted entries count as returned. For the end of a shutdown.
    void give_up();

private:
    struct settle_op;
    struct receive_slot;
    struct bury_op;
    using lane_state = ledger_lane::state;
    // The lanes of one LANES_ENDING that was not answered yet.
    struct ending {
        std::uint64_t token;
        std::vector<std::uint64_t> lanes;
    };

    // ledger.cpp: the side that the chain above sees
    status book(status answer);
    status present_sound(ledger_batch& b, receive_call& upper);
    void wake_parked_receive();
    [[nodiscard]] std::uint64_t unsettled() const noexcept { return counters_.in_flight.get() + returned_held_; }
    [[nodiscard]] bool has_room() const noexcept;
    void group_by_lane(ledger_batch& b);
    ledger_lane& lane(std::uint64_t id);
    [[nodiscard]] presentation* known(void* batch) noexcept;
    bool accept_whole(ledger_batch& b, const list<const settle_entry>& entries);
    settle_result accept(presentation& p, const settle_entry& entry);
    settle_result accept(ledger_batch& b, const settle_entry& entry);
    // The entry is decided: the leaf gets it in its turn.
    void decide(ledger_batch& b, const settle_entry& entry, fate why);
    void reply_at_once(ledger_batch& b, const settle_entry& entry, bool then_ack);
    void free_whole(ledger_batch& b);
    [[nodiscard]] bool is_ending(std::uint64_t lane_id) const noexcept;

    // ledger_again.cpp: presentation from memory
    void nacked(ledger_batch& b, const settle_entry& entry);
    void wait_for_again(ledger_batch& b, std::uint32_t index, std::uint64_t pause_ns);
    [[nodiscard]] std::uint64_t pause_before(std::uint32_t presentations);
    void arm_due_timer();
    void look_for_due();
    bool present_due(receive_call& c);
    void free_again(presentation& p);
    void forget_waiting(const ledger_batch& b, std::uint32_t index);
    // Adds what is known of this failure; false: the message was not tried.
    bool take_note(ledger_batch& b, const settle_entry& entry);

    // ledger_dead.cpp: what can never be delivered
    void die(ledger_batch& b, std::uint32_t index, death why);
    void stop_for(ledger_batch& b, std::uint32_t index);
    void bury_collected();
    void add_letter(bury_op& op, const entry_place& place, death why);
    void buried(bury_op& op, status answer);
    void book_burial(ledger_batch& b, std::uint32_t index, status answer);

    // ledger_settle.cpp: the side that the leaf sees
    void advance(ledger_batch& b);
    void advance_all();
    void advance_queued();
    settle_op* prepare(ledger_batch& b);
    settle_op* prepare_messages(ledger_batch& b);
    settle_op* prepare_prefixes(ledger_batch& b);
    settle_op* prepare_whole(ledger_batch& b);
    void name_range(settle_op& op, std::uint32_t from, std::uint32_t count);
    void start(settle_op& op);
    void finish(settle_op& op, status answer);
    bool finish_entries(settle_op& op);
    bool finish_slices(settle_op& op);
    void retry_later();
    void tell_of_refusal(const settle_op& op);
    settle_op& take_op(ledger_batch& b);

    // ledger_lanes.cpp: what becomes final, and lanes that end
    void make_final(ledger_batch& b, std::uint32_t index, fate why);
    void make_range_final(ledger_batch& b, std::uint32_t from, std::uint32_t count);
    void give_up(ledger_lane& l, lane_state why);
    void kill(ledger_lane& l);
    static void forget_final(ledger_lane& l);
    void leave(lane_group& g);
    void close_lane(std::uint64_t id);
    void erase_lane(std::uint64_t id);
    void release_if_done(ledger_batch& b);
    void release_all_done();
    void return_lane(ledger_batch& b, std::uint64_t lane_id);
    void return_one(ledger_batch& b, std::uint32_t index);
    void return_all(ledger_batch& b);
    void return_open(ledger_batch& b, entry_state had);
    void check_endings();
    [[nodiscard]] bool has_open(std::uint64_t lane_id) const noexcept;

    void on_state(bool connected, std::string_view cause) override;
    void on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) override;
    void on_lanes_ended(std::uint64_t token) override;

    std::unique_ptr<consumer> leaf_;
    promises promised_;
    ledger_counters& counters_;
    mailbox& box_;
    timers& clock_;
    std::uint32_t calls_at_a_time_;

    std::unique_ptr<receive_slot> receiving_;
    std::deque<std::unique_ptr<ledger_batch>> batches_;  // in order of receipt
    std::uint64_t next_sequence_ = 0;
    std::vector<std::unique_ptr<presentation>> again_;  // presentations from memory that the chain above has
    std::vector<std::unique_ptr<presentation>> spare_again_;
    std::multimap<std::uint64_t, entry_place> waiting_;  // by the time when they are presented again
    message_ids ids_;
    failure_notes notes_;
    failure_policy policy_;
    std::unique_ptr<bury_op> dying_;  // what the settle that is being accepted has to bury
    std::vector<std::unique_ptr<bury_op>> burials_;
    std::uint64_t burying_ = 0;
    std::uint32_t dead_in_a_row_ = 0;     // in the order in which it was decided what becomes of them
    std::uint32_t longest_dead_row_ = 0;  // since the last stop
    bool has_due_ = false;
    bool at_end_ = false;
    bool ended_ = false;  // the leaf said so for good
    bool presents_ = true;
    std::minstd_rand spread_{std::random_device{}()};
    std::vector<std::unique_ptr<ledger_batch>> spare_batches_;
    std::unordered_map<std::uint64_t, std::unique_ptr<ledger_lane>> lanes_;
    ledger_lane* last_lane_ = nullptr;
    std::vector<ending> endings_;
    call_pool<settle_op> ops_;
    plain_acks acks_;
    std::vector<ledger_batch*> to_advance_;
    bool advancing_ = false;
    bool giving_up_ = false;
    std::vector<settle_op*> replies_again_;  // replies that were not recorded; each still counts as a call of its batch

    struct retry_timer : timer {
        ledger* self = nullptr;
        bool pending = false;
    } retry_timer_;
    std::uint64_t retry_delay_ns_ = 0;
    struct due_timer : timer {
        ledger* self = nullptr;
        bool pending = false;
        std::uint64_t at = 0;
    } due_timer_;

    std::uint32_t calls_ = 0;
    std::uint64_t unrecorded_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t bytes_per_message_ = 0;  // of the last batch, on the average
    std::uint64_t most_bytes_ = 0;
    std::uint64_t returned_held_ = 0;  // returned, in batches that are not freed yet
    std::uint64_t ignored_ = 0;
};

}  // namespace mqb::core
