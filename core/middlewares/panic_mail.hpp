// panic_mail: fails a route from inside a call of its chain, as if the call had thrown.
#pragma once

#include "core/consumer.hpp"
#include "core/mailbox.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

// Used by one route. By mail: a route that fails cancels what is in flight, which must not happen inside a start.
class panic_mail : private mail {
public:
    explicit panic_mail(mailbox& box) : box_(box) {
        deliver = [](mail& m) noexcept { static_cast<panic_mail&>(m).tell(); };
    }
    void listen(event_sink* sink) noexcept { sink_ = sink; }
    // The call is pending; it is answered as cancelled when the route has heard `why`.
    status fail(call& c, std::string why) {
        calls_.push_back(&c);
        why_ = std::move(why);
        if (calls_.size() == 1) box_.put(*this);
        return status::pending;
    }
    [[nodiscard]] bool has(const call& c) const noexcept { return std::ranges::find(calls_, &c) != calls_.end(); }

private:
    void tell() {
        if (sink_) sink_->on_misbehaviour(why_);
        for (call* c : std::exchange(calls_, {})) c->done(*c, status::cancelled);
    }
    mailbox& box_;
    event_sink* sink_ = nullptr;
    std::string why_;
    std::vector<call*> calls_;
};

}  // namespace mqb::core
