#include "host/loading/plugin_store.hpp"

#include "host/loading/message_fault.hpp"
#include "host/loading/plugin_calls.hpp"

namespace mqb::loading {

plugin_store::plugin_store(std::shared_ptr<plugin_instance> instance, mqb_store* handle, const mqb_store_table& table)
    : instance_(std::move(instance)), handle_(handle), table_(table) {}

plugin_store::~plugin_store() { instance_->let_go(); }

core::status plugin_store::connect(core::call& c) { return start_connect(*instance_, handle_, table_.connect, c, this); }

core::status plugin_store::apply(store_call& c) {
    operation& op = instance_->operations().take(entry_point::apply, c, this, &finish_apply, c.entries.count);
    mqb_apply& a = op.abi.apply;
    a = {op.head(sizeof a), instance_->lay(op, c.entries), instance_->lay(op, c.outcomes), &on_found};
    const mqb_status answer = instance_->door().call(entry_point::apply, MQB_DISCONNECTED, [&] { return table_.apply(handle_, &a); });
    return instance_->operations().started(op, answer);
}

core::status plugin_store::finish_apply(operation& op, mqb_status answer) noexcept {
    auto& self = *static_cast<plugin_store*>(op.adapter);
    auto& c = static_cast<store_call&>(*op.upper);
    self.instance_->collect(op, to_abi(c.outcomes));
    check_results(op, c.outcomes, MQB_STORE_CONFLICT, MQB_STORE_NOT_DONE);
    for (const kept_answer& a : op.take_answers())
        if (c.found) c.found(c, a.index, a.key, a.message.get().payload, a.version, a.expires_in_ns);
    return to_core(answer);
}

void plugin_store::on_found(mqb_apply* apply, std::uint32_t index, mqb_text key, const mqb_buffer* value, std::uint64_t version,
                            std::uint64_t expires_in_ns) {
    operation& op = operation::of(&apply->call);
    try {
        take_found(op, index, key, value, version, expires_in_ns);
    } catch (...) { op.owner->misbehaved(entry_point::apply, "found what there is no memory for"); }
}

void plugin_store::take_found(operation& op, std::uint32_t index, mqb_text key, const mqb_buffer* value, std::uint64_t version,
                              std::uint64_t expires_in_ns) {
    if (!value || index == MQB_WHOLE_CALL) return op.owner->misbehaved(entry_point::apply, "found something without a value");
    if (!op.accepts(index, "found something for")) return;
    const mqb_message as_message{.id = {}, .lane = 0, .delivery_count = 0, .struct_size = 0, .payload = *value, .metadata = {}};
    if (const char* fault = fault_in_message(as_message)) return op.owner->misbehaved(entry_point::apply, fault);
    const core::buffer bytes{value->data, value->size, reinterpret_cast<core::buffer_owner*>(value->owner)};
    std::unique_lock lock{op.notes_mutex};
    if (op.is_starting_here() && op.answers.empty()) {
        lock.unlock();
        auto& c = static_cast<store_call&>(*op.upper);
        if (c.found) c.found(c, index, view(key), bytes, version, expires_in_ns);
        return;
    }
    core::message as_payload;
    as_payload.payload = bytes;
    op.answers.push_back({index, core::owned_message{as_payload}, std::string{view(key)}, version, expires_in_ns});
    op.has_notes.store(true, std::memory_order_release);
}

void plugin_store::cancel(core::call& c) { cancel_call(*instance_, handle_, table_.cancel, c); }

core::status plugin_store::close(core::call& c) { return start_close(*instance_, handle_, table_.free, c); }

void plugin_store::listen(core::event_sink* sink) {
    instance_->door().listen(sink);
    instance_->nested().listen(sink);
}

}  // namespace mqb::loading
