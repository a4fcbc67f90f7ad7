// stage_consumer: a stage at an input. What goes no further is settled at once.
#pragma once

#include "core/consumer.hpp"
#include "core/mailbox.hpp"
#include "core/middlewares/message_stage.hpp"
#include "core/middlewares/stage_log.hpp"

#include <memory>
#include <vector>

namespace mqb::core {

// Over a consumer of one route. A batch of which nothing is left is followed by the next one, so that a source whose messages go
// no further is read as fast as any other; but not while a few of them wait for an answer to their settlement.
class stage_consumer final : public consumer {
public:
    stage_consumer(consumer& inner, std::unique_ptr<message_stage> stage, mailbox& box, stage_log log);

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override;
    void lanes_done(std::uint64_t token) override { inner_.lanes_done(token); }
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    // Pending while the inner side has not answered what this has settled by itself.
    status close(call& c) override;
    void listen(event_sink*) override {}

private:
    struct held_batch;
    struct inner_receive : receive_call {
        stage_consumer* self = nullptr;
        receive_call* upper = nullptr;
        bool is_cancelled = false;  // by the caller: nothing more is read for it
    };
    struct another_turn : mail {
        stage_consumer* self = nullptr;
        bool is_posted = false;
    };
    // What goes no further.
    struct own_settle : settle_call {
        held_batch* of = nullptr;
        std::vector<settle_entry> what;
        std::vector<outcome> came;
        bool is_pending = false;
    };
    struct held_batch {
        stage_consumer* self = nullptr;
        void* batch = nullptr;  // the inner one; null: not in use
        staged_messages messages;
        own_settle own;
        bool is_freed = false;  // above
    };
    struct passed_settle : settle_call {
        stage_consumer* self = nullptr;
        settle_call* upper = nullptr;
        std::vector<settle_entry> renumbered;
    };

    status read();
    // True: the caller has its answer.
    bool took(status answer);
    // What the caller is answered, or the next read.
    [[nodiscard]] status after(status answer);
    [[nodiscard]] bool waits_for_settles() const noexcept;
    void finish(status answer);
    held_batch& hold(void* batch);
    [[nodiscard]] held_batch* known(void* batch) noexcept;
    void settle_removed(held_batch& h);
    void settled_removed(held_batch& h, status answer);
    void release_if_done(held_batch& h);
    passed_settle& take_settle();
    void give_back(passed_settle& s, settle_call& upper);

    consumer& inner_;
    const std::unique_ptr<message_stage> stage_;
    mailbox& box_;
    stage_log log_;
    inner_receive below_;
    another_turn again_;
    bool waits_ = false;                                // to read on, for the answer to a settlement
    std::vector<std::unique_ptr<held_batch>> batches_;  // used again and again
    std::vector<std::unique_ptr<passed_settle>> settles_;
    call* closing_ = nullptr;
};

}  // namespace mqb::core
