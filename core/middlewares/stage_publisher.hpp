// stage_publisher: a stage at an output. What goes no further has its outcome at once.
#pragma once

#include "core/call_pool.hpp"
#include "core/middlewares/message_stage.hpp"
#include "core/middlewares/stage_log.hpp"
#include "core/publisher.hpp"

#include <memory>
#include <vector>

namespace mqb::core {

// Over a publisher; used by one route. A send of which every message goes on as it came is given on as it is.
class stage_publisher final : public publisher {
public:
    stage_publisher(publisher& inner, std::unique_ptr<message_stage> stage, stage_log log);

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    struct part_send : send_call {
        stage_publisher* self = nullptr;
        send_call* upper = nullptr;  // null: not in use
        staged_messages staged;
        std::vector<outcome> came;
    };
    part_send& take();
    void give_back(part_send& s);
    void tell_removed(const staged_messages& all, send_call& upper);
    // Brings outcomes and texts to where the caller looks for them.
    static void collect(part_send& s);

    publisher& inner_;
    const std::unique_ptr<message_stage> stage_;
    stage_log log_;
    call_pool<part_send> sends_;
};

}  // namespace mqb::core
