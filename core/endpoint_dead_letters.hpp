// endpoint_dead_letters: an output as the place for dead letters.
#pragma once

#include "core/dead_letters.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/publisher.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace mqb::core {

// A letter is the message with the metadata mq_bridge.dlq.error, .route and .timestamp_ms, as the middleware dlq writes it. The output
// gets one send at a time. Where it took a part of the letters of a call, the call fails, and the one that tries again repeats that
// part. Used by one route.
class endpoint_dead_letters final : public dead_letter_store {
public:
    // on_send: before each send, whose letters the target may hold back until an empty one.
    endpoint_dead_letters(publisher& target, std::function<void()> on_send);
    status bury(bury_call& c) override;
    void cancel(call& c) override;

private:
    struct sending : send_call {
        endpoint_dead_letters* self = nullptr;
    };
    struct waiting {
        bury_call* of;
        bool is_cancelled = false;
    };
    status start();
    status ended(status answer);
    void next();

    publisher& target_;
    std::function<void()> on_send_;
    sending send_;
    bury_call* now_ = nullptr;
    std::deque<waiting> waiting_;
    std::vector<message> letters_;
    std::vector<counted_block> blocks_;
    std::vector<outcome> outcomes_;
};

}  // namespace mqb::core
