#include "config.hpp"

namespace mqb::memory {

void config::check(std::uint32_t side) const {
    const bool is_socket = where().is_socket();
    if (request_reply && is_socket) throw sdk::bad_config("request_reply: a socket carries no answers: use a channel of one process");
    if (subscribe_mode && is_socket) throw sdk::bad_config("subscribe_mode: not through a socket");
    if (subscribe_mode && request_reply)
        throw sdk::bad_config("request_reply: many subscribers have no one answer; leave one of the two out");
    if (request_reply && ack)
        throw sdk::bad_config("ack: says nothing beside request_reply, whose answer comes after the settlement; leave it out");
    (void)side;
}

}  // namespace mqb::memory
