#include "unit_consumer.hpp"

namespace mqb::shapes {

namespace {

constexpr std::uint32_t extensions_of_a_lease = 4;

}  // namespace

unit_consumer::unit_consumer(const sdk::context& made, const config& with) : blocking_consumer(made), config_(with) {
    if (with.kind == shape::lease && with.extends) set_idle_period(std::chrono::milliseconds(with.lease_ms / extensions_of_a_lease + 1));
}

sdk::promises unit_consumer::promise(const config& with) {
    if (!with.is_one_of({shape::batch, shape::lease})) with.refuse_shape("shape_blocking", "consumer");
    sdk::promises out = sdk::promises().stable_identity();
    if (with.kind == shape::batch)
        out.acknowledges(sdk::settles::batch).unsettled(with.max_unsettled_messages, 1);
    else
        out.acknowledges(sdk::settles::message).takes(MQB_NACK).unsettled(with.max_unsettled_messages, with.max_unsettled_batches);
    if (with.finite) out.finite();
    return out;
}

void unit_consumer::connect() { client_.connect(config_, stops()); }

sdk::status unit_consumer::receive(sdk::receive_call& call, std::chrono::milliseconds slice) {
    const std::uint64_t tag = client_.next_tag();
    wire::reader in = client_.call(receive_frame(call, tag, false), tag, [] { return false; });
    const sdk::status answer = read_receive(in, call, batches_);
    if (answer != sdk::status::done) return answer;
    if (call.raw().batch) return given_.insert(call.raw().batch), answer;
    client_.wait(slice);
    return sdk::status::pending;
}

sdk::status unit_consumer::settle(sdk::settle_call& call) {
    const std::uint64_t tag = client_.next_tag();
    wire::reader in = client_.call(settle_frame(call, tag), tag, stops());
    return read_settle(in, call);
}

void unit_consumer::idle(std::uint32_t unsettled) {
    if (unsettled == 0 || !client_.is_open()) return;
    std::vector<std::uint64_t> held;
    for (void* batch : given_) {
        const note& of = note_pool::of(batch)->extra;
        for (std::size_t i = 0; i < of.deliveries.size(); ++i)
            if (!of.is_final[i]) held.push_back(of.deliveries[i]);
    }
    wire::writer out(wire::verb::extend, 0);
    out.u32(static_cast<std::uint32_t>(held.size()));
    for (const std::uint64_t delivery : held) out.u64(delivery);
    client_.tell(out.frame());
}

void unit_consumer::free_batch(void* batch) {
    const std::string frame = give_back_frame(note_pool::of(batch)->extra);
    given_.erase(batch);
    note_pool::recycle(batch);
    if (!frame.empty() && client_.is_open()) client_.tell(frame);
}

sdk::status unit_consumer::control(sdk::control_call& call) {
    const auto command = admin_command(call, config_);
    if (!command) return sdk::status::unsupported;
    const std::uint64_t tag = client_.next_tag();
    wire::writer out(wire::verb::admin, tag);
    wire::reader in = client_.call(out.text(*command).frame(), tag, stops());
    return read_admin(in, call);
}

}  // namespace mqb::shapes
