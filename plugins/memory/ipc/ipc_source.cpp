#include "ipc_source.hpp"

namespace mqb::memory {

ipc_source::ipc_source(const sdk::host_ref& host, const config& with) : channel_source(host, with) {
    first_sender_ns = 2'000'000'000;  // publishers are other programs: they come when their back-off is over
}

void ipc_source::connect() {
    if (listener_) return;
    const std::string path = socket_path(with().where(), true);
    open("ipc://" + path);
    listener_ = std::make_unique<listener>(host(), path, from(), with().ack);
}

sdk::status ipc_source::receive(sdk::receive_call& call) {
    if (from()->is_empty()) listener_->pump();
    const sdk::status answer = channel_source::receive(call);
    if (answer == sdk::status::pending) listener_->arm();
    return answer;
}

void ipc_source::settle(sdk::settle_call& call) {
    channel_source::settle(call);
    listener_->confirm();
}

}  // namespace mqb::memory
