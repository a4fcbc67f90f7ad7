// fanout_publisher: sends each message to all of several endpoints.
#pragma once

#include "core/middlewares/stage_log.hpp"
#include "core/structural/branching_publisher.hpp"
#include "core/structural/partly_sent.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mqb::core {

// A message is done when all branches have taken it. One that comes back is remembered with the branches that have it, and when it
// is sent again goes to the others alone. The worst of the answers counts: what may be tried again, then what is refused. Used by one
// route.
class fanout_publisher final : public branching_publisher {
public:
    fanout_publisher(std::vector<branch> all, bool keeps_order, partly_sent memory, stage_log log)
        : branching_publisher(std::move(all), keeps_order), memory_(std::move(memory)), log_(std::move(log)) {}

private:
    // What is known of one message, of all branches together.
    struct merged_answer {
        send_result worst = send_result::done;
        bool all_exhausted = true;  // of what failed for now
        std::uint32_t flags = 0;
        std::uint64_t number = 0;
        taken_by taken;
    };
    struct message_notes final : notes {
        std::vector<taken_by> had;  // of each message, before this send; empty: nobody had any
        std::vector<merged_answer> answers;
        std::vector<std::unique_ptr<branch_response>> responses;  // of each message; empty: nobody has answered
    };
    [[nodiscard]] std::unique_ptr<notes> make_notes() const override { return std::make_unique<message_notes>(); }
    void divide(one_send& s) override;
    void collect(one_send& s) override;
    // Of messages that nobody has got before.
    [[nodiscard]] static bool is_delivered(const one_send& s);
    void keep_response(one_send& s, std::uint32_t i, std::uint32_t number, const message& response);
    static void merge(const part& p, message_notes& into);
    void tell_why(one_send& s) const;
    // What the caller gets for message `i`, and what is remembered of it.
    void conclude(one_send& s, std::uint32_t i);

    partly_sent memory_;
    stage_log log_;
    bool has_told_ = false;  // that there was more than one response
};

}  // namespace mqb::core
