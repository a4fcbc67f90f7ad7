#include "publisher.hpp"

#include "channel/channel_sink.hpp"
#include "ipc/ipc_sink.hpp"

namespace mqb::memory {

publisher::publisher(const sdk::context& made, const config& with) : sdk::publisher(made) {
    if (with.where().is_socket())
        sink_ = std::make_unique<ipc_sink>(host(), with);
    else
        sink_ = std::make_unique<channel_sink>(host(), with);
}

sdk::promises publisher::promise(const config& with) {
    sdk::promises all;
    all.ordered().concurrent();
    if (with.request_reply) all.responds();
    // What waits for its reader, or is with some subscribers, has been handed on: what is sent again comes behind it.
    if (!with.ack && !with.request_reply && !with.subscribe_mode) all.ordered_retry();
    return all;
}

}  // namespace mqb::memory
