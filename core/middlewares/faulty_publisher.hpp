// faulty_publisher: an output of which some sends go wrong on purpose.
#pragma once

#include "core/middlewares/fault.hpp"
#include "core/middlewares/panic_mail.hpp"
#include "core/middlewares/passing.hpp"

#include <memory>
#include <string>

namespace mqb::core {

// Over a publisher; used by one route. What goes wrong is not sent. Empty sends are passed on and not counted.
class faulty_publisher final : public passing_publisher {
public:
    // path: of the middleware.
    faulty_publisher(publisher& inner, std::shared_ptr<fault_plan> plan, mailbox& box, std::string path);

    status send(send_call& c) override;
    void cancel(call& c) override;
    void listen(event_sink* sink) override { panic_.listen(sink); }

private:
    const std::shared_ptr<fault_plan> plan_;
    const std::string path_;
    panic_mail panic_;
};

}  // namespace mqb::core
