// waiting_send: a send that ends when others have done their part.
#pragma once

#include "settlement.hpp"

#include <string_view>
#include <vector>

namespace mqb::memory {

// Threads: [any].
class waiting_send : public settlement {
public:
    std::uint64_t number = 0;  // that its broadcast gave it, where it goes to subscribers; set before it is sent

    virtual std::uint64_t id() const noexcept = 0;
    virtual std::uint32_t size() const noexcept = 0;
    virtual bool is_over() const = 0;
    // Whether `end` may come now; then it has to, and the send is not done in between by what enters its channels. One that is only
    // beginning ends itself soon.
    virtual bool claim_end() { return !is_over(); }
    // Ends the call now. What is in `unread` never reached a reader; the rest, as far as it is not done, may have.
    // Without a text it is a cancel.
    virtual void end(const std::vector<bool>& unread, std::string_view text) = 0;
};

}  // namespace mqb::memory
