#include "core/middlewares/buffer_publisher.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
bool is_undone(const outcome& o) noexcept { return o.sent() != send_result::done && o.sent() != send_result::refused; }
}  // namespace

buffer_publisher::buffer_publisher(publisher& inner, limits most, bool keeps_retry_order, mailbox& box, timers& clock, chain_links* links)
    : inner_(inner), most_(most), keeps_retry_order_(keeps_retry_order), box_(box), clock_(clock), links_(links) {
    below_.self = wait_.self = turn_.self = this;
    below_.done = [](call& c, status answer) noexcept {
        auto& joint = static_cast<joint_send&>(c);
        joint.self->went(answer);
        joint.self->go_on();
    };
    wait_.deliver = [](mail& m) noexcept {
        auto& over = static_cast<pause&>(m);
        over.pending = false;
        over.self->go_on();
        over.self->end_close();
    };
    turn_.deliver = [](mail& m) noexcept {
        auto& now = static_cast<turn&>(m);
        now.is_posted = false;
        now.self->go_on();
        now.self->end_close();
    };
    if (links_) links_->add(*this);
}

buffer_publisher::~buffer_publisher() {
    if (links_) links_->remove(*this);
}

// What can go now goes by mail: others that come in the same turn go with it.
status buffer_publisher::send(send_call& c) {
    held_send& h = sends_.take([](held_send&) {});
    h = {&c, clock_.now_steady()};
    held_.push_back(&h);
    messages_ += c.messages.count;
    if (c.messages.empty()) ++flushes_;
    go_on_soon();
    return status::pending;
}

void buffer_publisher::go_on_soon() {
    if (std::exchange(turn_.is_posted, true)) return;
    box_.put(turn_);
}

bool buffer_publisher::may_go() const {
    if (held_.empty() || below_.is_pending) return false;
    if (hurries_ || flushes_ != 0 || messages_ >= most_.max_messages) return true;
    return later(held_.front()->came, most_.max_delay_ns) <= clock_.now_steady();
}

void buffer_publisher::go_on() {
    end_cancelled();
    while (may_go()) {
        gather();
        below_.is_pending = true;
        const status answer = inner_.send(below_);
        if (answer != status::pending) went(answer);
    }
    if (held_.empty() || below_.is_pending || wait_.pending) return;
    wait_.pending = true;
    clock_.wait_until(later(held_.front()->came, most_.max_delay_ns), wait_);
}

// The next ones in order, up to the limit or an empty send; that one goes by itself.
void buffer_publisher::gather() {
    below_.places.clear();
    below_.all.clear();
    below_.texts.clear();
    bool wants_answers = false;
    while (!held_.empty() && below_.all.size() < most_.max_messages) {
        held_send& h = *held_.front();
        const message_list& from = h.upper->messages;
        if (from.empty() && !below_.places.empty()) break;
        wants_answers = wants_answers || h.upper->answer;
        if (from.empty()) below_.places.push_back({&h, 0});
        for (; h.begun < from.count && below_.all.size() < most_.max_messages; ++h.begun, --messages_) {
            below_.places.push_back({&h, h.begun});
            below_.all.push_back(from.copy(h.begun));
        }
        if (h.begun < from.count) break;
        held_.pop_front();
        if (!from.empty()) continue;
        --flushes_;
        break;
    }
    below_.came.assign(below_.all.size(), outcome{});
    below_.messages = message_list{std::span<const message>{below_.all}};
    below_.outcomes = list<outcome>{std::span<outcome>{below_.came}};
    below_.answer = nullptr;
    if (wants_answers)
        below_.answer = [](send_call& c, std::uint32_t k, const message& response) {
            const auto& joint = static_cast<joint_send&>(c);
            if (k >= joint.places.size()) return;
            const place& at = joint.places[k];
            if (at.of->upper->answer) at.of->upper->answer(*at.of->upper, at.index, response);
        };
}

void buffer_publisher::went(status answer) {
    below_.is_pending = false;
    const bool has_failed = keeps_retry_order_ && std::ranges::any_of(below_.came, is_undone);
    collect(answer);
    std::vector<held_send*> ended;
    for (const place& at : std::exchange(below_.places, {}))
        if (at.of->ended >= at.of->upper->messages.count && (ended.empty() || ended.back() != at.of)) ended.push_back(at.of);
    std::vector<held_send*> behind;
    if (has_failed) {
        behind.assign(held_.begin(), held_.end());
        held_.clear();
        messages_ = flushes_ = 0;
    }
    for (held_send* h : ended) finish(*h, h->answer);
    for (held_send* h : behind) finish_unsent(*h);
}

// Outcomes and texts to where each caller looks for them.
void buffer_publisher::collect(status answer) {
    const auto whole = below_.texts.of(whole_call);
    for (std::uint32_t k = 0; k < below_.places.size(); ++k) {
        const place& at = below_.places[k];
        send_call& upper = *at.of->upper;
        if (answer != status::ok) at.of->answer = answer;
        if (k >= below_.came.size()) {  // an empty send
            if (!whole.empty()) upper.texts.set(whole_call, whole);
            continue;
        }
        upper.outcomes[at.index] = below_.came[k];
        ++at.of->ended;
        if (!whole.empty() && below_.came[k].sent() != send_result::done) upper.texts.set(at.index, whole);
    }
    below_.texts.each([this](std::uint32_t k, std::string_view text) {
        if (k < below_.came.size()) below_.places[k].of->upper->texts.set(below_.places[k].index, text);
    });
    if (answer == status::ok || whole.empty()) return;
    for (const place& at : below_.places) at.of->upper->texts.set(whole_call, whole);
}

void buffer_publisher::end_cancelled() {
    for (std::size_t i = 0; i < held_.size();) {
        held_send& h = *held_[i];
        if (!h.is_cancelled || h.begun != h.ended) {
            ++i;
            continue;
        }
        if (keeps_retry_order_ && !h.upper->messages.empty()) return give_back_from(i);
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
        forget(h);
        finish(h, status::cancelled);
    }
}

// It is a failure to what comes behind it.
void buffer_publisher::give_back_from(std::size_t first) {
    const std::vector<held_send*> back(held_.begin() + static_cast<std::ptrdiff_t>(first), held_.end());
    held_.resize(first);
    for (const held_send* h : back) forget(*h);
    for (held_send* h : back) finish_unsent(*h);
}

// It is none of those that wait.
void buffer_publisher::forget(const held_send& h) noexcept {
    messages_ -= h.upper->messages.count - h.begun;
    if (h.upper->messages.empty()) --flushes_;
}

// An empty send has to be asked for again: the inner side has not heard of it.
void buffer_publisher::finish_unsent(held_send& h) {
    const status unsent = h.upper->messages.empty() ? status::retry : h.answer;
    finish(h, h.is_cancelled ? status::cancelled : unsent);
}

void buffer_publisher::finish(held_send& h, status answer) {
    send_call& upper = *std::exchange(h.upper, nullptr);
    sends_.give_back(h);
    upper.done(upper, answer);
}

void buffer_publisher::end_pauses() {
    hurries_ = true;
    if (!held_.empty()) go_on_soon();
}

void buffer_publisher::cancel(call& c) {
    held_send* const found = sends_.find([&](const held_send& h) { return h.upper == &c; });
    if (!found) return inner_.cancel(c);  // a control
    found->is_cancelled = true;
    go_on_soon();
    if (below_.is_pending && std::ranges::all_of(below_.places, [](const place& at) { return at.of->is_cancelled; })) inner_.cancel(below_);
}

status buffer_publisher::close(call& c) {
    if (!wait_.pending && !turn_.is_posted) return status::ok;
    closing_ = &c;
    if (wait_.pending) clock_.cancel(wait_);
    return status::pending;
}

void buffer_publisher::end_close() {
    if (!closing_ || wait_.pending || turn_.is_posted) return;
    call& c = *std::exchange(closing_, nullptr);
    c.done(c, status::ok);
}

}  // namespace mqb::core
