// retry_send: one send on its way through a retry, from its first try to the last outcome of its messages.
#pragma once

#include "core/middlewares/metadata_edit.hpp"
#include "core/middlewares/retry_policy.hpp"
#include "core/publisher.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace mqb::core {

// Chooses where in the jitter a pause lies.
class jitter_source {
public:
    // single: one place for a whole round, which keeps together what goes again. Else each message has one of a few places, so
    // that a batch goes again in a few parts and not all at once, nor one by one.
    explicit jitter_source(bool single) : single_(single) {}
    void begin_round() {
        std::uniform_real_distribution<double> spread{-1, 1};
        of_round_ = spread(random_);
    }
    [[nodiscard]] double next() {
        if (single_) return of_round_;
        std::uniform_int_distribution<int> place{0, places - 1};
        return (place(random_) * 2 + 1) / double{places} - 1;
    }

private:
    static constexpr int places = 8;
    bool single_;
    double of_round_ = 0;
    std::minstd_rand random_{std::random_device{}()};
};

// The call that the inner publisher gets: the whole send first, later the part that is due. Used by one retry.
struct retry_send : send_call {
    // What becomes of messages that came back unsent.
    enum class unsent {
        go_behind,  // they go again with the failed one in front of them; without one they end as they are
        wait,       // they go again: a send that was started earlier has failed
        count,      // they go again, and have been tried: the call as a whole failed
    };
    // What came of one round.
    struct verdict {
        bool has_failed = false;  // some message ends here neither done nor refused
        bool waits = false;       // some message is to be sent again
        std::uint64_t first_due = UINT64_MAX;
        std::uint64_t last_due = 0;
    };

    send_call* upper = nullptr;
    std::uint64_t sequence = 0;
    status came = status::ok;  // the answer to the last part
    bool cancelled = false;
    bool in_flight = false;
    bool is_started = false;
    bool is_judged = false;  // the last answer is

    void take(send_call& c, std::uint64_t number);
    // The whole send, without what an earlier retry has left in the metadata.
    void begin(std::uint64_t now);
    // The messages that wait, and with `only_due` are due. False: none.
    bool select(std::uint64_t now, bool only_due);
    // Brings outcomes and texts of the last part to where the caller looks for them.
    void collect(status answer);
    // Every message is done or refused.
    [[nodiscard]] bool is_clean() const noexcept;
    // Some message of the last part was refused for now and may be tried again.
    [[nodiscard]] bool asks_for_more() const noexcept;
    // Nothing of the last part went anywhere, though no message says so by itself: the call as a whole failed for now.
    [[nodiscard]] bool stands_still() const noexcept;
    // What becomes of each message of the last part.
    verdict judge(const retry_policy& policy, std::uint64_t now, unsent rule, jitter_source& jitter);

private:
    struct try_state {
        std::uint32_t tries = 0;
        bool waits = false;
        std::uint64_t first_at = 0;
        std::uint64_t due = 0;
    };
    [[nodiscard]] std::uint32_t upper_index(std::uint32_t k) const noexcept { return index_.empty() ? k : index_[k]; }
    [[nodiscard]] bool may_try_again() const noexcept { return !cancelled && (came == status::ok || came == status::retry); }
    void collect_texts(bool is_part);
    void failed(std::uint32_t i, const retry_policy& policy, std::uint64_t now, jitter_source& jitter);
    void exhaust(std::uint32_t i);
    void add(const message& m, std::uint32_t attempt);

    std::vector<try_state> states_;  // empty: all are in their first try
    std::uint64_t sent_at_ = 0;
    std::vector<std::uint32_t> index_;  // which of the caller's the part is; empty: all
    std::vector<message> part_;
    std::vector<outcome> answers_;
    std::vector<counted_block> blocks_;  // metadata of the part
};

}  // namespace mqb::core
