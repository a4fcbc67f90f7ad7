#include "channel_sink.hpp"

namespace mqb::memory {

channel_sink::~channel_sink() {
    if (channel_) channel_->detach_sender();
    channel::close(channel_);
}

void channel_sink::connect() {
    if (channel_) return;
    channel_ = channel::open(config_.where().name, config_.capacity, config_.capacity_bytes);
    channel_->attach_sender();
    connected_ = channel_.get();
}

sdk::status channel_sink::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;  // nothing is held here
    if (config_.ack || config_.request_reply) return send_and_wait(call);
    parcel* one = parcel::make(call.raw().messages);
    one->from = this;
    return channel_->send(one, call);
}

sdk::status channel_sink::send_and_wait(sdk::send_call& call) {
    parcel* one = parcel::make(call.raw().messages, config_.request_reply);
    std::shared_ptr<ticket> waits;
    {
        std::lock_guard lock(mutex_);
        std::erase_if(tickets_, [](const auto& old) { return old->is_over(); });
        tickets_.reserve(tickets_.size() + 1);
        waits = std::make_shared<ticket>(call);
        tickets_.push_back(waits);
    }
    if (config_.request_reply) waits->end_after(config_.request_timeout_ms * 1'000'000, [this](ticket& late) { end(late, this->late()); });
    one->told = waits;
    channel_->send(one);
    return sdk::status::pending;
}

void channel_sink::end(ticket& one, std::string_view text) {
    const std::vector<bool> unread = channel_->withdraw(one, one.size());
    one.end(unread, text);
    channel_->serve_waiting();
}

std::string channel_sink::late() const { return sdk::join("no answer within request_timeout_ms (", config_.request_timeout_ms, ")"); }

void channel_sink::cancel(std::uint64_t operation) {
    channel* to = connected_;
    if (!to) return;
    std::shared_ptr<ticket> found;
    {
        std::lock_guard lock(mutex_);
        for (const auto& one : tickets_)
            if (one->id() == operation) found = one;
    }
    if (found) return end(*found, {});
    to->cancel_send(this, operation);
}

}  // namespace mqb::memory
