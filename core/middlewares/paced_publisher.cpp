#include "core/middlewares/paced_publisher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mqb::core {

namespace {
bool is_undone(const send_call& c) noexcept {
    for (std::uint32_t i = 0; i < c.outcomes.count; ++i) {
        const send_result r = c.outcomes[i].sent();
        if (r != send_result::done && r != send_result::refused) return true;
    }
    return false;
}
}  // namespace

paced_publisher::paced_publisher(publisher& inner, std::shared_ptr<pace> speed, timers& clock, bool keeps_retry_order, chain_links* links)
    : inner_(inner), pace_(std::move(speed)), clock_(clock), keeps_retry_order_(keeps_retry_order), links_(links) {
    wait_.self = this;
    wait_.deliver = [](mail& m) noexcept {
        auto& over = static_cast<pause&>(m);
        over.pending = false;
        over.self->go_on();
        if (call* const closing = over.pending ? nullptr : std::exchange(over.self->closing_, nullptr)) closing->done(*closing, status::ok);
    };
    if (links_) links_->add(*this);
}

paced_publisher::~paced_publisher() {
    if (links_) links_->remove(*this);
}

status paced_publisher::send(send_call& c) {
    if (c.messages.empty()) return inner_.send(c);
    const std::uint64_t now = clock_.now_steady();
    if (waiting_.empty() && !goes_on_ && !wait_.pending && is_due(c, now)) return pass(c);
    waiting_.push_back({&c, now});
    if (!goes_on_ && !wait_.pending) {
        wait_.pending = true;
        clock_.wait_until(slot_->due, wait_);
    }
    return status::pending;
}

// Whether the first one may go now; takes its slot.
bool paced_publisher::is_due(send_call& c, std::uint64_t came) {
    if (!slot_) slot_ = pace_->reserve(came, c.messages.count);
    const std::uint64_t now = clock_.now_steady();
    if (!hurries_ && slot_->due > now) return false;
    pace_->used(*slot_, now);
    slot_.reset();
    return true;
}

status paced_publisher::pass(send_call& c) {
    passed_send& p = sends_.take([this](passed_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& ended = static_cast<passed_send&>(self);
            send_call& upper = *std::exchange(ended.upper, nullptr);
            std::swap(upper.texts, ended.texts);
            ended.self->sends_.give_back(ended);
            ended.self->finish(upper, answer);
        };
    });
    p.upper = &c;
    p.messages = c.messages;
    p.outcomes = c.outcomes;
    p.texts.clear();
    p.answer = nullptr;
    if (c.answer)
        p.answer = [](send_call& self, std::uint32_t i, const message& response) {
            send_call& upper = *static_cast<passed_send&>(self).upper;
            upper.answer(upper, i, response);
        };
    const status answer = inner_.send(p);
    if (answer == status::pending) return answer;
    std::swap(c.texts, p.texts);
    p.upper = nullptr;
    sends_.give_back(p);
    return answer;
}

// What waits behind a failure was started before its caller knew of it: it comes back too.
void paced_publisher::finish(send_call& c, status answer) {
    std::vector<waiting_send> behind;
    if (keeps_retry_order_ && is_undone(c)) {
        behind.assign(waiting_.begin(), waiting_.end());
        waiting_.clear();
        end_wait();
    }
    c.done(c, answer);
    for (const waiting_send& w : behind) w.what->done(*w.what, w.is_cancelled ? status::cancelled : status::ok);
}

// The wait is over, or was cut short.
void paced_publisher::go_on() {
    goes_on_ = true;
    end_cancelled();
    while (!waiting_.empty() && is_due(*waiting_.front().what, waiting_.front().came)) {
        send_call& c = *waiting_.front().what;
        waiting_.pop_front();
        const status answer = pass(c);
        if (answer != status::pending) finish(c, answer);
    }
    goes_on_ = false;
    if (waiting_.empty()) return;
    wait_.pending = true;
    clock_.wait_until(slot_->due, wait_);
    if (std::ranges::any_of(waiting_, &waiting_send::is_cancelled)) clock_.cancel(wait_);  // by somebody who was answered here
}

void paced_publisher::end_cancelled() {
    for (std::size_t i = 0; i < waiting_.size();) {
        if (!waiting_[i].is_cancelled) {
            ++i;
            continue;
        }
        if (keeps_retry_order_) return give_back_from(i);
        if (i == 0) end_wait();
        send_call& c = *waiting_[i].what;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        c.done(c, status::cancelled);
    }
}

void paced_publisher::give_back_from(std::size_t first) {
    const std::vector<waiting_send> back(waiting_.begin() + static_cast<std::ptrdiff_t>(first), waiting_.end());
    waiting_.resize(first, waiting_send{nullptr, 0});
    if (first == 0) end_wait();
    for (const waiting_send& w : back) w.what->done(*w.what, w.is_cancelled ? status::cancelled : status::ok);
}

// The first one waits no longer: its time is that of the next.
void paced_publisher::end_wait() {
    if (slot_) pace_->give_back(*std::exchange(slot_, std::nullopt));
    if (wait_.pending) clock_.cancel(wait_);
}

void paced_publisher::end_pauses() {
    hurries_ = true;
    if (wait_.pending) clock_.cancel(wait_);
}

void paced_publisher::cancel(call& c) {
    const auto at = std::ranges::find_if(waiting_, [&](const waiting_send& w) { return w.what == &c; });
    if (at == waiting_.end()) {
        passed_send* const found = sends_.find([&](const passed_send& one) { return one.upper == &c; });
        return inner_.cancel(found ? static_cast<call&>(*found) : c);
    }
    at->is_cancelled = true;
    if (wait_.pending) clock_.cancel(wait_);
}

status paced_publisher::close(call& c) {
    if (!wait_.pending) return status::ok;
    closing_ = &c;
    return status::pending;
}

}  // namespace mqb::core
