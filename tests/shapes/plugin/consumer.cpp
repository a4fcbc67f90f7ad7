#include "consumer.hpp"

#include "pending.hpp"

namespace mqb::shapes {

consumer::consumer(const sdk::context& made, const config& with) : sdk::consumer(made), config_(with), link_(*this) {}

sdk::promises consumer::promise(const config& with) {
    if (!with.is_one_of({shape::message, shape::prefix, shape::gated, shape::replying})) with.refuse_shape("shape", "consumer");
    const bool by_lane = with.kind == shape::prefix || with.kind == shape::gated;
    sdk::promises out = sdk::promises().acknowledges(by_lane ? sdk::settles::prefix : sdk::settles::message).stable_identity();
    out.unsettled(with.max_unsettled_messages, with.max_unsettled_batches);
    if (with.kind == shape::message) out.takes(MQB_NACK).takes(MQB_REJECT);
    if (with.kind == shape::replying) out.takes(MQB_REPLY).takes(MQB_REPLY_MORE);
    if (with.finite) out.finite();
    return out;
}

sdk::status consumer::connect(sdk::connect_call& call) {
    std::string path = config_.socket_path();
    link_.open(std::move(path), config_.hello(call.id()), call.id(),
               make_pending(call, read_hello, [](const sdk::connect_call&) { return sdk::status::retry; }));
    return sdk::status::pending;
}

sdk::status consumer::receive(sdk::receive_call& call) {
    const bool is_posted = link_.post(receive_frame(call, call.id(), true), call.id(), [&] {
        return make_pending(
            call, [this](wire::reader& in, const sdk::receive_call& into) { return read_receive(in, into, batches_); },
            just_lost<sdk::receive_call>);
    });
    return is_posted ? sdk::status::pending : sdk::status::disconnected;
}

sdk::status consumer::settle(sdk::settle_call& call) {
    if (!config_.async && config_.kind == shape::message) return settle_unconfirmed(call);
    const bool is_posted =
        link_.post(settle_frame(call, call.id()), call.id(), [&] { return make_pending(call, read_settle, just_lost<sdk::settle_call>); });
    return is_posted ? sdk::status::pending : sdk::status::disconnected;
}

// The tag 0: the answer is ignored.
sdk::status consumer::settle_unconfirmed(const sdk::settle_call& call) {
    if (!link_.post(settle_frame(call, 0))) return sdk::status::disconnected;
    for (const sdk::settle_entry entry : call) note_pool::of(call)->extra.is_final[entry.index()] = true;
    call.all_ok();
    return sdk::status::done;
}

sdk::status consumer::control(sdk::control_call& call) {
    const auto command = admin_command(call, config_);
    if (!command) return sdk::status::unsupported;
    wire::writer out(wire::verb::admin, call.id());
    const bool is_posted =
        link_.post(out.text(*command).frame(), call.id(), [&] { return make_pending(call, read_admin, just_lost<sdk::control_call>); });
    return is_posted ? sdk::status::pending : sdk::status::disconnected;
}

void consumer::free_batch(void* batch) {
    if (const std::string frame = give_back_frame(note_pool::of(batch)->extra); !frame.empty()) link_.post(frame);
    note_pool::recycle(batch);
}

void consumer::lanes_done(std::uint64_t token) {
    wire::writer out(wire::verb::lanes_given_up, 0);
    link_.post(out.u64(token).frame());
}

void consumer::noticed(wire::reader& in) {
    if (in.what() != wire::verb::lanes_ending && in.what() != wire::verb::lanes_ended) return;
    const auto token = static_cast<std::int64_t>(in.u64());
    if (in.what() == wire::verb::lanes_ended) return host().lanes_ended(token);
    const std::uint64_t deadline = host().now() + std::uint64_t{in.u32()} * 1'000'000;
    std::vector<std::uint64_t> lanes(in.u32());
    for (std::uint64_t& lane : lanes) lane = in.u64();
    host().lanes_ending(token, lanes, deadline);
}

}  // namespace mqb::shapes
