// route_sending: how a route sends its batches, and what the outcomes mean.
#include "core/running_route.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
constexpr std::uint64_t quiet_ns = 5'000'000'000;  // between two log lines about messages that come again

text_view reason_of(std::uint64_t what) noexcept {
    constexpr std::string_view reasons[] = {"", "filtered", "duplicate", "discarded", "dead_lettered"};
    const std::string_view reason = what < std::size(reasons) ? reasons[what] : "";
    return {reason.data(), reason.size()};
}
}  // namespace

flight* running_route::next_for(route_slot& s) {
    flight* f = nullptr;
    if (!s.queue.empty()) {
        f = s.queue.front();
        s.queue.pop_front();
        --queued_;
    } else if (!ready_.empty()) {
        f = ready_.front();
        ready_.pop_front();
    }
    return f;
}

bool running_route::send_next() {
    bool moved = false;
    if (failing_ || is_late_)
        let_go_of_all();
    else if (hurries_)
        let_go_of_again();
    while (!go_on_.empty()) {
        flight& f = *go_on_.front();
        go_on_.pop_front();
        moved = true;
        start_send(f);
    }
    while (may_send() && !again_.empty()) {
        flight& f = *again_.front();
        again_.pop_front();
        moved = true;
        start_send(f);
    }
    for (route_slot& s : slots_)
        while (s.busy < window_ && may_send()) {
            flight* f = next_for(s);
            if (!f) break;
            moved = true;
            begin_send(*f, s);
        }
    if (under_way_ && may_flush_ && !failing_ && !is_late_ && is_flushing())
        for (route_slot& s : slots_)
            if (s.busy && s.flush.is_new) flush(s.flush);
    return moved;
}

// Where the order of what is sent again is kept: after something has come back everything else that was started comes back too, as far
// as it is of the same lanes, and only then all of it is started again, in order.
bool running_route::may_send() {
    if (gathers_) gathers_ = sending_ != 0 || std::ranges::any_of(again_, [](const flight* f) { return f->timer.pending; });
    return !gathers_;
}

void running_route::let_go_of_again() {
    for (std::size_t i = 0; i < again_.size();) {
        flight& f = *again_[i];
        if (f.timer.pending) {
            ++i;
            continue;
        }
        again_.erase(again_.begin() + static_cast<std::ptrdiff_t>(i));
        let_go(f);
    }
}

void running_route::let_go_of_all() {
    let_go_of_again();
    for (flight* f : std::exchange(go_on_, {})) let_go(*f);
    const auto let_go_unsent = [this](flight& f) {
        ++under_way_;
        let_go(f);
    };
    for (flight* f : std::exchange(ready_, {})) let_go_unsent(*f);
    for (route_slot& s : slots_)
        for (flight* f : std::exchange(s.queue, {})) {
            --queued_;
            let_go_unsent(*f);
        }
}

void running_route::begin_send(flight& f, route_slot& s) {
    f.slot = &s;
    ++s.busy;
    ++under_way_;
    if (gate_) gate_->begin(s.number, f.sequence);
    // One by one, the batch is a part from the start.
    if (one_by_one_ && f.index.empty() && f.messages.count > 1)
        for (std::uint32_t i = 0; i < f.messages.count; ++i) {
            f.index.push_back(i);
            f.again.push_back(f.messages.copy(i));
        }
    start_send(f);
}

void running_route::start_send(flight& f) {
    f.at = flight::stage::sending;
    f.responses.clear();
    ++sending_;
    hold(f.slot->flush);
    f.send.messages = f.index.empty() ? f.messages : message_list{std::span<const message>{f.again}};
    if (one_by_one_) f.send.messages.count = std::min(f.send.messages.count, 1u);
    f.outcomes.assign(f.send.messages.count, outcome{});
    f.send.outcomes = list<outcome>{f.outcomes};
    f.send.texts.clear();
    const status answer = f.slot->top->send(f.send);
    if (answer != status::pending) sent(f, answer);
}

void running_route::sent(flight& f, status answer) {
    --sending_;
    f.slot->flush.holds = true;
    const std::uint32_t n = f.send.messages.count;
    const bool whole = f.index.empty();
    if (whole && f.responses.empty() && std::ranges::all_of(f.outcomes, [](const outcome& o) { return o.delivered(); })) {
        if (is_in_trouble_) set_trouble({});
        f.settle.entries = acks_.range(0, n);
        f.unsettled = 0;
        settle(f);
        return;
    }
    f.entries.clear();
    flight::remainder left;
    for (std::uint32_t k = 0; k < n; ++k) decide(f, k, left);
    const std::size_t failed = left.index.size();
    const bool has_progress = failed == 0 || left.index.front() != f.batch_index(0);
    for (std::uint32_t k = n; k < f.index.size(); ++k) left.add(f.index[k], f.tries_of(k));
    add_responses(f);
    const std::string& path = definition_.output.path;
    const bool is_undone =
        f.entries.size() != n || std::ranges::any_of(f.entries, [](const settle_entry& e) { return e.what == disposition::nack; });
    if (answer == status::bad_config || (is_undone && (answer == status::rejected || answer == status::unsupported))) {
        const auto text = f.send.texts.best(whole_call);
        fail(path + ": " + (text.empty() ? "cannot be written: " + std::string{to_text(answer)} : std::string{text}));
    }
    if (is_in_trouble_ && !is_undone) set_trouble({});
    if (failed && f.first_failed_at == 0) f.first_failed_at = clock_.now_wall();
    if (failed) tell_comes_again(f, failed, "sent again");
    if (keeps_order_ && failed) gathers_ = true;
    if (has_progress) f.tries = 0;
    f.again.clear();
    f.index = std::move(left.index);
    f.tried = std::move(left.tried);
    for (std::uint32_t i : f.index) f.again.push_back(f.messages.copy(i));
    f.goes_on = failed == 0;
    f.send.delay_ns = left.not_before_ns;
    f.unsettled -= static_cast<std::uint32_t>(f.entries.size());
    f.settle.entries = list<const settle_entry>{f.entries};
    if (f.entries.empty())
        after_settle(f);
    else
        settle(f);
}

// What becomes of message `k` of the present send: an entry for the input, or one of those that are left to be sent again from here.
void running_route::decide(flight& f, std::uint32_t k, flight::remainder& left) {
    const outcome& o = f.outcomes[k];
    settle_entry e;
    e.index = f.batch_index(k);
    const auto text = f.send.texts.best(k);
    const auto give_up_on = [&](death why) {
        if (!can_reject_) {
            fail(definition_.output.path + ": refused a message" + (text.empty() ? std::string{} : ": " + std::string{text}));
            left.add(e.index, 0);
            return;
        }
        failure_note note = note_of(f, k);
        note.why = why;
        input_->book->note(f.messages[e.index], std::move(note));
        e.what = disposition::reject;
        e.reason = {text.data(), text.size()};
        f.entries.push_back(e);
    };
    switch (o.sent()) {
        case send_result::done:
            e.reason = reason_of(o.number);
            f.entries.push_back(e);
            return;
        case send_result::refused: return give_up_on(death::refused);
        case send_result::give_back:
            if (!can_nack_) break;
            e.what = disposition::nack;
            e.delay_ns = o.number;
            e.reason = {given_back.data(), given_back.size()};
            f.entries.push_back(e);
            return;
        case send_result::unsent:
        case send_result::again:
        case send_result::uncertain: break;
    }
    const bool was_tried = o.sent() != send_result::unsent;
    if (in_place_ || !can_nack_) {
        const std::uint32_t tries = f.tries_of(k) + (was_tried ? 1 : 0);
        if (was_tried && definition_.max_deliveries && tries >= definition_.max_deliveries) return give_up_on(death::max_deliveries);
        left.add(e.index, tries);
        if (o.sent() == send_result::again) left.not_before_ns = std::max(left.not_before_ns, o.number);
        return;
    }
    if (was_tried) tell_comes_again(f, 1, "presented again");
    input_->book->note(f.messages[e.index], note_of(f, k));
    e.what = disposition::nack;
    e.delay_ns = o.sent() == send_result::again ? o.number : 0;
    e.reason = {text.data(), text.size()};
    f.entries.push_back(e);
}

failure_note running_route::note_of(const flight& f, std::uint32_t k) const {
    const outcome& o = f.outcomes[k];
    failure_note note;
    note.endpoint = definition_.output.path;
    note.error = f.send.texts.best(k);
    note.attempts = o.sent() == send_result::unsent ? 0 : f.tries_of(k) + 1;
    note.first_at = note.last_at = clock_.now_wall();
    if (f.tries_of(k) > 0 && f.first_failed_at != 0) note.first_at = f.first_failed_at;
    note.may_have_arrived = o.sent() == send_result::uncertain || (o.flags & was_uncertain) != 0;
    return note;
}

// Not for each message: an output that is down for an hour would fill the log.
void running_route::tell_comes_again(const flight& f, std::size_t how_many, std::string_view what) {
    if (failing_ || is_late_) return;
    const std::uint64_t now = clock_.now_steady();
    const auto text = f.send.texts.best(f.send.texts.first_index());
    set_trouble(definition_.output.path + ": " + (text.empty() ? "messages come back" : std::string{text}));
    if (told_at_ns_ != 0 && now - told_at_ns_ < quiet_ns) return;
    told_at_ns_ = now;
    log_.write(log_level::warning, definition_.name, definition_.output.path,
               (how_many == 1 ? "a message" : std::to_string(how_many) + " messages") + " will be " + std::string{what} +
                   (text.empty() ? std::string{} : ": " + std::string{text}));
}

}  // namespace mqb::core
