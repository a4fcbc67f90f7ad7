#include "host/loading/lent_consumer.hpp"

#include "host/loading/layout.hpp"

namespace mqb::loading {

const mqb_consumer_table lent_consumer::table_{
    .struct_size = sizeof(mqb_consumer_table),
    .reserved = 0,
    .connect = [](mqb_consumer* c, mqb_call*) { return of(c).forbidden("connect"); },
    .receive = [](mqb_consumer* c, mqb_receive* r) { return of(c).receive(r); },
    .settle = [](mqb_consumer* c, mqb_settle* s) { return of(c).settle(s); },
    .free_batch = [](mqb_consumer* c, void* batch) { of(c).free_batch(batch); },
    .lanes_done = [](mqb_consumer* c, std::uint64_t) { of(c).forbidden("lanes_done"); },
    .lanes_ending = [](mqb_consumer* c, const std::uint64_t*, std::uint32_t, std::uint64_t) { of(c).forbidden("lanes_ending"); },
    .control = [](mqb_consumer* c, mqb_control*) { return of(c).forbidden("control"); },
    .cancel = [](mqb_consumer* c, std::uint64_t operation) { of(c).cancel(operation); },
    .free = [](mqb_consumer* c) { of(c).forbidden("free"); },
};

mqb_status lent_consumer::receive(mqb_receive* r) {
    if (!is_sound(&r->call, sizeof *r)) return MQB_UNSUPPORTED;
    receive_op& op = take(receives_, inner_);
    op.done = [](core::call& c, core::status s) noexcept { ended(static_cast<receive_op&>(c), s); };
    op.core::call::texts.clear();
    op.max_messages = r->max_messages ? r->max_messages : 1;
    op.drain = r->drain != 0;
    op.max_bytes = r->max_bytes;
    op.messages = {};
    op.batch = nullptr;
    return run(op, &r->call);
}

void lent_consumer::receive_op::answer(core::status s) noexcept {
    auto& r = *reinterpret_cast<mqb_receive*>(theirs);
    const bool given = s == core::status::ok;
    r.messages = given ? to_abi(messages) : mqb_list{nullptr, 0, sizeof(mqb_message), sizeof(mqb_message)};
    r.batch = given ? batch : nullptr;
}

mqb_status lent_consumer::settle(mqb_settle* s) {
    if (!is_sound(&s->call, sizeof *s)) return MQB_UNSUPPORTED;
    if (!loading::is_sound<mqb_entry>(s->entries) || !loading::is_sound<mqb_outcome>(s->outcomes) ||
        s->entries.count != s->outcomes.count) {
        gate_.misbehaved("settles with arrays that do not fit");
        return MQB_REJECTED;
    }
    settle_op& op = take(settles_, inner_);
    op.done = [](core::call& c, core::status answer) noexcept { ended(static_cast<settle_op&>(c), answer); };
    op.core::call::texts.clear();
    op.batch = s->batch;
    op.core::settle_call::entries = to_core<const core::settle_entry>(s->entries);
    op.outcomes = to_core<core::outcome>(s->outcomes);
    return run(op, &s->call);
}

void lent_consumer::free_batch(void* batch) {
    if (gate_.is_route_side()) return inner_.free_batch(batch);
    gate_.post_work([this, batch] { inner_.free_batch(batch); });
}

}  // namespace mqb::loading
