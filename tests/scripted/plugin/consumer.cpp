#include "consumer.hpp"

#include <utility>

namespace mqb::scripted::plugin {

sdk::promises consumer::promise(const config&) {
    return sdk::promises().acknowledges(sdk::settles::message).takes(MQB_REPLY).takes(MQB_REPLY_MORE).stable_identity().finite();
}

void consumer::connect() {
    if (!is_read_) script_ = read_requests(config_.script);
    is_read_ = true;
    log_.open(config_.log);
    log_.add(host(), "connect");
}

sdk::status consumer::receive(sdk::receive_call& call) {
    if (script_.empty() && unsettled_ == 0) return sdk::status::end;
    const std::uint64_t delay = script_.empty() ? 0 : script_.front().delay_ns;
    if (!script_.empty() && delay == 0) return give(call);
    if (script_.empty() && call.drains()) return sdk::status::end;  // asked again while anything is unsettled
    {
        std::lock_guard lock(mutex_);
        waiting_ = call.later();
        has_timer_ = delay > 0;
    }
    if (delay > 0) timer_.start(host(), host().now() + delay, rang, this);
    return sdk::status::pending;
}

sdk::status consumer::give(const sdk::receive_call& call) {
    auto batch = batches_.open();
    batch->extra = given{std::move(script_.front()), false};
    script_.pop_front();
    request& what = batch->extra.what;
    batch->add(what.payload).id(what.id).delivery_count(++what.delivery_count);
    ++unsettled_;
    log_.add(host(), "request ", what.payload);
    return batch.give(call);
}

void consumer::settle(sdk::settle_call& call) {
    static constexpr const char* words[] = {"ack ", "nack ", "reject ", "reply ", "reply more ", "released "};
    given& one = pool::of(call)->extra;
    for (const sdk::settle_entry entry : call) {
        const std::string_view reply = entry.reply() ? sdk::view(entry.reply()->payload) : std::string_view();
        log_.add(host(), std::string_view(words[entry.disposition()]), one.what.payload, entry.reply() ? ": " : "", reply);
        const std::int32_t outcome = std::exchange(one.what.settled, std::int32_t{MQB_SETTLE_OK});
        if (outcome == MQB_SETTLE_OK) entry.ok();
        if (outcome == MQB_SETTLE_GONE) entry.gone();
        // What is gone is delivered again when its batch is freed.
        if (outcome == MQB_SETTLE_OK && entry.is_final() && !std::exchange(one.is_settled, true)) --unsettled_;
    }
    go_on();
}

void consumer::free_batch(void* batch) {
    given& one = pool::of(batch)->extra;
    if (!one.is_settled) {
        one.what.delay_ns = 0;
        script_.push_front(std::move(one.what));
        --unsettled_;
    }
    pool::recycle(batch);
    go_on();
}

sdk::operation<sdk::receive_call> consumer::take_waiting() {
    std::lock_guard lock(mutex_);
    has_timer_ = false;
    return std::exchange(waiting_, {});
}

// A receive that waits for the end learns that it has come, or gets what was given back.
void consumer::go_on() {
    {
        std::lock_guard lock(mutex_);
        if (!waiting_ || has_timer_ || (script_.empty() && unsettled_ > 0)) return;
    }
    auto call = take_waiting();
    if (!call) return;  // cancelled in between
    call.complete(script_.empty() ? sdk::status::end : give(*call));
}

void consumer::rang(void* raw, bool on_time) {
    auto& self = *static_cast<consumer*>(raw);
    auto call = self.take_waiting();
    call.complete(on_time ? self.give(*call) : sdk::status::cancelled);
}

void consumer::cancel(std::uint64_t operation) {
    {
        std::lock_guard lock(mutex_);
        if (!waiting_ || waiting_.id() != operation) return;
        if (has_timer_) return timer_.cancel(host());  // which rings
    }
    if (auto call = take_waiting()) call.complete(sdk::status::cancelled);
}

}  // namespace mqb::scripted::plugin
