#include "core/middlewares/dlq_publisher.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mqb::core {

namespace {

bool is_dead(const outcome& o) noexcept {
    return o.sent() == send_result::refused || (o.sent() == send_result::again && (o.flags & exhausted));
}

}  // namespace

dlq_publisher::dlq_publisher(publisher& inner, std::unique_ptr<publisher> endpoint, std::string route, mailbox& box, timers& clock)
    : inner_(inner), endpoint_(std::move(endpoint)), route_(std::move(route)), box_(box), clock_(clock) {
    burial_.self = this;
    burial_.done = [](call& c, status answer) noexcept {
        auto& b = static_cast<burial&>(c);
        dlq_publisher& self = *b.self;
        one_send& s = *std::exchange(b.of, nullptr);
        self.buried(s, answer);
        self.finish(s);
        self.bury_waiting();
    };
    cancel_.self = this;
    cancel_.deliver = [](mail& m) noexcept {
        auto& c = static_cast<cancel_mail&>(m);
        c.posted = false;
        c.self->answer_cancelled();
    };
}

dlq_publisher::one_send& dlq_publisher::take(send_call& c) {
    one_send& s = sends_.take([this](one_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& back = static_cast<one_send&>(self);
            if (back.self->ended(back, answer)) back.self->finish(back);
        };
    });
    s.upper = &c;
    s.cancelled = false;
    s.messages = c.messages;
    s.outcomes = c.outcomes;
    s.answer = nullptr;
    if (c.answer)
        s.answer = [](send_call& self, std::uint32_t i, const message& response) {
            send_call& upper = *static_cast<one_send&>(self).upper;
            upper.answer(upper, i, response);
        };
    return s;
}

status dlq_publisher::send(send_call& c) {
    one_send& s = take(c);
    const status answer = inner_.send(s);
    if (answer == status::pending || !ended(s, answer)) return status::pending;
    recycle(s);
    return s.came;
}

bool dlq_publisher::ended(one_send& s, status answer) {
    s.came = answer;
    s.texts.each([&](std::uint32_t i, std::string_view text) { s.upper->texts.set(i, text); });
    s.texts.clear();
    s.dead.clear();
    for (std::uint32_t i = 0; i < s.outcomes.count; ++i)
        if (is_dead(s.outcomes[i])) s.dead.push_back(i);
    const bool is_flush = s.messages.empty() && has_written_;
    if (s.dead.empty() && !is_flush) return true;
    if (s.cancelled) return give_up(s), true;
    if (!burial_.of && !is_working_) return bury(s);
    waiting_.push_back(&s);
    return false;
}

// True: the dead-letter endpoint has answered.
bool dlq_publisher::bury(one_send& s) {
    burial_.of = &s;
    write_letters(s);
    has_written_ = true;
    const status answer = endpoint_->send(burial_);
    if (answer == status::pending) return false;
    burial_.of = nullptr;
    buried(s, answer);
    return true;
}

void dlq_publisher::write_letters(const one_send& s) {
    burial_.letters.clear();
    burial_.blocks.clear();
    burial_.texts.clear();
    const std::string time = std::to_string(clock_.now_wall() / 1'000'000);
    for (const std::uint32_t i : s.dead) {
        const std::string error = error_of(s, i);
        const std::array edits{text_edit{"mq_bridge.dlq.error", error}, text_edit{"mq_bridge.dlq.route", route_},
                               text_edit{"mq_bridge.dlq.timestamp_ms", time}};
        message& letter = burial_.letters.emplace_back(s.messages.copy(i));
        counted_block block = edited(letter.metadata, edits);
        if (!block.get().owner) continue;  // no room for them: the message itself counts
        letter.metadata = block.get();
        burial_.blocks.push_back(std::move(block));
    }
    burial_.answers.assign(burial_.letters.size(), outcome{});
    burial_.messages = message_list{std::span<const message>{burial_.letters}};
    burial_.outcomes = list<outcome>{std::span<outcome>{burial_.answers}};
}

std::string dlq_publisher::error_of(const one_send& s, std::uint32_t i) const {
    const bool is_refused = s.outcomes[i].sent() == send_result::refused;
    const std::string_view text = s.upper->texts.best(i);
    std::string out = is_refused ? "non-retryable error: " : "retryable error: ";
    return out += text.empty() ? std::string_view{is_refused ? "refused" : "retries exhausted"} : text;
}

void dlq_publisher::buried(one_send& s, status answer) {
    if (s.messages.empty()) {
        if (answer == status::ok) has_written_ = false;
        if (s.came != status::ok || answer == status::ok) return;
        s.came = answer;
        const auto text = burial_.texts.best(whole_call);
        s.upper->texts.set(whole_call, "the dead-letter endpoint failed: " + std::string{text.empty() ? to_text(answer) : text});
        return;
    }
    const bool never_works = answer == status::rejected || answer == status::bad_config || answer == status::unsupported;
    for (std::uint32_t k = 0; k < s.dead.size(); ++k) {
        const send_result r = burial_.answers[k].sent();
        const bool for_good = r == send_result::refused || (never_works && r == send_result::unsent);
        if (r == send_result::done)
            taken(s, k);
        else
            not_taken(s, s.dead[k], for_good, burial_.texts.best(k), r == send_result::again ? burial_.answers[k].number : 0);
    }
    burial_.blocks.clear();
}

void dlq_publisher::taken(one_send& s, std::uint32_t k) {
    const std::uint64_t as = burial_.answers[k].number;  // the dead-letter endpoint may throw it away on purpose
    outcome& o = s.outcomes[s.dead[k]];
    o.set(send_result::done);
    o.flags &= was_uncertain;
    o.number = as == static_cast<std::uint64_t>(became::delivered) ? static_cast<std::uint64_t>(became::dead_lettered) : as;
}

void dlq_publisher::not_taken(one_send& s, std::uint32_t i, bool for_good, std::string_view why, std::uint64_t not_before) {
    std::string text = error_of(s, i) + (for_good ? "; the dead-letter endpoint refused it" : "; the dead-letter endpoint failed");
    if (!why.empty()) (text += ": ") += why;
    s.upper->texts.set(i, text);
    if (for_good) return;
    outcome& o = s.outcomes[i];
    o.set(send_result::again);
    o.flags &= was_uncertain;
    o.number = not_before;
}

// The caller does not want to wait: what was to go to the dead-letter endpoint is to be sent again.
void dlq_publisher::give_up(one_send& s) {
    for (const std::uint32_t i : s.dead) not_taken(s, i, false, "cancelled", 0);
    if (s.messages.empty() && s.came == status::ok) s.came = status::cancelled;
}

void dlq_publisher::bury_waiting() {
    if (is_working_) return;
    is_working_ = true;
    while (!burial_.of) {
        const auto next = std::ranges::find(waiting_, false, &one_send::cancelled);
        if (next == waiting_.end()) break;
        one_send& s = **next;
        waiting_.erase(next);
        if (bury(s)) finish(s);
    }
    is_working_ = false;
}

void dlq_publisher::answer_cancelled() {
    std::vector<one_send*> cancelled;
    for (one_send* s : waiting_)
        if (s->cancelled) cancelled.push_back(s);
    std::erase_if(waiting_, [](const one_send* s) { return s->cancelled; });
    for (one_send* s : cancelled) {
        give_up(*s);
        finish(*s);
    }
}

void dlq_publisher::finish(one_send& s) {
    send_call& upper = *s.upper;
    const status answer = s.came;
    recycle(s);
    upper.done(upper, answer);
}

void dlq_publisher::recycle(one_send& s) {
    s.upper = nullptr;
    sends_.give_back(s);
}

void dlq_publisher::cancel(call& c) {
    one_send* found = sends_.find([&](const one_send& one) { return one.upper == &c; });
    if (!found) {  // a connect or a close, or a control
        endpoint_->cancel(c);
        inner_.cancel(c);
        return;
    }
    one_send& s = *found;
    s.cancelled = true;
    if (burial_.of == &s) {
        endpoint_->cancel(burial_);
    } else if (std::ranges::find(waiting_, &s) == waiting_.end()) {
        inner_.cancel(s);
    } else if (!cancel_.posted) {
        cancel_.posted = true;
        box_.put(cancel_);
    }
}

}  // namespace mqb::core
