#include "publisher.hpp"

#include <algorithm>

namespace mqb::scripted::plugin {

sdk::promises publisher::promise(const config& with) {
    sdk::promises out = sdk::promises().concurrent();
    return with.responds ? out.responds() : out;
}

void publisher::connect() {
    if (!is_read_) script_ = read_answers(config_.script);
    is_read_ = true;
    log_.open(config_.log);
    log_.add(host(), "connect");
}

sdk::status publisher::send(sdk::send_call& call) {
    std::vector<answer> answers;
    std::uint64_t delay = 0;
    bool never = false;
    for (const sdk::message_view message : call) {
        log_.add(host(), "send ", message.text());
        answer& one = answers.emplace_back();
        if (!script_.empty()) {
            one = std::move(script_.front());
            script_.pop_front();
        }
        delay = std::max(delay, one.delay_ns);
        never = never || one.never;
    }
    if (!never && delay == 0) return answer_with(answers, call, false);
    std::list<waiting> made(1);
    waiting& one = made.front();
    one.self = this;
    one.answers = std::move(answers);
    one.has_timer = !never;
    one.call = call.later();
    {
        std::lock_guard lock(mutex_);
        waiting_.splice(waiting_.end(), made);
    }
    if (one.has_timer) one.timer.start(host(), host().now() + delay, rang, &one);
    return sdk::status::pending;
}

sdk::status publisher::answer_with(const std::vector<answer>& answers, const sdk::send_call& call, bool is_cancelled) {
    sdk::status status = sdk::status::done;
    for (std::uint32_t i = 0; i < answers.size(); ++i) {
        const answer& one = answers[i];
        if (is_cancelled) {
            call.uncertain(i);
            continue;
        }
        mqb_outcome& outcome = call.outcome(i);
        outcome.result = one.result;
        outcome.number = one.not_before_ns;
        if (!one.text.empty()) call.explain(i, one.text);
        if (one.response && config_.responds) call.answer(i, *one.response);
        if (status == sdk::status::done) status = one.status;
    }
    log_.add(host(), is_cancelled ? "cancelled " : "answered ", answers.size());
    return is_cancelled ? sdk::status::cancelled : status;
}

// Out of the list; empty: somebody else has it.
std::list<publisher::waiting> publisher::take(const waiting* one) {
    std::list<waiting> taken;
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [one](const waiting& each) { return &each == one; });
    if (found != waiting_.end()) taken.splice(taken.end(), waiting_, found);
    return taken;
}

void publisher::rang(void* what, bool on_time) {
    auto* one = static_cast<waiting*>(what);
    publisher& self = *one->self;
    const std::list<waiting> taken = self.take(one);
    one->call.complete(self.answer_with(one->answers, *one->call, !on_time));
}

void publisher::cancel(std::uint64_t operation) {
    std::list<waiting> taken;
    {
        std::lock_guard lock(mutex_);
        const auto found = std::find_if(waiting_.begin(), waiting_.end(), [=](const waiting& each) { return each.call.id() == operation; });
        if (found == waiting_.end()) return;
        if (found->has_timer) return found->timer.cancel(host());  // which rings
        taken.splice(taken.end(), waiting_, found);
    }
    waiting& one = taken.front();
    one.call.complete(answer_with(one.answers, *one.call, true));
}

}  // namespace mqb::scripted::plugin
