#include "host/loading/plugin_publisher.hpp"

#include "host/loading/message_fault.hpp"
#include "host/loading/plugin_calls.hpp"

namespace mqb::loading {

namespace {
// No plugin answers this: it stands for a send that threw.
constexpr mqb_status threw = INT32_MIN;
}  // namespace

plugin_publisher::plugin_publisher(std::shared_ptr<plugin_instance> instance, mqb_publisher* handle, const mqb_publisher_table& table,
                                   core::publisher* inner, bool is_handler, bool keeps_retry_order)
    : instance_(std::move(instance)), gate_(instance_->door()), operations_(instance_->operations()), handle_(handle), table_(table),
      inner_(inner), highest_result_(is_handler ? MQB_GIVE_BACK : MQB_UNCERTAIN) {
    if (keeps_retry_order) operations_.keep_retry_order();
}

plugin_publisher::~plugin_publisher() { instance_->let_go(); }

core::status plugin_publisher::connect(core::call& c) { return start_connect(*instance_, handle_, table_.connect, c, this); }

core::status plugin_publisher::send(core::send_call& c) {
    std::unique_lock<std::recursive_mutex> turn = operations_.wait_for_turn();
    if (turn.owns_lock() && !operations_.may_send() && !c.messages.empty()) return core::status::ok;  // unsent, all of it
    operation& op = operations_.take(entry_point::send, c, this, &finish_send, c.messages.count);
    mqb_send& s = op.abi.send;
    s = {op.head(sizeof s), instance_->lay(op, c.messages), instance_->lay(op, c.outcomes), c.answer ? &on_answer : nullptr};
    mqb_status answer = gate_.call(entry_point::send, threw, [&] { return table_.send(handle_, &s); });
    if (turn.owns_lock()) turn.unlock();
    op.has_thrown = answer == threw;
    if (op.has_thrown) [[unlikely]]
        answer = MQB_DISCONNECTED;
    return operations_.started(op, answer);
}

core::status plugin_publisher::finish_send(operation& op, mqb_status answer) noexcept {
    auto& self = *static_cast<plugin_publisher*>(op.adapter);
    auto& c = static_cast<core::send_call&>(*op.upper);
    self.instance_->collect(op, to_abi(c.outcomes));
    check_results(op, c.outcomes, self.highest_result_, MQB_UNCERTAIN);
    if (op.has_thrown) [[unlikely]] {
        // Nobody knows how far it came.
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i)
            if (c.outcomes[i].sent() == core::send_result::unsent) c.outcomes[i].set(core::send_result::uncertain);
    }
    for (const kept_answer& a : op.take_answers()) c.answer(c, a.index, a.message.get());
    return to_core(answer);
}

void plugin_publisher::on_answer(mqb_send* send, std::uint32_t index, const mqb_message* response) {
    operation& op = operation::of(&send->call);
    try {
        take_answer(op, index, response);
    } catch (...) { op.owner->misbehaved(entry_point::send, "answered with what there is no memory for"); }
}

void plugin_publisher::take_answer(operation& op, std::uint32_t index, const mqb_message* response) {
    if (!response || index == MQB_WHOLE_CALL) return op.owner->misbehaved(entry_point::send, "answered without a message");
    if (const char* fault = fault_in_message(*response)) return op.owner->misbehaved(entry_point::send, fault);
    if (!op.accepts(index, "answered")) return;
    std::unique_lock lock{op.notes_mutex};
    if (op.is_starting_here() && op.answers.empty()) {
        lock.unlock();
        auto& c = static_cast<core::send_call&>(*op.upper);
        return c.answer(c, index, to_core(*response));
    }
    // On another thread, or later: core hears of it on the route's side, before the answer.
    op.answers.push_back({.index = index, .message = core::owned_message{to_core(*response)}, .key = {}, .version = 0, .expires_in_ns = 0});
    op.has_notes.store(true, std::memory_order_release);
}

// The host asks the leaf, never a middleware.
core::status plugin_publisher::control(core::control_call& c) {
    return inner_ ? inner_->control(c) : start_control(*instance_, handle_, table_.control, c, this);
}

void plugin_publisher::cancel(core::call& c) {
    if (operations_.pending(c) || instance_->nested().is_connecting(c))
        cancel_call(*instance_, handle_, table_.cancel, c);
    else if (inner_)
        inner_->cancel(c);  // a control
}

core::status plugin_publisher::close(core::call& c) { return start_close(*instance_, handle_, table_.free, c); }

void plugin_publisher::listen(core::event_sink* sink) {
    gate_.listen(sink);
    instance_->nested().listen(sink);
    if (inner_) inner_->listen(sink);
}

}  // namespace mqb::loading
