// crossing_publisher: a publisher that lives on one mailbox and is used from another: each call, and each answer, crosses by mail.
#pragma once

#include "core/mailbox.hpp"
#include "core/owned_message.hpp"
#include "core/publisher.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace mqb::core {

// Used from `here`; the target is used from `there` only. Both mailboxes and the target outlive every call. Events of the target go to
// the listener by mail.
class crossing_publisher final : public publisher {
public:
    crossing_publisher(publisher& target, mailbox& there, mailbox& here);
    ~crossing_publisher() override;

    status connect(call& c) override;
    status send(send_call& c) override;
    status control(control_call& c) override;
    void cancel(call& c) override;
    status close(call& c) override;
    void listen(event_sink* sink) override;

    // No call is on its way.
    [[nodiscard]] bool is_at_rest() const noexcept { return in_flight_ == 0; }

private:
    struct operation;
    struct sending;
    struct controlling;
    struct simple;
    class events;

    void begin(operation& op, call& upper);
    void ended(operation& op);
    template <class Op>
    Op& take(std::vector<std::unique_ptr<Op>>& from);

    publisher& target_;
    mailbox& there_;
    mailbox& here_;
    std::uint32_t in_flight_ = 0;
    std::vector<std::unique_ptr<sending>> sends_;
    std::vector<std::unique_ptr<controlling>> controls_;
    std::vector<std::unique_ptr<simple>> others_;
    std::unique_ptr<events> events_;
};

}  // namespace mqb::core
