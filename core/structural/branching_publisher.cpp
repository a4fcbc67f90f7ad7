#include "core/structural/branching_publisher.hpp"

#include <utility>

namespace mqb::core {

namespace {

// What counts most of several answers. To a flush: who could not finish may be asked again, as long as nobody can never.
int weight(status answer, bool is_flush) noexcept {
    switch (answer) {
        case status::bad_config: return 5;
        case status::rejected: return is_flush ? 1 : 4;
        case status::unsupported: return is_flush ? 0 : 4;
        case status::cancelled: return is_flush ? 2 : 3;
        case status::retry: return is_flush ? 3 : 2;
        default: return 0;
    }
}

std::string_view plainly(send_result r) noexcept {
    switch (r) {
        case send_result::refused: return "refused it";
        case send_result::again: return "failed";
        case send_result::uncertain: return "may have it or not";
        default: return {};
    }
}

}  // namespace

void branching_publisher::part::take_all(const send_call& all, list<outcome> into) {
    messages = all.messages;
    outcomes = into;
}

void branching_publisher::part::take_added() {
    came.assign(some.size(), outcome{});
    messages = message_list{std::span<const message>{some}};
    outcomes = list<outcome>{std::span<outcome>{came}};
}

branching_publisher::one_send& branching_publisher::take(send_call& c) {
    one_send& s = sends_.take([this](one_send& made) {
        made.self = this;
        made.own = make_notes();
        made.parts = std::vector<part>(branches_.size());
        for (std::uint32_t i = 0; i < made.parts.size(); ++i) {
            made.parts[i].of = &made;
            made.parts[i].number = i;
            made.parts[i].done = [](call& self, status answer) noexcept {
                auto& back = static_cast<part&>(self);
                one_send& all = *back.of;
                all.self->answered(back, answer);
                if (all.open != 0) return;
                send_call& upper = *all.upper;
                const status now = all.self->end(all);
                upper.done(upper, now);
            };
        }
    });
    s.upper = &c;
    for (part& p : s.parts) {
        p.messages = {};
        p.outcomes = {};
        p.answer = nullptr;
        p.answered = status::ok;
        p.texts.clear();
    }
    return s;
}

status branching_publisher::send(send_call& c) {
    one_send& s = take(c);
    const bool is_flush = c.messages.empty();
    if (!is_flush) divide(s);
    s.open = 1;  // until all are started
    for (part& p : s.parts) {
        if (p.messages.empty() && !is_flush) continue;      // it would be a flush
        if (failed_[p.number] != 0 && !is_flush) continue;  // it would overtake
        ++s.open;
        p.in_flight = true;
        const status answer = branches_[p.number].to->send(p);
        if (answer != status::pending) answered(p, answer);
    }
    return --s.open != 0 ? status::pending : end(s);
}

// A branch keeps itself connected: nothing below is a loss of the connection of the whole.
void branching_publisher::answered(part& p, status answer) {
    p.in_flight = false;
    p.answered = answer == status::disconnected ? status::retry : answer;
    --p.of->open;
    for (std::uint32_t k = 0; k < p.messages.count && keeps_order_ && !p.failed; ++k) {
        const send_result r = p.outcomes[k].sent();
        p.failed = r != send_result::done && r != send_result::refused;
    }
    if (p.failed) ++failed_[p.number];
}

status branching_publisher::end(one_send& s) {
    if (!s.upper->messages.empty()) collect(s);
    const status answer = merged(s);
    s.upper = nullptr;
    for (part& p : s.parts) {
        if (std::exchange(p.failed, false)) --failed_[p.number];
        p.some.clear();
        p.index.clear();
    }
    sends_.give_back(s);
    return answer;
}

status branching_publisher::merged(const one_send& s) const {
    const bool is_flush = s.upper->messages.empty();
    const part* counts = nullptr;
    for (const part& p : s.parts)
        if (!counts || weight(p.answered, is_flush) > weight(counts->answered, is_flush)) counts = &p;
    if (!counts || weight(counts->answered, is_flush) == 0) return status::ok;
    const auto text = counts->texts.best(whole_call);
    if (!text.empty()) s.upper->texts.set(whole_call, branches_[counts->number].placed(text));
    return counts->answered;
}

const branching_publisher::part* branching_publisher::only_failed(const one_send& s) const {
    const part* out = nullptr;
    for (const part& p : s.parts) {
        bool failed = false;
        for (std::uint32_t k = 0; k < p.messages.count && !failed; ++k) failed = p.outcomes[k].sent() != send_result::done;
        if (!failed) continue;
        if (out) return nullptr;
        out = &p;
    }
    const auto text = out ? out->texts.of(whole_call) : std::string_view{};
    if (!text.empty()) s.upper->texts.set(whole_call, branches_[out->number].placed(text));
    return out;
}

std::string branching_publisher::why(const part& p, std::uint32_t k, const part* only) const {
    const bool is_told = only == &p && !p.texts.of(whole_call).empty();
    std::string_view text = is_told ? p.texts.of(k) : p.texts.best(k);
    if (text.empty() && !is_told) text = plainly(p.outcomes[k].sent());
    return text.empty() ? std::string{} : branches_[p.number].placed(text);
}

void branching_publisher::cancel(call& c) {
    if (one_send* s = sends_.find([&](const one_send& one) { return one.upper == &c; })) {
        for (part& p : s->parts)
            if (p.in_flight) branches_[p.number].to->cancel(p);
        return;
    }
    (void)others_.cancel(c);
}

void branching_publisher::listen(event_sink* sink) {
    for (const branch& b : branches_) b.to->listen(sink);
}

}  // namespace mqb::core
