// faulty_consumer: an input of which some receives go wrong on purpose.
#pragma once

#include "core/message_ids.hpp"
#include "core/middlewares/fault.hpp"
#include "core/middlewares/panic_mail.hpp"
#include "core/middlewares/passing.hpp"
#include "core/middlewares/stage_log.hpp"
#include "core/timers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mqb::core {

// Over a consumer; used by one route. What goes wrong is not read, so nothing is lost. A made-up message is no message of the source:
// the ledger does not count it, and what is settled of it ends here.
class faulty_consumer final : public passing_consumer {
public:
    // path: of the middleware.
    faulty_consumer(consumer& inner, std::shared_ptr<fault_plan> plan, mailbox& box, timers& clock, std::string path, stage_log log);

    status receive(receive_call& c) override;
    status settle(settle_call& c) override;
    void free_batch(void* batch) override;
    void cancel(call& c) override;
    void listen(event_sink* sink) override { panic_.listen(sink); }

private:
    status make_up(receive_call& c);
    [[nodiscard]] bool is_made_up(const void* batch) const noexcept;

    const std::shared_ptr<fault_plan> plan_;
    timers& clock_;
    const std::string path_;
    stage_log log_;
    panic_mail panic_;
    message_ids ids_;
    std::vector<std::unique_ptr<message>> made_up_;  // each is a batch of its own
};

}  // namespace mqb::core
