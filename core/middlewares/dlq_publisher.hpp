// dlq_publisher: takes what was refused or retried in vain, message by message, and sends it to a dead-letter endpoint.
#pragma once

#include "core/call_pool.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/publisher.hpp"
#include "core/timers.hpp"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

// A send is pending until the dead-letter endpoint has answered for each message that goes there. What it took is done and
// dead-lettered; what it refused keeps the outcome that it had; where it failed for now the message is to be sent again, so that
// nothing is lost. The dead-letter endpoint gets one send at a time. Used by one route.
class dlq_publisher final : public publisher {
public:
    dlq_publisher(publisher& inner, std::unique_ptr<publisher> endpoint, std::string route, mailbox& box, timers& clock);

    // Those of the dead-letter endpoint: the inner side is connected and closed by whoever has made it.
    status connect(call& c) override { return endpoint_->connect(c); }
    status close(call& c) override { return endpoint_->close(c); }
    void listen(event_sink* sink) override { endpoint_->listen(sink); }
    status send(send_call& c) override;
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override;

private:
    struct one_send : send_call {
        dlq_publisher* self = nullptr;
        send_call* upper = nullptr;
        status came = status::ok;
        bool cancelled = false;
        std::vector<std::uint32_t> dead;  // which messages
    };
    // The send to the dead-letter endpoint; for a flush it has no messages.
    struct burial : send_call {
        dlq_publisher* self = nullptr;
        one_send* of = nullptr;  // null: there is none
        std::vector<message> letters;
        std::vector<counted_block> blocks;
        std::vector<outcome> answers;
    };
    struct cancel_mail : mail {
        dlq_publisher* self = nullptr;
        bool posted = false;
    };
    one_send& take(send_call& c);
    // True: the caller gets the answer; false: the dead-letter endpoint has to answer first.
    bool ended(one_send& s, status answer);
    [[nodiscard]] bool bury(one_send& s);
    void write_letters(const one_send& s);
    void buried(one_send& s, status answer);
    void taken(one_send& s, std::uint32_t k);
    void not_taken(one_send& s, std::uint32_t i, bool for_good, std::string_view why, std::uint64_t not_before);
    void give_up(one_send& s);
    void bury_waiting();
    void answer_cancelled();
    void finish(one_send& s);
    void recycle(one_send& s);
    [[nodiscard]] std::string error_of(const one_send& s, std::uint32_t i) const;

    publisher& inner_;
    std::unique_ptr<publisher> endpoint_;
    const std::string route_;
    mailbox& box_;
    timers& clock_;
    burial burial_;
    bool is_working_ = false;   // bury_waiting runs
    bool has_written_ = false;  // since the last flush
    cancel_mail cancel_;
    std::deque<one_send*> waiting_;  // for the dead-letter endpoint; a cancelled one leaves by mail
    call_pool<one_send> sends_;
};

}  // namespace mqb::core
