// route_settling: how a route tells its input what became of a batch.
#include "core/running_route.hpp"

#include <algorithm>

namespace mqb::core {

namespace {
constexpr std::chrono::nanoseconds first_pause = std::chrono::milliseconds{50};
constexpr std::chrono::nanoseconds longest_pause = std::chrono::seconds{5};

std::chrono::nanoseconds pause_of(std::uint32_t tries) {
    const auto doubled = first_pause * (std::uint64_t{1} << std::min<std::uint32_t>(tries, 7));
    return std::min<std::chrono::nanoseconds>(doubled, longest_pause);
}
}  // namespace

void running_route::add_responses(flight& f) {
    for (const auto& [k, response] : f.responses) {
        const std::uint32_t wanted = f.batch_index(k);
        auto e = std::ranges::find(f.entries, wanted, &settle_entry::index);
        if (e == f.entries.end() || (e->what != disposition::ack && e->what != disposition::reply)) continue;
        e->what = disposition::reply;
        e->reply = &response.get();
        e->reason = {};
    }
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
    const auto is_accepted = [](const outcome& o) { return o.settled() == settle_result::ok; };
    if (answer != status::ok || (!input_->middlewares.empty() && !std::ranges::all_of(f.settled, is_accepted)))
        log_.write(log_level::warning, definition_.name, definition_.input.path, "a settlement was not accepted");
    after_settle(f);
}

void running_route::after_settle(flight& f) {
    if (f.unsettled == 0 || failing_ || is_late_ || (hurries_ && !f.goes_on)) return let_go(f);
    if (!f.goes_on) return send_again(f);
    f.at = flight::stage::pausing;
    go_on_.push_back(&f);
}

void running_route::send_again(flight& f) {
    f.at = flight::stage::pausing;
    f.timer.pending = true;
    // What only came back because of something before it has no pause of its own: it waits for that anyway.
    const bool follows = keeps_order_ && flights_.any([&](const flight& x) {
        return &x != &f && x.sequence < f.sequence && (x.at == flight::stage::sending || x.at == flight::stage::pausing);
    });
    const bool was_tried = std::ranges::any_of(f.outcomes, [](const outcome& o) { return o.sent() != send_result::unsent; });
    std::uint64_t pause = f.send.delay_ns;
    if (was_tried || !follows) pause = std::max(pause, static_cast<std::uint64_t>(pause_of(f.tries++).count()));
    clock_.wait_until(later(clock_.now_steady(), pause), f.timer);
    if (keeps_order_) again_.insert(std::ranges::find_if(again_, [&](const flight* x) { return x->sequence > f.sequence; }), &f);
}

// Ends a flight. What it has not settled comes again from the source.
void running_route::let_go(flight& f) {
    f.at = flight::stage::done;
    if (f.slot) {
        --f.slot->busy;
        if (gate_) gate_->end(f.slot->number);
    }
    if (!f.share || --f.share->flights == 0) input_->top().free_batch(f.batch);
    f.share.reset();
    f.slot = nullptr;
    f.batch = nullptr;
    f.messages = {};
    f.responses.clear();
    --under_way_;
    flights_.give_back(f);
    update_bytes();
}

}  // namespace mqb::core
