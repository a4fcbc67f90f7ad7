#include "host/loading/plugin_consumer.hpp"

#include "host/loading/message_fault.hpp"
#include "host/loading/plugin_calls.hpp"

#include <mqb/metadata.h>

namespace mqb::loading {

namespace {

// Readers of a block find the same, where one reads it; only while checking every block is walked.
bool has_sound_metadata(const mqb_list& messages) {
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        const mqb_buffer& block = mqb_message_at(&messages, i)->metadata;
        std::size_t at = 0;
        std::uint32_t entries = 0;
        mqb_meta m;
        int more = 1;
        while (more == 1 && entries <= MQB_META_MAX_ENTRIES) entries += (more = mqb_meta_next(&block, &at, &m)) == 1;
        if (more != 0 || block.size > MQB_META_MAX_SIZE) return false;
    }
    return true;
}

}  // namespace

plugin_consumer::plugin_consumer(std::shared_ptr<plugin_instance> instance, mqb_consumer* handle, const mqb_consumer_table& table,
                                 core::consumer* inner)
    : instance_(std::move(instance)), gate_(instance_->door()), operations_(instance_->operations()), handle_(handle), table_(table),
      inner_(inner) {}

plugin_consumer::~plugin_consumer() { instance_->let_go(); }

core::status plugin_consumer::connect(core::call& c) { return start_connect(*instance_, handle_, table_.connect, c, this); }

core::status plugin_consumer::receive(core::receive_call& c) {
    operation& op = operations_.take(entry_point::receive, c, this, &finish_receive);
    mqb_receive& r = op.abi.receive;
    r = {op.head(sizeof r), c.max_messages, c.drain ? 1u : 0u, c.max_bytes, {}, nullptr};
    const mqb_status s = gate_.call(entry_point::receive, MQB_DISCONNECTED, [&] { return table_.receive(handle_, &r); });
    return operations_.started(op, s);
}

// Null if the answer keeps the rules.
const char* plugin_consumer::fault_in(const mqb_receive& r, mqb_status answer) const noexcept {
    if (answer != MQB_OK) return r.messages.count ? "gave messages with an answer that is not OK" : nullptr;
    if (r.messages.count == 0) return r.batch ? "gave a batch without messages" : nullptr;
    if (!r.batch) return "gave messages without a batch";
    if (r.messages.count > r.max_messages) return "gave more messages than it was asked for";
    return is_sound<mqb_message>(r.messages) ? nullptr : "gave a list that cannot be one of messages";
}

core::status plugin_consumer::finish_receive(operation& op, mqb_status answer) noexcept {
    auto& self = *static_cast<plugin_consumer*>(op.adapter);
    auto& c = static_cast<core::receive_call&>(*op.upper);
    const mqb_receive& r = op.abi.receive;
    const char* fault = self.fault_in(r, answer);
    const char* broken = fault || answer != MQB_OK ? nullptr : fault_in_messages(r.messages);
    // Only once the buffers are known to be what they say.
    if (!fault && !broken && answer == MQB_OK && self.instance_->is_checking() && !has_sound_metadata(r.messages))
        fault = "gave a message whose metadata is invalid";
    if (!fault && !broken && answer == MQB_OK) [[likely]] {
        c.messages = to_core<const core::message>(r.messages);
        c.batch = r.batch;
        return core::status::ok;
    }
    c.messages = {};
    c.batch = nullptr;
    if (!fault && !broken) return to_core(answer);
    self.gate_.misbehaved(entry_point::receive, fault ? fault : broken);
    if (r.batch) self.free_batch(r.batch);
    return fault ? core::status::disconnected : core::status::rejected;
}

core::status plugin_consumer::settle(core::settle_call& c) {
    if (!table_.settle) {  // it acknowledges nothing
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(core::settle_result::ok);
        return core::status::ok;
    }
    operation& op = operations_.take(entry_point::settle, c, this, &finish_settle, c.entries.count);
    mqb_settle& s = op.abi.settle;
    s = {op.head(sizeof s), c.batch, instance_->lay(op, c.entries), instance_->lay(op, c.outcomes)};
    const mqb_status answer = gate_.call(entry_point::settle, MQB_DISCONNECTED, [&] { return table_.settle(handle_, &s); });
    return operations_.started(op, answer);
}

core::status plugin_consumer::finish_settle(operation& op, mqb_status answer) noexcept {
    auto& self = *static_cast<plugin_consumer*>(op.adapter);
    auto& c = static_cast<core::settle_call&>(*op.upper);
    self.instance_->collect(op, to_abi(c.outcomes));
    check_results(op, c.outcomes, MQB_SETTLE_GONE, MQB_SETTLE_RETRY);
    return to_core(answer);
}

void plugin_consumer::free_batch(void* batch) {
    gate_.call(entry_point::free_batch, [&] { table_.free_batch(handle_, batch); });
}

void plugin_consumer::lanes_done(std::uint64_t token) {
    if (inner_) return inner_->lanes_done(token);
    if (table_.lanes_done) gate_.call(entry_point::lanes_done, [&] { table_.lanes_done(handle_, token); });
}

void plugin_consumer::lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) {
    if (!table_.lanes_ending || !inner_) return;
    gate_.call(entry_point::lanes_ending,
               [&] { table_.lanes_ending(handle_, lanes.data(), static_cast<std::uint32_t>(lanes.size()), deadline_ns); });
}

// The host asks the leaf, never a middleware.
core::status plugin_consumer::control(core::control_call& c) {
    return inner_ ? inner_->control(c) : start_control(*instance_, handle_, table_.control, c, this);
}

void plugin_consumer::cancel(core::call& c) {
    if (operations_.pending(c) || instance_->nested().is_connecting(c))
        cancel_call(*instance_, handle_, table_.cancel, c);
    else if (inner_)
        inner_->cancel(c);  // a control
}

core::status plugin_consumer::close(core::call& c) { return start_close(*instance_, handle_, table_.free, c); }

void plugin_consumer::listen(core::event_sink* sink) {
    gate_.listen(sink, true);
    instance_->nested().listen(sink);
    if (inner_) inner_->listen(sink);
}

}  // namespace mqb::loading
