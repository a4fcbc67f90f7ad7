#include "plain_publisher.hpp"

namespace mqb::shapes {

sdk::promises plain_publisher::promise(const config& with) {
    if (!with.is_one_of({shape::plain, shape::one_at_a_time})) with.refuse_shape("shape_blocking", "publisher");
    if (with.responds) throw sdk::bad_config("responds: only the publishers of `shape` hand responses on");
    return sdk::promises().ordered();
}

void plain_publisher::connect() { client_.connect(config_, stops()); }

sdk::status plain_publisher::send(sdk::send_call& call) {
    const std::uint32_t n = call.size(), at_once = config_.kind == shape::plain ? n : 1;
    for (std::uint32_t first = 0; first < n; first += at_once) {
        if (should_stop()) return sdk::status::cancelled;
        if (const sdk::status answer = send_some(call, first, at_once); answer != sdk::status::done) return answer;
    }
    return sdk::status::done;
}

sdk::status plain_publisher::send_some(const sdk::send_call& call, std::uint32_t first, std::uint32_t count) {
    if (!client_.is_open()) throw sdk::disconnected("there is no connection to the broker");
    const std::uint64_t tag = client_.next_tag();
    try {
        wire::reader in = client_.call(send_frame(call, tag, first, count), tag, stops());
        return read_send(in, call, first, count, false);
    } catch (const sdk::failure&) {  // what left and is not confirmed
        for (std::uint32_t i = first; i < first + count; ++i) call.uncertain(i);
        throw;
    }
}

sdk::status plain_publisher::control(sdk::control_call& call) {
    const auto command = admin_command(call, config_);
    if (!command) return sdk::status::unsupported;
    const std::uint64_t tag = client_.next_tag();
    wire::writer out(wire::verb::admin, tag);
    wire::reader in = client_.call(out.text(*command).frame(), tag, stops());
    return read_admin(in, call);
}

}  // namespace mqb::shapes
