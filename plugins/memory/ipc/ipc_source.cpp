#include "ipc_source.hpp"

namespace mqb::memory {

namespace {

constexpr std::uint64_t close_ns = 200'000;  // between two receives of which the second is worth a wait
// Frames that are confirmed together while there is more to read, and how long a confirmation may wait for others.
constexpr std::size_t together = 4;
constexpr std::uint64_t longest_wait_ns = 2'000'000;

}  // namespace

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
    if (from()->is_empty()) {
        confirm();
        listener_->pump();
        // At this pace the next frame is nearer than the end of a change of threads and back.
        if (is_close_ && from()->is_empty() && listener_->wait()) listener_->pump();
        const std::uint64_t now = host().now();
        is_close_ = !from()->is_empty() && now - std::exchange(last_, now) < close_ns;
    }
    const sdk::status answer = channel_source::receive(call);
    if (answer == sdk::status::pending) listener_->arm();
    return answer;
}

void ipc_source::settle(sdk::settle_call& call) {
    channel_source::settle(call);
    const std::size_t unconfirmed = listener_->unconfirmed();
    if (unconfirmed == 0) return;
    if (unconfirmed >= together || from()->is_empty()) return listener_->confirm();
    // There is more to read, so more will be settled soon, unless the route is paused.
    if (has_alarm_.exchange(true)) return;
    const auto rang = [](void* self, bool) {
        static_cast<ipc_source*>(self)->has_alarm_ = false;
        static_cast<ipc_source*>(self)->confirm();
    };
    if (!alarm_.start(host(), host().now() + longest_wait_ns, rang, this)) has_alarm_ = false, confirm();
}

void ipc_source::confirm() {
    if (listener_->unconfirmed() != 0) listener_->confirm();
}

}  // namespace mqb::memory
