// queue: messages in partitions, who has which of them, and what became of each. It outlives its sessions.
#pragma once

#include "faults.hpp"
#include "journal.hpp"
#include "timers.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace mqb::shapes::broker {

// What the queue knows of a session that consumes.
struct holder {
    std::uint32_t number = 0;
    wire::mode how = wire::mode::message;
    std::chrono::milliseconds lease{0};
    std::set<std::uint64_t> out;  // messages that it has and that are not settled
};

// One message as a sender gives it.
struct letter {
    std::string_view id;  // 16 bytes
    std::uint64_t lane = 0;
    std::optional<std::string_view> payload;
    std::string_view metadata;
};

// Threads: one.
class queue {
public:
    queue(std::string name, timers& later) : name_(std::move(name)), later_(later) {}
    queue(const queue&) = delete;

    faults broken;
    journal log;
    std::chrono::milliseconds delay_of_sends{0};
    double roams = 0;  // the chance at each receive that a lane is taken away, within roam_ms
    std::uint32_t roam_ms = 0;
    std::string responds = "once";    // or twice, or never
    std::uint64_t responds_left = 0;  // messages to which never applies
    std::function<void()> on_ready;   // something can be received now

    const std::string& name() const { return name_; }
    void partition_into(std::uint32_t partitions);
    // n messages "partition:number", with stable ids, round robin over the partitions; each at least so large.
    void fill(std::uint32_t n, std::uint32_t partitions, std::uint32_t bytes);
    std::uint64_t store(const letter& what);
    bool has_stored(std::string_view id) const { return ids_.count(std::string(id)) != 0; }

    // Appends messages to the frame and gives their number.
    std::uint32_t deliver(holder& to, std::uint32_t max, std::uint64_t max_bytes, wire::writer& frame);
    bool is_empty_for(const holder& who) const;  // nothing is there and nothing is to come by itself
    bool is_finished() const { return settled_ == items_.size(); }
    wire::settled settle(holder& who, std::uint64_t delivery, wire::disposition what, std::chrono::nanoseconds delay, bool fails);
    // A batch that is settled as one: whether these are all that it has.
    bool is_whole(const holder& who, const std::vector<std::uint64_t>& deliveries) const;
    void give_back(holder& who, const std::vector<std::uint64_t>& deliveries);
    void extend(holder& who, const std::vector<std::uint64_t>& deliveries);
    // The connection is gone: everything that it had can be delivered again.
    void leave(holder& who);

    // Lanes that are taken away: the holder is told with a token, has time, and then they are over.
    struct ending {
        std::uint32_t holder;
        std::uint64_t token;
        std::vector<std::uint64_t> lanes;
    };
    std::vector<ending> begin_to_end(std::uint32_t lanes);
    // Whose they were; none: they are over already.
    std::optional<std::uint32_t> end_lanes(const std::map<std::uint32_t, holder*>& holders, std::uint64_t token);

    std::string payloads() const;  // one a line, in the order of arrival
    std::string summary() const;   // JSON

private:
    enum class state : std::uint8_t { ready, out, delayed, acknowledged, rejected };
    struct item {
        std::string id, metadata;
        std::optional<std::string> payload;
        std::uint32_t partition = 0;
        state is = state::ready;
        std::uint32_t count = 0;  // deliveries
        std::uint32_t holder = 0;
        std::uint64_t claim = 0;
        timers::clock::time_point lease_ends{};
    };
    // A lane: one partition (prefix) or the whole queue (gated) that one session reads until it is over.
    struct claim {
        std::uint32_t holder = 0;
        std::uint32_t stream = 0;
        std::uint64_t token = 0;        // not 0: it is ending
        std::deque<std::uint64_t> out;  // in the order of delivery
    };
    static std::uint64_t delivery_of(std::uint64_t message, std::uint32_t count) { return message | std::uint64_t{count} << 40; }
    static std::uint64_t message_of(std::uint64_t delivery) { return delivery & ((std::uint64_t{1} << 40) - 1); }
    static bool has_claims(const holder& who) { return who.how == wire::mode::prefix || who.how == wire::mode::gated; }
    static std::uint32_t stream_of(const holder& who, std::uint32_t partition) { return who.how == wire::mode::gated ? 0 : partition; }
    item* held(const holder& who, std::uint64_t delivery);
    bool may_read(const holder& who, std::uint32_t partition) const;
    std::optional<std::uint64_t> first_for(const holder& who) const;
    void make_ready(std::uint64_t message);
    void return_one(holder& who, std::uint64_t message);
    void end_claim(holder& who, std::uint64_t number);
    void look_for_expired(std::uint32_t who, std::vector<std::uint64_t> deliveries);

    std::string name_;
    timers& later_;
    std::deque<item> items_;
    std::vector<std::set<std::uint64_t>> ready_;  // by partition
    std::size_t delayed_ = 0, settled_ = 0, out_ = 0;
    std::unordered_set<std::string> ids_;
    std::map<std::uint64_t, claim> claims_;
    std::map<std::uint32_t, std::uint64_t> owner_;  // stream -> claim
    std::uint64_t next_claim_ = 1, next_token_ = 1;
    std::map<std::uint32_t, holder*> leased_;  // sessions with leases
};

}  // namespace mqb::shapes::broker
