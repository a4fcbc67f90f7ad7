#include "publisher.hpp"

#include "pending.hpp"

namespace mqb::shapes {

publisher::publisher(const sdk::context& made, const config& with) : sdk::publisher(made), config_(with), link_(*this) {}

sdk::promises publisher::promise(const config& with) {
    if (!with.is_one_of({shape::pipelined, shape::ordered, shape::idempotent})) with.refuse_shape("shape", "publisher");
    sdk::promises out = sdk::promises().concurrent();
    if (with.kind == shape::ordered) out.ordered().ordered_retry();
    if (with.kind == shape::idempotent) out.idempotent();
    if (with.responds) out.responds();
    return out;
}

sdk::status publisher::connect(sdk::connect_call& call) {
    std::string path = config_.socket_path();
    link_.open(std::move(path), config_.hello(call.id()), call.id(),
               make_pending(call, read_hello, [](const sdk::connect_call&) { return sdk::status::retry; }));
    return sdk::status::pending;
}

sdk::status publisher::send(sdk::send_call& call) {
    const std::uint32_t n = call.size();
    const auto read = [n, responds = config_.responds](wire::reader& in, const sdk::send_call& into) {
        return read_send(in, into, 0, n, responds);
    };
    const auto lost = [n](const sdk::send_call& into) {
        for (std::uint32_t i = 0; i < n; ++i) into.uncertain(i);
        return sdk::status::disconnected;
    };
    const bool is_posted = link_.post(send_frame(call, call.id(), 0, n), call.id(), [&] { return make_pending(call, read, lost); });
    return is_posted ? sdk::status::pending : sdk::status::disconnected;
}

sdk::status publisher::control(sdk::control_call& call) {
    const auto command = admin_command(call, config_);
    if (!command) return sdk::status::unsupported;
    wire::writer out(wire::verb::admin, call.id());
    const bool is_posted =
        link_.post(out.text(*command).frame(), call.id(), [&] { return make_pending(call, read_admin, just_lost<sdk::control_call>); });
    return is_posted ? sdk::status::pending : sdk::status::disconnected;
}

}  // namespace mqb::shapes
