#include "admission.hpp"

namespace mqb::memory {

sdk::status admission::start(sdk::send_call& call) {
    {
        std::lock_guard lock(mutex_);
        if (open_ != 0 && !is_cancelled_) {
            call_ = call.later();
            return sdk::status::pending;
        }
        is_over_ = true;
        if (open_ != 0) return sdk::status::cancelled;
    }
    call.all_done();
    return sdk::status::done;
}

bool admission::claim_end() {
    std::lock_guard lock(mutex_);
    if (!call_) is_cancelled_ = true;
    if (!call_ || is_over_ || is_ending_) return false;
    return is_ending_ = true;
}

bool admission::is_over() const {
    std::lock_guard lock(mutex_);
    return is_over_;
}

void admission::entered() {
    {
        std::lock_guard lock(mutex_);
        // One that is being taken back may enter its last channel by the room that this makes, and no longer be in the first.
        if (is_over_ || --open_ != 0 || !call_ || is_ending_) return;
        is_over_ = true;
    }
    call_->all_done();
    call_.complete(sdk::status::done);
}

void admission::end(const std::vector<bool>& unread, std::string_view text) {
    {
        std::lock_guard lock(mutex_);
        if (is_over_) return;
        is_over_ = true;
    }
    tell(*call_, unread, text);
    call_.complete(text.empty() ? sdk::status::cancelled : sdk::status::done);
}

void admission::tell(const sdk::send_call& call, const std::vector<bool>& unread, std::string_view text) {
    for (std::uint32_t i = 0; i < call.size(); ++i)
        if (!unread[i]) call.uncertain(i, text);
}

}  // namespace mqb::memory
