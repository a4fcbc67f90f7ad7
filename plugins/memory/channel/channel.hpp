// channel: the queue between senders and readers of one name. Bounded in batches and in bytes: when it is full senders wait, when it
// is empty readers do.
#pragma once

#include "delivery.hpp"

#include <mqb/sdk/receive_call.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mqb::memory {

// A reader and its place in the line: a member of the consumer, which has one receive at a time.
// Threads: written by its consumer while it is not in the line, else under the channel's lock.
struct reader {
    sdk::operation<sdk::receive_call> call;  // open while it is in the line, and until it is completed
    std::uint32_t max_messages = 0;
    std::uint64_t max_bytes = 0;
    bool drains = false;
    bool has_waited_for_senders = false;  // long enough to believe that none is coming
    std::uint64_t outstanding = 0;        // given to it and neither settled nor given back
    delivery* with = nullptr;
    reader* next = nullptr;
};

// Threads: [any]. One lock, held for moving entries only: parcels are made before it and calls are completed after it.
class channel {
public:
    // The channel of this name in this process; whoever comes first decides how much it holds. Throws bad_config where the name is one of
    // a broadcast.
    static std::shared_ptr<channel> open(const std::string& name, std::uint32_t capacity, std::uint64_t capacity_bytes);
    // Gives the handle's share up. A channel with nobody and nothing in it is forgotten.
    static void close(std::shared_ptr<channel>& share);

    channel(std::string name, std::uint32_t capacity, std::uint64_t capacity_bytes);
    channel(const channel&) = delete;
    ~channel();

    // ---- senders ----
    void attach_sender();
    void detach_sender();
    // Takes the parcel's count. Pending: it waits for room, and is completed when it is in.
    sdk::status send(parcel* one, sdk::send_call& call);
    // The same for a parcel whose settlement answers for it, and is told when it is in.
    void send(parcel* one);
    // Puts it in, whether there is room or not. Completes nothing: serve_waiting follows, once no lock is held.
    void deliver(parcel* one);
    // Takes what no reader has out again; which messages of the send those were. serve_waiting follows.
    std::vector<bool> withdraw(const settlement& told, std::uint32_t count);
    // Gives readers and senders who wait what is there.
    void serve_waiting();
    // Also gives back what the same sender started later: order is kept when it is sent again.
    void cancel_send(const void* from, std::uint64_t operation);

    // Its reader has gone and none will come: what is in it, and what comes, counts as settled.
    void abandon();
    // Readers get nothing until it is opened.
    void close_gate();
    void open_gate();

    // ---- readers ----
    bool is_empty() const;
    bool is_full() const;
    bool has_waiting_reader() const;
    // Done: with is filled. Pending: it waits in the line. End: it drains, and nothing can come any more.
    sdk::status receive(reader& who, sdk::receive_call& call);
    void cancel_receive(reader& who, std::uint64_t operation);
    // Ends a receive that waits if nothing can come any more. False: it does not wait now.
    bool look_again(reader& who, bool has_waited_for_senders);
    void settled(reader& who, std::uint64_t messages);
    // Back to where they were in the order of the channel; takes their counts.
    void give_back(reader& who, const std::vector<run>& runs);

private:
    // What has to be completed once the lock is free.
    struct finish {
        reader* readers = nullptr;
        parcel* senders = nullptr;
        void operator()() noexcept;
    };
    static void drop(const run& one);
    bool has_room(const parcel& one) const;
    void put(parcel* one);
    void put_back(const run& one);
    bool is_over(const reader& who) const;
    void take(reader& who);
    bool take_front(reader& who);
    void serve(finish& later);
    bool is_waiting(const reader& who) const;
    void take_out(const reader& who);

    const std::string name_;
    const std::uint32_t capacity_;
    const std::uint64_t capacity_bytes_;
    mutable std::mutex mutex_;
    std::deque<run> queue_;
    std::uint64_t queued_bytes_ = 0;
    std::uint64_t outstanding_ = 0;  // of all readers
    std::uint64_t next_place_ = 0;
    std::uint32_t senders_ = 0;
    bool had_sender_ = false;
    bool is_abandoned_ = false, is_gated_ = false;
    std::deque<parcel*> waiting_senders_;  // each with its operation
    reader* readers_ = nullptr;            // in the order in which they came
};

}  // namespace mqb::memory
