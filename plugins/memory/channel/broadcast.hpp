// broadcast: the subscribers of one name, each with a channel of its own. What is sent goes to all of them, at the pace of the slowest.
#pragma once

#include "channel.hpp"
#include "waiting_send.hpp"

namespace mqb::memory {

// Threads: [any]. Its lock is taken before those of the channels, and nothing is completed under it.
class broadcast {
public:
    // That of this name in this process; whoever comes first decides how much its channels hold. Throws bad_config where the name is
    // one of a queue.
    static std::shared_ptr<broadcast> open(const std::string& name, std::uint32_t capacity, std::uint64_t capacity_bytes);
    // Gives the handle's share up. One with nobody and nothing unread in it is forgotten.
    static void close(std::shared_ptr<broadcast>& share);

    broadcast(std::string name, std::uint32_t capacity, std::uint64_t capacity_bytes);
    broadcast(const broadcast&) = delete;

    // ---- senders ----
    void attach_sender();
    void detach_sender();
    // One copy of a send for one channel.
    struct copy {
        std::shared_ptr<channel> to;
        counted_parcel of;
    };
    // A copy for each subscriber, or for the first one to come, and which send of this name it is. They have to be sent next.
    struct sending {
        std::vector<copy> copies;
        std::uint64_t number;
    };
    sending begin_send(counted_parcel one);
    // Takes back what nobody has read of a send: the messages of which no subscriber has anything. Where that is all of it, it is not
    // kept for those who come later either.
    std::vector<bool> withdraw(const waiting_send& told);

    // ---- subscribers ----
    // Routes of one process start in any order: nothing is read, and nothing dropped of what is kept, before `begin`, which a subscriber
    // calls so long after it has come.
    static constexpr std::uint64_t gathering_ns = 500'000'000;
    bool has_begun() const;
    void begin();
    // The channel of a new one. Alone it has what nobody has read; beside others it begins with the oldest batch that is kept.
    std::shared_ptr<channel> subscribe();
    // What the last one has not read waits for the next.
    void unsubscribe(const std::shared_ptr<channel>& one);

private:
    std::vector<std::shared_ptr<channel>> channels() const;
    void drop_old() noexcept;
    void forget(std::uint64_t number);

    const std::string name_;
    const std::uint32_t capacity_;
    const std::uint64_t capacity_bytes_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<channel>> subscribers_;
    std::shared_ptr<channel> unread_;  // for the first subscriber to come, while there is none
    struct kept {
        counted_parcel of;
        std::uint64_t number;
    };
    std::deque<kept> kept_;  // the last ones sent, for those who come later; their numbers rise
    std::uint64_t kept_bytes_ = 0, next_number_ = 0;
    std::uint32_t senders_ = 0;
    bool had_sender_ = false, has_begun_ = false;
};

}  // namespace mqb::memory
