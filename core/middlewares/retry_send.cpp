#include "core/middlewares/retry_send.hpp"

#include "core/timers.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace mqb::core {

namespace {
constexpr std::string_view attempt_key = "mq_bridge.retry.attempt";

bool is_failing(const outcome& o) noexcept { return o.sent() == send_result::again && !(o.flags & exhausted); }
}  // namespace

void retry_send::take(send_call& c, std::uint64_t number) {
    upper = &c;
    sequence = number;
    came = status::ok;
    cancelled = in_flight = is_started = is_judged = false;
    answer = nullptr;
    if (c.answer)
        answer = [](send_call& self, std::uint32_t k, const message& response) {
            auto& mine = static_cast<retry_send&>(self);
            mine.upper->answer(*mine.upper, mine.upper_index(k), response);
        };
}

void retry_send::begin(std::uint64_t now) {
    states_.clear();
    index_.clear();
    blocks_.clear();
    texts.clear();
    is_started = true;
    is_judged = false;
    sent_at_ = now;
    messages = upper->messages;
    outcomes = upper->outcomes;
    const auto was_retried = [&](std::uint32_t i) { return has_key(upper->messages.copy(i).metadata, attempt_key); };
    std::uint32_t i = 0;
    while (i < messages.count && !was_retried(i)) ++i;
    if (i == messages.count) return;
    part_.clear();
    for (i = 0; i < messages.count; ++i) add(upper->messages.copy(i), 1);
    messages = message_list{std::span<const message>{part_}};
}

// The first try has no attempt in its metadata, the others have theirs.
void retry_send::add(const message& m, std::uint32_t attempt) {
    message& to = part_.emplace_back(m);
    if (attempt < 2 && !has_key(m.metadata, attempt_key)) return;
    const std::string number = std::to_string(attempt);
    const std::array edit{text_edit{attempt_key, attempt < 2 ? std::string_view{} : std::string_view{number}}};
    counted_block block = edited(m.metadata, edit);
    if (!block.get().owner) return;
    to.metadata = block.get();
    blocks_.push_back(std::move(block));
}

bool retry_send::select(std::uint64_t now, bool only_due) {
    index_.clear();
    part_.clear();
    blocks_.clear();
    texts.clear();
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
        try_state& t = states_[i];
        if (!t.waits || (only_due && t.due > now)) continue;
        t.waits = false;
        index_.push_back(i);
        add(upper->messages.copy(i), t.tries + 1);
    }
    answers_.assign(part_.size(), outcome{});
    messages = message_list{std::span<const message>{part_}};
    outcomes = list<outcome>{std::span<outcome>{answers_}};
    sent_at_ = now;
    is_judged = false;
    return !part_.empty();
}

void retry_send::collect(status answered) {
    came = answered;
    for (std::uint32_t k = 0; k < index_.size(); ++k) {
        outcome& to = upper->outcomes[index_[k]];
        const std::uint32_t kept = to.flags & was_uncertain;
        to = answers_[k];
        to.flags |= kept;
    }
    collect_texts(!index_.empty());
}

// A text of the whole call is one for each message that failed in it: the next part has another.
void retry_send::collect_texts(bool is_part) {
    if (texts.empty()) return;
    const auto whole = texts.of(whole_call);
    if (!whole.empty() && (!is_part || came != status::ok)) upper->texts.set(whole_call, whole);
    for (std::uint32_t k = 0; is_part && !whole.empty() && k < index_.size(); ++k)
        if (upper->outcomes[index_[k]].sent() != send_result::done) upper->texts.set(index_[k], whole);
    texts.each([&](std::uint32_t k, std::string_view text) {
        if (k != whole_call && k < messages.count) upper->texts.set(upper_index(k), text);
    });
    texts.clear();
}

bool retry_send::is_clean() const noexcept {
    for (std::uint32_t i = 0; i < upper->outcomes.count; ++i) {
        const send_result r = upper->outcomes[i].sent();
        if (r != send_result::done && r != send_result::refused) return false;
    }
    return true;
}

bool retry_send::asks_for_more() const noexcept {
    if (!may_try_again()) return false;
    for (std::uint32_t k = 0; k < messages.count; ++k)
        if (is_failing(upper->outcomes[upper_index(k)])) return true;
    return false;
}

bool retry_send::stands_still() const noexcept {
    bool all_unsent = true;
    for (std::uint32_t k = 0; k < messages.count; ++k) {
        const outcome& o = upper->outcomes[upper_index(k)];
        if (o.sent() == send_result::again) return false;
        all_unsent = all_unsent && o.sent() == send_result::unsent;
    }
    return came == status::retry || all_unsent;
}

retry_send::verdict retry_send::judge(const retry_policy& policy, std::uint64_t now, unsent rule, jitter_source& jitter) {
    verdict out;
    is_judged = true;
    if (states_.empty()) states_.resize(upper->messages.count);
    const bool goes_on = may_try_again();
    std::uint64_t behind = now;  // when what did not leave may go: together with what is in front of it
    bool goes_again = rule != unsent::go_behind;
    for (std::uint32_t k = 0; goes_on && k < messages.count; ++k) {
        const std::uint32_t i = upper_index(k);
        const outcome& o = upper->outcomes[i];
        if (is_failing(o) || (rule == unsent::count && o.sent() == send_result::unsent)) {
            failed(i, policy, now, jitter);
            behind = states_[i].waits ? states_[i].due : now;
            goes_again = true;
        } else if (o.sent() == send_result::unsent && goes_again) {
            states_[i].waits = true;
            states_[i].due = behind;
        }
    }
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
        try_state& t = states_[i];
        if (!goes_on) t.waits = false;
        const send_result r = upper->outcomes[i].sent();
        if (!t.waits) {
            out.has_failed = out.has_failed || (r != send_result::done && r != send_result::refused);
            continue;
        }
        out.waits = true;
        out.first_due = std::min(out.first_due, t.due);
        out.last_due = std::max(out.last_due, t.due);
    }
    return out;
}

void retry_send::failed(std::uint32_t i, const retry_policy& policy, std::uint64_t now, jitter_source& jitter) {
    try_state& t = states_[i];
    if (t.tries++ == 0) t.first_at = sent_at_;
    const outcome& o = upper->outcomes[i];
    const std::uint64_t asked = o.sent() == send_result::again ? o.number : 0;
    t.due = later(now, std::max(policy.pause(t.tries, jitter.next()), asked));
    t.waits = !policy.is_over(t.tries, t.first_at, t.due);
    if (!t.waits) exhaust(i);
}

void retry_send::exhaust(std::uint32_t i) {
    outcome& o = upper->outcomes[i];
    o.set(send_result::again);
    o.flags |= exhausted;
    const std::uint32_t tries = states_[i].tries;
    std::string text = "Retries exhausted after " + std::to_string(tries) + (tries == 1 ? " attempt" : " attempts");
    const std::string_view why = upper->texts.best(i);
    if (!why.empty()) (text += ": ") += why;
    upper->texts.set(i, text);
}

}  // namespace mqb::core
