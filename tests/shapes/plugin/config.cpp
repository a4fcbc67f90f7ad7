#include "config.hpp"

#include <algorithm>
#include <cstdlib>

namespace mqb::shapes {

namespace {

wire::mode mode_of(shape kind) {
    switch (kind) {
        case shape::message:
        case shape::replying: return wire::mode::message;
        case shape::prefix: return wire::mode::prefix;
        case shape::gated: return wire::mode::gated;
        case shape::batch: return wire::mode::batch;
        case shape::lease: return wire::mode::lease;
        default: return wire::mode::publish;
    }
}

}  // namespace

std::string config::socket_path() const {
    if (!socket.empty()) return socket;
    const char* found = std::getenv("MQB_SHAPE_SOCKET");
    if (!found) throw sdk::bad_config("socket: there is neither this option nor MQB_SHAPE_SOCKET");
    return found;
}

std::string config::hello(std::uint64_t tag) const {
    std::uint8_t flags = 0;
    if (kind == shape::pipelined) flags |= wire::pipelined;
    if (kind == shape::ordered) flags |= wire::ordered_retry;
    if (kind == shape::idempotent) flags |= wire::idempotent | wire::pipelined;
    if (responds) flags |= wire::responds;
    if (finite) flags |= wire::finite;
    wire::writer out(wire::verb::hello, tag);
    return out.text(queue).word(mode_of(kind)).u32(lanes).u32(lease_ms).u8(flags).frame();
}

bool config::is_one_of(std::initializer_list<shape> known) const { return std::find(known.begin(), known.end(), kind) != known.end(); }

void config::refuse_shape(std::string_view factory, std::string_view side) const {
    throw sdk::bad_config("shape: not one of a ", side, " of `", factory, '`');
}

}  // namespace mqb::shapes
