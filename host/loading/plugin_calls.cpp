#include "host/loading/plugin_calls.hpp"

namespace mqb::loading {

core::status finish_connect(operation& op, mqb_status answer) noexcept {
    op.owner->keep_signals(entry_point::connect);
    return to_core(answer);
}

void tell_mask(gate& door) noexcept try {
    door.write_log(core::log_level::warning,
                   door.site(entry_point::connect).text() + " changed the signal mask of a thread of the host: put back");
} catch (...) {}  // no memory for the text

void keep_control_answer(mqb_control* control, mqb_text json) try {
    operation& op = operation::of(&control->call);
    if (!op.accepts(MQB_WHOLE_CALL, "answered")) return;
    std::lock_guard lock{op.notes_mutex};
    if (!op.json.empty()) return op.owner->misbehaved(entry_point::control, "answered twice");
    op.json = view(json);
    op.has_notes.store(true, std::memory_order_release);
} catch (...) { operation::of(&control->call).owner->misbehaved(entry_point::control, "answered with what there is no memory for"); }

core::status finish_control(operation& op, mqb_status answer) noexcept {
    auto& c = static_cast<core::control_call&>(*op.upper);
    std::lock_guard lock{op.notes_mutex};
    c.answer = std::exchange(op.json, {});
    return to_core(answer);
}

void check_results(operation& op, const core::list<core::outcome>& outcomes, std::int32_t highest, std::int32_t instead) noexcept {
    std::uint32_t worst = 0;
    for (std::uint32_t i = 0; i < outcomes.count; ++i) {
        const auto r = static_cast<std::uint32_t>(outcomes[i].result);
        worst = r > worst ? r : worst;
    }
    if (worst <= static_cast<std::uint32_t>(highest)) [[likely]]
        return;
    for (std::uint32_t i = 0; i < outcomes.count; ++i) {
        core::outcome& o = outcomes[i];
        if (o.result >= 0 && o.result <= highest) continue;
        op.upper->texts.set(i, "the plugin gave this entry the unknown result " + std::to_string(o.result));
        o.result = instead;
    }
    op.owner->misbehaved(op.kind.load(std::memory_order_relaxed), "gave an entry a result that does not exist");
}

}  // namespace mqb::loading
