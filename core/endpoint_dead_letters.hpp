// endpoint_dead_letters: an output as the place for dead letters.
#pragma once

#include "core/dead_letters.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/publisher.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace mqb::core {

// A letter is the message with the metadata mq_bridge.dlq.error, .route and .timestamp_ms, as the middleware dlq writes it. The output
// gets one send at a time. Where it took a part of the letters, only the others are sent again when they are buried once more
// within the same call; a later call may repeat what an earlier one had sent. Used by one route.
class endpoint_dead_letters final : public dead_letter_store {
public:
    explicit endpoint_dead_letters(publisher& target);
    status bury(bury_call& c) override;
    void cancel(call& c) override;

private:
    struct sending : send_call {
        endpoint_dead_letters* self = nullptr;
    };
    status start();
    status ended(status answer);
    void next();

    publisher& target_;
    sending send_;
    bury_call* now_ = nullptr;
    std::deque<bury_call*> waiting_;
    std::vector<message> letters_;
    std::vector<counted_block> blocks_;
    std::vector<outcome> outcomes_;
};

}  // namespace mqb::core
