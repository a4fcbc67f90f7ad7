// route_flights: how a route reads, sends and settles its batches.
#include "core/running_route.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
using namespace std::chrono_literals;
constexpr std::chrono::nanoseconds first_pause = 50ms;
constexpr std::chrono::nanoseconds longest_pause = 5s;

std::chrono::nanoseconds pause_of(std::uint32_t tries) {
    const auto doubled = first_pause * (std::uint64_t{1} << std::min<std::uint32_t>(tries, 7));
    return std::min<std::chrono::nanoseconds>(doubled, longest_pause);
}
}  // namespace

bool running_route::has_nothing_unsettled() const noexcept { return ready_.empty() && under_way_ == 0 && input_->book->is_empty(); }

bool running_route::may_read() const noexcept {
    if (receive_.pending || poll_.pending || stopping_ || input_ended_) return false;
    if (ready_.size() + under_way_ > window_) return false;  // one batch is read ahead of the window
    if (waits_for_empty_) return has_nothing_unsettled();
    const std::uint64_t held = input_->book->bytes();
    return held == 0 || held < definition_.max_in_flight_bytes;
}

bool running_route::read() {
    if (!may_read()) return false;
    const std::uint64_t held = input_->book->bytes();
    const std::uint64_t room = definition_.max_in_flight_bytes > held ? definition_.max_in_flight_bytes - held : 1;
    receive_.max_messages = definition_.batch_size;
    receive_.max_bytes = std::min(definition_.batch_bytes, room);
    receive_.drain = definition_.drain;
    receive_.texts.clear();
    asked_when_empty_ = has_nothing_unsettled();
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
        flight& f = take_flight();
        f.batch = receive_.batch;
        f.messages = receive_.messages;
        f.unsettled = receive_.messages.count;
        ready_.push_back(&f);
        update_bytes();
        return;
    }
    switch (answer) {
        case status::ok: poll_after(definition_.empty_batch_delay); return;
        case status::cancelled:
            if (stopping_) return;
            [[fallthrough]];
        case status::retry:
        case status::pending:
        case status::disconnected: break;
        case status::end:
            if (!definition_.drain || asked_when_empty_)
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
    poll_after(pause_of(quiet_errors_++));
}

void running_route::update_bytes() noexcept { bytes_in_flight_.add(input_->book->bytes() - bytes_in_flight_.get()); }

void running_route::poll_after(std::chrono::nanoseconds pause) {
    poll_.pending = true;
    clock_.wait_until(later(clock_.now_steady(), static_cast<std::uint64_t>(pause.count())), poll_);
}

flight& running_route::take_flight() {
    if (spare_flights_.empty()) {
        flights_.push_back(std::make_unique<flight>());
        flight& made = *flights_.back();
        made.route = this;
        made.send.self = made.settle.self = made.timer.self = &made;
        made.send.done = [](call& c, status answer) noexcept {
            flight& f = *static_cast<flight::send_part&>(c).self;
            f.route->sent(f, answer);
        };
        if (wants_replies_)
            made.send.answer = [](send_call& c, std::uint32_t i, const message& response) {
                static_cast<flight::send_part&>(c).self->responses.emplace_back(i, owned_message{response});
            };
        made.settle.done = [](call& c, status answer) noexcept {
            flight& f = *static_cast<flight::settle_part&>(c).self;
            f.route->settled(f, answer);
        };
        made.timer.deliver = [](mail& m) noexcept {
            flight& f = *static_cast<flight::pause&>(m).self;
            f.timer.pending = false;
            if (f.route->keeps_order_) return;  // the loop starts it, in its turn
            if (f.timer.was_cancelled || f.route->failing_)
                f.route->let_go(f);
            else
                f.route->start_send(f);
        };
        spare_flights_.push_back(&made);
    }
    flight& f = *spare_flights_.back();
    spare_flights_.pop_back();
    f.at = flight::stage::ready;
    f.sequence = next_sequence_++;
    f.tries = 0;
    f.given_up = false;
    f.index.clear();
    return f;
}

bool running_route::send_next() {
    bool moved = false;
    if (failing_ || is_late_) let_go_of_again();
    while (may_send() && !again_.empty()) {
        flight& f = *again_.front();
        again_.pop_front();
        moved = true;
        start_send(f);
    }
    while (!ready_.empty() && (failing_ || is_late_ || (may_send() && under_way_ < window_))) {
        flight& f = *ready_.front();
        ready_.pop_front();
        ++under_way_;
        moved = true;
        if (failing_ || is_late_)
            let_go(f);
        else
            start_send(f);
    }
    if (under_way_ && holds_ && window_ > 1 && (input_ended_ || waits_for_empty_ || stopping_)) flush();
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

// Whoever holds messages back ends that now: their sends are still in flight.
void running_route::flush() {
    if (flush_.pending || failing_ || is_late_) return;
    holds_ = false;
    flush_.messages = {};
    flush_.outcomes = {};
    flush_.texts.clear();
    flush_.pending = true;
    if (output_->top().send(flush_) != status::pending) flush_.pending = false;
}

void running_route::start_send(flight& f) {
    f.at = flight::stage::sending;
    f.responses.clear();
    ++sending_;
    holds_ = true;
    f.send.messages = f.index.empty() ? f.messages : message_list{std::span<const message>{f.again}};
    f.outcomes.assign(f.send.messages.count, outcome{});
    f.send.outcomes = list<outcome>{f.outcomes};
    f.send.texts.clear();
    const status answer = output_->top().send(f.send);
    if (answer != status::pending) sent(f, answer);
}

void running_route::sent(flight& f, status answer) {
    --sending_;
    const std::uint32_t n = f.send.messages.count;
    const bool whole = f.index.empty();
    if (whole && f.responses.empty() && std::ranges::all_of(f.outcomes, [](const outcome& o) { return o.sent() == send_result::done; })) {
        f.settle.entries = acks_.range(0, n);
        f.unsettled = 0;
        settle(f);
        return;
    }
    f.entries.clear();
    std::vector<std::uint32_t> left;
    std::uint64_t not_before = 0;
    const std::string& path = definition_.output.path;
    for (std::uint32_t k = 0; k < n; ++k) {
        const outcome& o = f.outcomes[k];
        settle_entry e;
        e.index = f.batch_index(k);
        if (o.sent() == send_result::done) {
            f.entries.push_back(e);
        } else if (o.sent() == send_result::give_back) {
            e.what = disposition::nack;
            e.delay_ns = o.number;
            f.entries.push_back(e);
        } else if (o.sent() == send_result::refused) {
            const auto text = f.send.texts.best(k);
            fail(path + ": refused a message" + (text.empty() ? std::string{} : ": " + std::string{text}));
            f.given_up = true;
        } else {
            left.push_back(e.index);
            not_before = std::max(not_before, o.sent() == send_result::again ? o.number : 0);
        }
    }
    for (const auto& [k, response] : f.responses) {
        const std::uint32_t wanted = f.batch_index(k);
        auto e = std::ranges::find(f.entries, wanted, &settle_entry::index);
        if (e == f.entries.end() || e->what == disposition::nack) continue;
        e->what = disposition::reply;
        e->reply = &response.get();
    }
    if (answer == status::bad_config || (!left.empty() && (answer == status::rejected || answer == status::unsupported))) {
        const auto text = f.send.texts.best(whole_call);
        fail(path + ": " + (text.empty() ? "cannot be written: " + std::string{to_text(answer)} : std::string{text}));
    }
    if (!left.empty() && f.tries == 0 && !failing_ && !is_late_) {
        const auto text = f.send.texts.best(whole ? left.front() : whole_call);
        log_.write(log_level::warning, definition_.name, path,
                   std::to_string(left.size()) + " of " + std::to_string(n) + " messages will be sent again" +
                       (text.empty() ? std::string{} : ": " + std::string{text}));
    }
    if (keeps_order_ && !left.empty()) gathers_ = true;
    f.again.clear();
    f.index = std::move(left);
    for (std::uint32_t i : f.index) f.again.push_back(f.messages.copy(i));
    f.send.delay_ns = not_before;
    f.unsettled -= static_cast<std::uint32_t>(f.entries.size());
    f.settle.entries = list<const settle_entry>{f.entries};
    if (f.entries.empty())
        after_settle(f);
    else
        settle(f);
}

void running_route::settle(flight& f) {
    f.at = flight::stage::settling;
    f.settle.batch = f.batch;
    f.settled.assign(f.settle.entries.count, outcome{});
    f.settle.outcomes = list<outcome>{f.settled};
    const status answer = input_->top().settle(f.settle);
    if (answer != status::pending) settled(f, answer);
}

void running_route::settled(flight& f, status answer) {
    f.responses.clear();
    // The ledger accepts everything at once; only a middleware above it can say otherwise, and then the message comes again.
    if (answer != status::ok) log_.write(log_level::warning, definition_.name, definition_.input.path, "a settlement was not accepted");
    after_settle(f);
}

void running_route::after_settle(flight& f) {
    if (f.unsettled == 0 || f.given_up || failing_ || is_late_ || f.index.empty())
        let_go(f);
    else
        send_again(f);
}

void running_route::send_again(flight& f) {
    f.at = flight::stage::pausing;
    f.timer.pending = true;
    const auto pause = std::max<std::uint64_t>(static_cast<std::uint64_t>(pause_of(f.tries++).count()), f.send.delay_ns);
    clock_.wait_until(later(clock_.now_steady(), pause), f.timer);
    if (keeps_order_) again_.insert(std::ranges::find_if(again_, [&](const flight* x) { return x->sequence > f.sequence; }), &f);
}

// Ends a flight. What it has not settled comes again from the source.
void running_route::let_go(flight& f) {
    f.at = flight::stage::done;
    input_->top().free_batch(f.batch);
    f.batch = nullptr;
    f.messages = {};
    f.responses.clear();
    --under_way_;
    spare_flights_.push_back(&f);
    update_bytes();
}

}  // namespace mqb::core
