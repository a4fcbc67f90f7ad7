// route_reading: how a route gets its batches.
#include "core/running_route.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
constexpr std::chrono::nanoseconds first_pause = std::chrono::milliseconds{50};
constexpr std::chrono::nanoseconds longest_pause = std::chrono::seconds{5};
}  // namespace

bool running_route::has_nothing_unsettled() const noexcept {
    return ready_.empty() && queued_ == 0 && under_way_ == 0 && input_->book->is_empty();
}

bool running_route::may_read() const noexcept {
    if (receive_.pending || poll_.pending || stopping_ || paused_) return false;
    // One batch is read ahead of what can be sent at once.
    const std::size_t at_once = window_ * slots_.size();
    if (ready_.size() + queued_ + under_way_ > (definition_.order_by ? 2 * at_once : at_once)) return false;
    const bool has_due = input_->book->has_due();
    if (input_ended_) return has_due;
    if (waits_for_empty_) return has_due || has_nothing_unsettled();
    return has_due || input_->book->has_room_for_bytes();
}

bool running_route::read() {
    if (!may_read()) return false;
    receive_.max_messages = definition_.batch_size;
    receive_.max_bytes = input_->book->room_for(definition_.batch_bytes);
    receive_.drain = drains();
    receive_.texts.clear();
    asked_when_empty_ = has_nothing_unsettled();
    received_when_asked_ = counters_.received.get();
    receive_.pending = true;
    const status answer = input_->top().receive(receive_);
    if (answer == status::pending) return false;
    receive_.pending = false;
    received(answer);
    return true;
}

void running_route::received(status answer) {
    if (answer == status::ok && receive_.batch) {
        quiet_errors_ = 0;
        waits_for_empty_ = false;
        take_off();
        update_bytes();
        return;
    }
    switch (answer) {
        case status::ok: poll_after(definition_.empty_batch_delay); return;
        case status::cancelled:
            if (stopping_ || paused_ || empties_) return;
            [[fallthrough]];
        case status::retry:
        case status::pending:
        case status::disconnected: break;
        case status::end:
            // What a middleware has taken out in between may come back, too.
            if (!drains() || (asked_when_empty_ && received_when_asked_ == counters_.received.get()))
                input_ended_ = true;
            else
                waits_for_empty_ = true;
            return;
        case status::bad_config:
        case status::rejected:
        case status::unsupported: {
            const auto text = receive_.texts.best(whole_call);
            fail(definition_.input.path + ": " + (text.empty() ? "cannot be read: " + std::string{to_text(answer)} : std::string{text}));
            return;
        }
    }
    const auto text = receive_.texts.best(whole_call);
    if (quiet_errors_ == 0) log_.write(log_level::warning, definition_.name, definition_.input.path, text.empty() ? to_text(answer) : text);
    const auto doubled = first_pause * (std::uint64_t{1} << std::min<std::uint32_t>(quiet_errors_++, 7));
    poll_after(std::min<std::chrono::nanoseconds>(doubled, longest_pause));
}

void running_route::take_off() {
    if (definition_.order_by && slots_.size() > 1) return divide();
    flight& f = take_flight();
    f.batch = receive_.batch;
    f.messages = receive_.messages;
    f.unsettled = receive_.messages.count;
    ready_.push_back(&f);
}

// Each message goes to the slot of its key, so that those of one key stay in order.
void running_route::divide() {
    auto share = std::make_shared<shared_batch>();
    share->batch = receive_.batch;
    const std::uint64_t sequence = next_sequence_++;
    std::vector<flight*> parts(slots_.size(), nullptr);
    for (std::uint32_t i = 0; i < receive_.messages.count; ++i) {
        const std::size_t n = definition_.order_by(receive_.messages[i]) % slots_.size();
        if (!parts[n]) {
            parts[n] = &take_flight();
            parts[n]->sequence = sequence;
            parts[n]->batch = receive_.batch;
            parts[n]->share = share;
            parts[n]->messages = receive_.messages;
            parts[n]->unsettled = 0;
            ++share->flights;
            slots_[n].queue.push_back(parts[n]);
            ++queued_;
        }
        flight& f = *parts[n];
        f.index.push_back(i);
        f.again.push_back(receive_.messages.copy(i));
        ++f.unsettled;
    }
}

void running_route::update_bytes() noexcept { bytes_in_flight_.add(input_->book->bytes() - bytes_in_flight_.get()); }

void running_route::poll_after(std::chrono::nanoseconds pause) {
    poll_.pending = true;
    clock_.wait_until(later(clock_.now_steady(), static_cast<std::uint64_t>(pause.count())), poll_);
}

flight& running_route::take_flight() {
    flight& f = flights_.take([this](flight& made) {
        made.route = this;
        made.send.self = made.settle.self = made.timer.self = &made;
        made.send.done = [](call& c, status answer) noexcept {
            flight& its = *static_cast<flight::send_part&>(c).self;
            its.route->sent(its, answer);
        };
        if (wants_replies_)
            made.send.answer = [](send_call& c, std::uint32_t i, const message& response) {
                static_cast<flight::send_part&>(c).self->responses.emplace_back(i, owned_message{response});
            };
        made.settle.done = [](call& c, status answer) noexcept {
            flight& its = *static_cast<flight::settle_part&>(c).self;
            its.route->settled(its, answer);
        };
        made.timer.deliver = [](mail& m) noexcept {
            flight& its = *static_cast<flight::pause&>(m).self;
            its.timer.pending = false;
            if (its.route->keeps_order_) return;  // the loop starts it, in its turn
            if (its.timer.was_cancelled || its.route->failing_ || its.route->hurries_)
                its.route->let_go(its);
            else
                its.route->start_send(its);
        };
    });
    f.at = flight::stage::ready;
    f.sequence = next_sequence_++;
    f.slot = nullptr;
    f.tries = 0;
    f.first_failed_at = 0;
    f.index.clear();
    f.again.clear();
    f.tried.clear();
    return f;
}

}  // namespace mqb::core
