#include "publisher.hpp"

namespace mqb::memory {

publisher::~publisher() {
    if (channel_) channel_->detach_sender();
    channel::close(channel_);
}

void publisher::connect() {
    if (channel_) return;
    channel_ = channel::open(std::string(config_.channel_name()), config_.capacity, config_.capacity_bytes);
    channel_->attach_sender();
    connected_ = channel_.get();
}

void publisher::cancel(std::uint64_t operation) {
    if (channel* to = connected_) to->cancel_send(this, operation);
}

sdk::status publisher::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;  // nothing is held here
    parcel* one = parcel::make(call.raw().messages);
    one->from = this;
    return channel_->send(one, call);
}

}  // namespace mqb::memory
