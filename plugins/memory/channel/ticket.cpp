#include "ticket.hpp"

namespace mqb::memory {

ticket::ticket(sdk::send_call& call, std::uint32_t copies)
    : id_(call.id()), host_(call.owner()->host()), left_(call.size(), copies), is_answered_(call.size()), open_(call.size()) {
    call_ = call.later();
}

bool ticket::is_over() const {
    std::lock_guard lock(mutex_);
    return is_over_;
}

void ticket::end_after(std::uint64_t ns, std::function<void(ticket&)> what) {
    rang_ = std::move(what);
    until_rang_ = shared_from_this();
    has_timer_ = timer_.start(host_, host_.now() + ns, rang, this);
    if (!has_timer_) until_rang_.reset();
}

void ticket::rang(void* raw, bool on_time) {
    auto* self = static_cast<ticket*>(raw);
    const std::shared_ptr<ticket> kept = std::move(self->until_rang_);
    if (on_time && !self->is_over()) self->rang_(*self);
}

// The timer first: once the call is answered its host may be gone.
void ticket::finish(sdk::status answer) {
    if (has_timer_) timer_.cancel(host_);
    call_.complete(answer);
}

void ticket::all_acknowledged(std::uint32_t first, std::uint32_t count) {
    {
        std::lock_guard lock(mutex_);
        if (is_over_) return;
        for (std::uint32_t i = first; i < first + count; ++i) {
            if (left_[i] == 0 || --left_[i]) continue;
            call_->done(i);
            --open_;
        }
        if (open_) return;
        is_over_ = true;
    }
    finish(sdk::status::done);
}

void ticket::answered(std::uint32_t index, const mqb_message& reply) {
    std::lock_guard lock(mutex_);
    if (is_over_ || left_[index] == 0 || is_answered_[index]) return;  // too late, or a second one
    is_answered_[index] = true;
    mqb_message answer{};
    const std::size_t known = reply.struct_size ? reply.struct_size : 80;
    std::memcpy(static_cast<void*>(&answer), &reply, known < sizeof answer ? known : sizeof answer);
    std::memcpy(answer.id, (*call_)[index].raw().id, sizeof answer.id);
    call_->answer(index, answer);
}

void ticket::end(const std::vector<bool>& unread, std::string_view text) {
    {
        std::lock_guard lock(mutex_);
        if (is_over_) return;
        is_over_ = true;
        for (std::uint32_t i = 0; i < left_.size(); ++i) {
            if (left_[i] == 0) continue;
            if (!unread[i])
                call_->uncertain(i, text);
            else if (!text.empty())
                call_->again(i, text);
        }
    }
    finish(text.empty() ? sdk::status::cancelled : sdk::status::done);
}

}  // namespace mqb::memory
