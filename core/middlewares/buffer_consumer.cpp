#include "core/middlewares/buffer_consumer.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

buffer_consumer::buffer_consumer(consumer& inner, limits most, timers& clock, chain_links* links)
    : inner_(inner), most_(most), clock_(clock), links_(links) {
    below_.self = wait_.self = this;
    below_.done = [](call& c, status answer) noexcept {
        auto& below = static_cast<inner_receive&>(c);
        below.is_pending = false;
        below.self->came(below.self->took(answer));
    };
    wait_.deliver = [](mail& m) noexcept {
        auto& over = static_cast<pause&>(m);
        over.pending = false;
        buffer_consumer& self = *over.self;
        self.look_at_the_time();
        if (call* const closing = std::exchange(self.closing_, nullptr)) closing->done(*closing, status::ok);
    };
    if (links_) links_->add(*this);
}

buffer_consumer::~buffer_consumer() {
    if (links_) links_->remove(*this);
}

status buffer_consumer::receive(receive_call& c) {
    below_.upper = &c;
    below_.is_cut_short = hurries_;
    c.messages = {};
    c.batch = nullptr;
    const status answer = read();
    if (answer != status::pending) below_.upper = nullptr;
    return answer;
}

bool buffer_consumer::has_room() const noexcept {
    if (!gathered_) return true;
    const receive_call& upper = *below_.upper;
    return gathered_->count() < std::min(upper.max_messages, most_.max_messages) &&
           (upper.max_bytes == 0 || gathered_->bytes() < upper.max_bytes);
}

status buffer_consumer::read() {
    for (;;) {
        const receive_call& upper = *below_.upper;
        const std::uint32_t count = gathered_ ? gathered_->count() : 0;
        below_.max_messages = std::min(upper.max_messages, most_.max_messages) - count;
        below_.max_bytes = upper.max_bytes == 0 ? 0 : upper.max_bytes - (gathered_ ? gathered_->bytes() : 0);
        below_.drain = upper.drain;
        below_.messages = {};
        below_.batch = nullptr;
        below_.texts.clear();
        below_.is_pending = true;
        status answer = inner_.receive(below_);
        if (answer == status::pending) return answer;
        below_.is_pending = false;
        answer = took(answer);
        if (answer != status::pending) return answer;
    }
}

status buffer_consumer::took(status answer) {
    receive_call& upper = *below_.upper;
    const bool has_some = answer == status::ok && below_.batch;
    if (has_some) {
        if (!gathered_) {
            gathered_ = std::make_unique<merged_batch>();
            due_ = later(clock_.now_steady(), most_.max_delay_ns);
        }
        gathered_->add(below_.messages, below_.batch);
        if (!has_room() || below_.is_cut_short) return give();
        watch();
        return status::pending;
    }
    if (gathered_) return give();  // what the inner side has said it will say again
    std::swap(upper.texts, below_.texts);
    return answer;
}

void buffer_consumer::watch() {
    if (wait_.pending) return;
    wait_.pending = true;
    clock_.wait_until(due_, wait_);
}

// The timer may be that of a receive before.
void buffer_consumer::look_at_the_time() {
    if (!below_.upper || !gathered_) return;
    if (clock_.now_steady() < due_)
        watch();
    else
        cut_short();
}

status buffer_consumer::give() {
    receive_call& upper = *below_.upper;
    upper.messages = gathered_->messages();
    upper.batch = gathered_.get();
    given_.push_back(std::move(gathered_));
    if (wait_.pending) clock_.cancel(wait_);
    return status::ok;
}

// An answer of the inner side that came later.
void buffer_consumer::came(status answer) {
    if (answer == status::pending) answer = read();
    if (answer != status::pending) finish(answer);
}

void buffer_consumer::finish(status answer) {
    receive_call& upper = *std::exchange(below_.upper, nullptr);
    upper.done(upper, answer);
}

// The inner side ends its receive, with or without messages, and then what is there is given.
void buffer_consumer::cut_short() {
    if (std::exchange(below_.is_cut_short, true) || !below_.is_pending) return;
    inner_.cancel(below_);
}

void buffer_consumer::lanes_ending(std::span<const std::uint64_t>, std::uint64_t) {
    if (below_.upper && gathered_) cut_short();
}

void buffer_consumer::end_pauses() {
    hurries_ = true;
    if (below_.upper && gathered_) cut_short();
}

void buffer_consumer::cancel(call& c) {
    if (&c == below_.upper) return cut_short();
    merged_settle* const found = settles_.find([&](const merged_settle& s) { return s.upper() == &c; });
    if (found) return found->cancel(inner_);
    inner_.cancel(c);  // a control
}

status buffer_consumer::settle(settle_call& c) {
    const auto at = std::ranges::find_if(given_, [&](const auto& b) { return b.get() == c.batch; });
    if (at == given_.end()) return status::rejected;
    merged_settle& s = settles_.take([](merged_settle&) {});
    const auto ended = [](void* owner, merged_settle& one) {
        auto& self = *static_cast<buffer_consumer*>(owner);
        settle_call& upper = *one.upper();
        const status answer = one.answer();
        one.forget();
        self.settles_.give_back(one);
        upper.done(upper, answer);
    };
    const status answer = s.start(c, **at, inner_, ended, this);
    if (answer == status::pending) return answer;
    s.forget();
    settles_.give_back(s);
    return answer;
}

void buffer_consumer::free_batch(void* batch) {
    const auto at = std::ranges::find_if(given_, [&](const auto& b) { return b.get() == batch; });
    if (at == given_.end()) return;
    const std::unique_ptr<merged_batch> gone = std::move(*at);
    given_.erase(at);
    for (const auto& part : gone->parts()) inner_.free_batch(part.batch);
}

status buffer_consumer::close(call& c) {
    if (!wait_.pending) return status::ok;
    closing_ = &c;
    clock_.cancel(wait_);
    return status::pending;
}

}  // namespace mqb::core
