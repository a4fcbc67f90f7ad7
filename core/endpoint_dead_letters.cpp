#include "core/endpoint_dead_letters.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mqb::core {

endpoint_dead_letters::endpoint_dead_letters(publisher& target, std::function<void()> on_send)
    : target_(target), on_send_(std::move(on_send)) {
    send_.self = this;
    send_.done = [](call& c, status answer) noexcept {
        endpoint_dead_letters& self = *static_cast<sending&>(c).self;
        const status now = self.ended(answer);
        bury_call& upper = *std::exchange(self.now_, nullptr);
        upper.done(upper, now);
        self.next();
    };
}

status endpoint_dead_letters::bury(bury_call& c) {
    if (now_) {
        waiting_.push_back({&c});
        return status::pending;
    }
    now_ = &c;
    const status answer = start();
    if (answer != status::pending) now_ = nullptr;
    return answer;
}

status endpoint_dead_letters::start() {
    letters_.clear();
    blocks_.clear();
    for (const dead_letter& l : now_->letters) {
        const std::string error = std::string{to_text(l.why)} + ": " + l.note->error;
        const std::string time = std::to_string(l.note->last_at / 1'000'000);
        const std::string route{l.route};
        const std::array edits{text_edit{"mq_bridge.dlq.error", error}, text_edit{"mq_bridge.dlq.route", route},
                               text_edit{"mq_bridge.dlq.timestamp_ms", time}};
        message& m = letters_.emplace_back(*l.what);
        counted_block& block = blocks_.emplace_back(edited(l.what->metadata, edits));
        if (!block.get().is_null()) m.metadata = block.get();
    }
    outcomes_.assign(letters_.size(), outcome{});
    send_.messages = message_list{std::span<const message>{letters_}};
    send_.outcomes = list<outcome>{outcomes_};
    send_.texts.clear();
    on_send_();
    const status answer = target_.send(send_);
    return answer == status::pending ? answer : ended(answer);
}

status endpoint_dead_letters::ended(status answer) {
    if (std::ranges::all_of(outcomes_, [](const outcome& o) { return o.sent() == send_result::done; })) return status::ok;
    std::string text{send_.texts.best(whole_call)};
    for (std::uint32_t i = 0; i < outcomes_.size() && text.empty(); ++i)
        if (outcomes_[i].sent() != send_result::done) text = send_.texts.best(i);
    now_->texts.set(whole_call, text.empty() ? std::string_view{"the endpoint did not take them"} : std::string_view{text});
    return answer == status::cancelled ? answer : status::retry;
}

void endpoint_dead_letters::next() {
    while (!now_ && !waiting_.empty()) {
        const waiting next = waiting_.front();
        waiting_.pop_front();
        now_ = next.of;
        const status answer = next.is_cancelled ? status::cancelled : start();
        if (answer == status::pending) return;
        bury_call& upper = *std::exchange(now_, nullptr);
        upper.done(upper, answer);
    }
}

void endpoint_dead_letters::cancel(call& c) {
    if (now_ == &c) return target_.cancel(send_);
    // What waits behind it is answered when that one is.
    const auto found = std::ranges::find(waiting_, &c, &waiting::of);
    if (found != waiting_.end()) found->is_cancelled = true;
}

}  // namespace mqb::core
