#include "host/loading/lent_publisher.hpp"

#include "host/loading/layout.hpp"

namespace mqb::loading {

const mqb_publisher_table lent_publisher::table_{
    .struct_size = sizeof(mqb_publisher_table),
    .reserved = 0,
    .connect = [](mqb_publisher* p, mqb_call*) { return of(p).forbidden("connect"); },
    .send = [](mqb_publisher* p, mqb_send* s) { return of(p).send(s); },
    .control = [](mqb_publisher* p, mqb_control*) { return of(p).forbidden("control"); },
    .cancel = [](mqb_publisher* p, std::uint64_t operation) { of(p).cancel(operation); },
    .free = [](mqb_publisher* p) { of(p).forbidden("free"); },
};

mqb_status lent_publisher::send(mqb_send* s) {
    if (!is_sound(&s->call, sizeof *s)) return MQB_UNSUPPORTED;
    if (!loading::is_sound<mqb_message>(s->messages) || !loading::is_sound<mqb_outcome>(s->outcomes) ||
        s->messages.count != s->outcomes.count) {
        gate_.misbehaved("sends with arrays that do not fit");
        return MQB_REJECTED;
    }
    send_op& op = take(sends_, inner_);
    op.done = [](core::call& c, core::status answer) noexcept { ended(static_cast<send_op&>(c), answer); };
    op.core::call::texts.clear();
    op.messages = to_core<const core::message>(s->messages);
    op.outcomes = to_core<core::outcome>(s->outcomes);
    op.core::send_call::answer = s->answer ? &on_answer : nullptr;
    return run(op, &s->call);
}

void lent_publisher::on_answer(core::send_call& c, std::uint32_t index, const core::message& response) {
    auto& op = static_cast<send_op&>(c);
    auto* theirs = reinterpret_cast<mqb_send*>(op.theirs);
    auto& self = static_cast<lent_publisher&>(*op.owner);
    self.gate_.call(entry_point::completion, [&] { theirs->answer(theirs, index, &to_abi(response)); });
}

}  // namespace mqb::loading
