#include "channel_sink.hpp"

#include "admission.hpp"

namespace mqb::memory {

channel_sink::~channel_sink() {
    if (channel_) channel_->detach_sender();
    channel::close(channel_);
    if (broadcast_) broadcast_->detach_sender();
    broadcast::close(broadcast_);
}

void channel_sink::connect() {
    if (channel_ || broadcast_) return;
    const std::string name = config_.where().name;
    if (config_.subscribe_mode) {
        broadcast_ = broadcast::open(name, config_.capacity, config_.capacity_bytes);
        return broadcast_->attach_sender();
    }
    channel_ = channel::open(name, config_.capacity, config_.capacity_bytes);
    channel_->attach_sender();
    connected_ = channel_.get();
}

sdk::status channel_sink::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;  // nothing is held here
    if (broadcast_) return send_to_all(call);
    if (config_.ack || config_.request_reply) return send_and_wait(call);
    parcel* one = parcel::make(call.raw().messages);
    one->from = this;
    return channel_->send(one, call);
}

void channel_sink::remember(const std::shared_ptr<waiting_send>& one) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(one);
}

// Before a call is taken that would end with its ticket.
void channel_sink::make_room() {
    std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [](const auto& old) { return old->is_over(); });
    waiting_.reserve(waiting_.size() + 1);
}

sdk::status channel_sink::send_and_wait(sdk::send_call& call) {
    counted_parcel one(parcel::make(call.raw().messages, config_.request_reply));
    make_room();
    const auto waits = std::make_shared<ticket>(call);
    remember(waits);
    if (config_.request_reply) waits->end_after(config_.request_timeout_ms * 1'000'000, [this](ticket& late) { end(late, this->late()); });
    one->told = waits;
    channel_->send(one.release());
    return sdk::status::pending;
}

sdk::status channel_sink::send_to_all(sdk::send_call& call) {
    counted_parcel one(parcel::make(call.raw().messages));
    make_room();
    broadcast::sending begun = broadcast_->begin_send(std::move(one));
    const auto count = static_cast<std::uint32_t>(begun.copies.size());
    std::shared_ptr<admission> enters;
    std::shared_ptr<waiting_send> waits;
    if (config_.ack)
        waits = std::make_shared<ticket>(call, count);
    else
        waits = enters = std::make_shared<admission>(call, count);
    waits->number = begun.number;
    remember(waits);
    for (broadcast::copy& copy : begun.copies) {
        copy.of->told = waits;
        copy.to->send(copy.of.release());
    }
    const sdk::status answer = enters ? enters->start(call) : sdk::status::pending;
    if (answer == sdk::status::cancelled) admission::tell(call, broadcast_->withdraw(*enters), {});
    return answer;
}

void channel_sink::end(waiting_send& one, std::string_view text) {
    if (!one.claim_end()) return;
    if (broadcast_) return one.end(broadcast_->withdraw(one), text);
    const std::vector<bool> unread = channel_->withdraw(one, one.size());
    one.end(unread, text);
    channel_->serve_waiting();
}

std::string channel_sink::late() const { return sdk::join("no answer within request_timeout_ms (", config_.request_timeout_ms, ")"); }

void channel_sink::cancel(std::uint64_t operation) {
    std::shared_ptr<waiting_send> found;
    {
        std::lock_guard lock(mutex_);
        for (const auto& one : waiting_)
            if (one->id() == operation) found = one;
    }
    if (found) return end(*found, {});
    if (channel* to = connected_) to->cancel_send(this, operation);
}

}  // namespace mqb::memory
