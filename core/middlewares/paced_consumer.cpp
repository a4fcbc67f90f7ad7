#include "core/middlewares/paced_consumer.hpp"

#include <utility>

namespace mqb::core {

paced_consumer::paced_consumer(consumer& inner, waits when, std::shared_ptr<pace> speed, timers& clock, chain_links* links)
    : inner_(inner), when_(when), pace_(std::move(speed)), clock_(clock), links_(links) {
    below_.self = wait_.self = this;
    below_.done = [](call& c, status answer) noexcept {
        paced_consumer& self = *static_cast<inner_receive&>(c).self;
        answer = self.took(answer);
        if (answer != status::pending) self.finish(answer);
    };
    wait_.deliver = [](mail& m) noexcept {
        auto& over = static_cast<pause&>(m);
        over.pending = false;
        over.self->go_on();
    };
    if (links_) links_->add(*this);
}

paced_consumer::~paced_consumer() {
    if (links_) links_->remove(*this);
}

status paced_consumer::receive(receive_call& c) {
    below_.upper = &c;
    below_.is_cancelled = false;
    c.messages = {};
    c.batch = nullptr;
    if (when_ == waits::before && waits_for(1)) return status::pending;
    const status answer = read();
    if (answer != status::pending) below_.upper = nullptr;
    return answer;
}

bool paced_consumer::waits_for(std::uint32_t count) {
    const std::uint64_t now = clock_.now_steady();
    slot_ = pace_->reserve(now, count);
    if (hurries_ || below_.is_cancelled || slot_.due <= now) {
        pace_->used(slot_, now);
        return false;
    }
    wait_.pending = true;
    clock_.wait_until(slot_.due, wait_);
    return true;
}

status paced_consumer::read() {
    const receive_call& upper = *below_.upper;
    below_.max_messages = upper.max_messages;
    below_.max_bytes = upper.max_bytes;
    below_.drain = upper.drain;
    below_.messages = {};
    below_.batch = nullptr;
    below_.texts.clear();
    const status answer = inner_.receive(below_);
    return answer == status::pending ? answer : took(answer);
}

status paced_consumer::took(status answer) {
    receive_call& upper = *below_.upper;
    std::swap(upper.texts, below_.texts);
    upper.messages = below_.messages;
    upper.batch = below_.batch;
    const bool has_some = answer == status::ok && upper.batch && !upper.messages.empty();
    return has_some && when_ == waits::after && waits_for(upper.messages.count) ? status::pending : answer;
}

// The wait is over, or was cut short.
void paced_consumer::go_on() {
    const bool is_cut_short = clock_.now_steady() < slot_.due;
    if (when_ == waits::after || !below_.is_cancelled) {
        if (!is_cut_short) pace_->used(slot_, clock_.now_steady());
        const status answer = when_ == waits::after ? status::ok : read();
        if (answer != status::pending) finish(answer);
        return;
    }
    pace_->give_back(slot_);
    finish(status::cancelled);
}

void paced_consumer::finish(status answer) {
    receive_call& upper = *std::exchange(below_.upper, nullptr);
    upper.done(upper, answer);
}

void paced_consumer::lanes_ending(std::span<const std::uint64_t>, std::uint64_t) {
    if (wait_.pending && when_ == waits::after) clock_.cancel(wait_);
}

void paced_consumer::end_pauses() {
    hurries_ = true;
    if (wait_.pending) clock_.cancel(wait_);
}

void paced_consumer::cancel(call& c) {
    if (&c != below_.upper) return inner_.cancel(c);
    below_.is_cancelled = true;
    if (wait_.pending)
        clock_.cancel(wait_);
    else
        inner_.cancel(below_);
}

}  // namespace mqb::core
