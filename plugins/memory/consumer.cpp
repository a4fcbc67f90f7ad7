#include "consumer.hpp"

#include "channel/channel_source.hpp"
#include "ipc/ipc_source.hpp"

namespace mqb::memory {

consumer::consumer(const sdk::context& made, const config& with) : sdk::consumer(made) {
    if (with.where().is_socket())
        source_ = std::make_unique<ipc_source>(host(), with);
    else
        source_ = std::make_unique<channel_source>(host(), with);
}

sdk::promises consumer::promise(const config& with) {
    sdk::promises all;
    all.acknowledges(sdk::settles::message).takes(MQB_NACK).stable_identity();
    if (!with.where().is_socket()) all.takes(MQB_REPLY).takes(MQB_REPLY_MORE).emptied_at_stop();
    return all;
}

}  // namespace mqb::memory
