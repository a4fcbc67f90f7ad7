// ledger_settle: gives the leaf what its settle unit allows, and books what it answers.
#include "core/ledger_ops.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
constexpr std::uint64_t first_pause_ns = 10'000'000;
constexpr std::uint64_t longest_pause_ns = 1'000'000'000;
}  // namespace

ledger::settle_op& ledger::take_op(ledger_batch& b) {
    settle_op& op = ops_.take([this](settle_op& made) {
        made.self = this;
        made.done = [](call& c, status answer) noexcept {
            auto& ended = static_cast<settle_op&>(c);
            ended.self->finish(ended, answer);
        };
    });
    op.from = &b;
    op.only_replies = op.then_ack = false;
    op.slices.clear();
    op.named.clear();
    op.texts.clear();
    return op;
}

void ledger::advance(ledger_batch& b) {
    to_advance_.push_back(&b);
    advance_queued();
}

// All of them are noted before the first one is advanced: that may release batches.
void ledger::advance_all() {
    for (auto& b : batches_) to_advance_.push_back(b.get());
    advance_queued();
}

// What is answered at once comes back in here through `finish` and only adds to the queue. A batch may be released while it waits
// in the queue; nothing of it is left to be given then, and it is not used again before the next receive.
void ledger::advance_queued() {
    if (advancing_) return;
    advancing_ = true;
    for (std::size_t i = 0; i < to_advance_.size(); ++i)
        while (settle_op* op = prepare(*to_advance_[i])) start(*op);
    to_advance_.clear();
    advancing_ = false;
}

ledger::settle_op* ledger::prepare(ledger_batch& b) {
    if (retry_timer_.pending) return nullptr;
    switch (promised_.unit) {
        case settle_unit::message: return prepare_messages(b);
        case settle_unit::prefix: return prepare_prefixes(b);
        case settle_unit::batch: return prepare_whole(b);
    }
    return nullptr;
}

// Names the indexes from..from+count, which are accepted and follow one another.
void ledger::name_range(settle_op& op, std::uint32_t from, std::uint32_t count) {
    ledger_batch& b = *op.from;
    std::fill_n(b.states.begin() + from, count, entry_state::given);
    if (!b.extras.empty()) {
        for (std::uint32_t i = from; i < from + count; ++i) op.named.push_back(b.entry(i));
        op.entries = list<const settle_entry>{op.named};
        return;
    }
    op.entries = acks_.range(from, count);
}

ledger::settle_op* ledger::prepare_messages(ledger_batch& b) {
    if (calls_ >= calls_at_a_time_) return nullptr;
    if (b.all_ready) {
        b.all_ready = false;
        if (b.not_final == b.messages.count) {
            settle_op& op = take_op(b);
            name_range(op, 0, b.messages.count);
            return &op;
        }
        for (std::uint32_t i = 0; i < b.messages.count; ++i) b.ready.push_back(i);  // some were returned with their lane meanwhile
    }
    if (b.ready.empty()) return nullptr;
    settle_op& op = take_op(b);
    for (std::uint32_t index : b.ready) {
        if (b.states[index] != entry_state::accepted) continue;
        b.states[index] = entry_state::given;
        op.named.push_back(b.entry(index));
    }
    b.ready.clear();
    op.entries = list<const settle_entry>{op.named};
    if (!op.named.empty()) return &op;
    ops_.give_back(op);
    return nullptr;
}

ledger::settle_op* ledger::prepare_prefixes(ledger_batch& b) {
    settle_op* op = nullptr;
    const bool one_group = b.order.empty();
    for (auto& g : b.groups) {
        if (g.lane->in_call || g.lane->groups.empty() || g.lane->groups.front() != &g) continue;
        std::uint32_t n = 0;
        while (g.given + n < g.count && b.states[b.index(g, g.given + n)] == entry_state::accepted) ++n;
        if (n == 0) continue;
        if (!op) op = &take_op(b);
        op->slices.push_back({&g, n});
        g.lane->in_call = true;
        if (one_group) {
            name_range(*op, g.first + g.given, n);
        } else {
            for (std::uint32_t k = g.given; k < g.given + n; ++k) {
                const std::uint32_t index = b.index(g, k);
                b.states[index] = entry_state::given;
                op->named.push_back(b.entry(index));
            }
        }
        g.given += n;
    }
    if (op && !one_group) op->entries = list<const settle_entry>{op->named};
    return op;
}

ledger::settle_op* ledger::prepare_whole(ledger_batch& b) {
    // `calls_` counts replies too, which may run beside; those of a batch source are rare enough to wait for.
    if (calls_ || b.not_accepted || b.not_final != b.messages.count) return nullptr;
    settle_op& op = take_op(b);
    name_range(op, 0, b.messages.count);
    return &op;
}

void ledger::start(settle_op& op) {
    op.batch = op.from->leaf;
    op.answers.assign(op.entries.count, outcome{});
    op.outcomes = list<outcome>{op.answers};
    ++op.from->calls;
    ++calls_;
    const status answer = leaf_->settle(op);
    if (answer != status::pending) finish(op, answer);
}

void ledger::finish(settle_op& op, status answer) {
    ledger_batch& b = *op.from;
    --calls_;
    --b.calls;
    if (answer == status::bad_config) {
        const auto text = op.texts.best(whole_call);
        on_bad_config(text.empty() ? std::string_view{"a settle found the configuration wrong"} : text);
    }
    if (answer == status::unsupported)  // the leaf acknowledges nothing: there is nothing to record
        for (auto& o : op.answers) o.set(settle_result::ok);
    bool again = false;
    if (!op.only_replies) {
        again = op.slices.empty() ? finish_entries(op) : finish_slices(op);
    } else if (op.answers[0].settled() == settle_result::retry && !giving_up_) {
        ++b.calls;
        replies_again_.push_back(&op);
        return retry_later();
    } else if (op.then_ack && b.states[op.named[0].index] == entry_state::replying) {
        const std::uint32_t index = op.named[0].index;
        if (giving_up_) {
            make_final(b, index, fate::returned);
        } else {
            settle_entry ack;
            ack.index = index;
            decide(b, ack, fate::replied);
            to_advance_.push_back(&b);
        }
    }
    if (again) {
        if (retry_delay_ns_ == 0) tell_of_refusal(op);
        retry_later();
    } else {
        retry_delay_ns_ = 0;
    }
    // Noted before the first one is advanced: that may erase lanes.
    for (const auto& s : op.slices)
        if (!s.group->lane->groups.empty()) to_advance_.push_back(s.group->lane->groups.front()->batch);
    op.reply = owned_message{};
    op.only_replies = false;
    ops_.give_back(op);
    const bool others_waited = promised_.unit == settle_unit::batch || calls_ + 1 == calls_at_a_time_;
    to_advance_.push_back(&b);
    if (promised_.unit == settle_unit::prefix || !others_waited)
        advance_queued();
    else
        advance_all();
    release_if_done(b);
    if (!endings_.empty()) check_endings();
    wake_parked_receive();
}

// Units message and batch. True: something is to be given again.
bool ledger::finish_entries(settle_op& op) {
    ledger_batch& b = *op.from;
    const auto count = op.entries.count;
    const bool plain = op.named.empty();
    if (plain && std::ranges::all_of(op.answers, [](const outcome& o) { return o.settled() == settle_result::ok; })) {
        make_range_final(b, op.entries[0].index, count);
        return false;
    }
    bool again = false;
    if (promised_.unit == settle_unit::batch &&
        !std::ranges::all_of(op.answers, [&](const outcome& o) { return o.result == op.answers[0].result; })) {
        on_misbehaviour("a source that settles whole batches has settled a part of one");
        for (outcome& o : op.answers) o.set(settle_result::gone);
    }
    for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint32_t index = op.entries[k].index;
        const settle_result r = op.answers[k].settled();
        if (r == settle_result::ok) {
            make_final(b, index, b.fates[index]);
        } else if (r == settle_result::gone || giving_up_) {
            make_final(b, index, fate::returned);
        } else {
            b.states[index] = entry_state::accepted;
            if (promised_.unit == settle_unit::message) b.ready.push_back(index);
            again = true;
        }
    }
    return again;
}

// Unit prefix. Nothing of a lane is recorded past the first entry that is not ok.
bool ledger::finish_slices(settle_op& op) {
    ledger_batch& b = *op.from;
    bool again = false;
    std::uint32_t at = 0;
    for (const auto& s : op.slices) {
        lane_group& g = *s.group;
        ledger_lane& l = *g.lane;
        l.in_call = false;
        std::uint32_t good = 0;
        while (good < s.count && op.answers[at + good].settled() == settle_result::ok) ++good;
        const std::uint32_t from = g.given - s.count;
        if (good && b.order.empty()) {
            make_range_final(b, g.first + from, good);
        } else {
            for (std::uint32_t k = 0; k < good; ++k) {
                const std::uint32_t index = b.index(g, from + k);
                make_final(b, index, b.fates[index]);
            }
        }
        if (good < s.count) {
            for (std::uint32_t k = good; k < s.count; ++k) b.states[b.index(g, from + k)] = entry_state::accepted;
            g.given = from + good;
            const bool is_gone = op.answers[at + good].settled() == settle_result::gone;
            if (is_gone || l.now == lane_state::ended || giving_up_)
                give_up(l, l.now == lane_state::ended ? lane_state::ended : lane_state::dead);
            else
                again = true;
        }
        at += s.count;
        while (!l.groups.empty() && l.groups.front()->not_final == 0) l.groups.pop_front();
    }
    return again;
}

// Once for each row of refusals: a source that never takes a settle would else be silent until its bound of unsettled messages.
void ledger::tell_of_refusal(const settle_op& op) {
    const std::string_view why = op.texts.best(whole_call);
    if (!why.empty()) on_warning("a settle was refused and is given again: " + std::string{why});
}

void ledger::retry_later() {
    if (retry_timer_.pending) return;
    retry_delay_ns_ = retry_delay_ns_ ? std::min(2 * retry_delay_ns_, longest_pause_ns) : first_pause_ns;
    retry_timer_.pending = true;
    clock_.wait_until(later(clock_.now_steady(), retry_delay_ns_), retry_timer_);
}

// What was not recorded because the connection was lost does not wait longer with each loss.
void ledger::on_state(bool connected, std::string_view cause) {
    if (connected) {
        retry_delay_ns_ = 0;
        if (retry_timer_.pending) clock_.cancel(retry_timer_);
    }
    event_relay::on_state(connected, cause);
}

void ledger::give_up() {
    giving_up_ = true;
    for (settle_op* op : std::exchange(replies_again_, {})) {
        --op->from->calls;
        op->reply = owned_message{};
        op->only_replies = false;
        ops_.give_back(*op);
    }
    for (auto& b : batches_)
        for (std::uint32_t i = 0; i < b->messages.count; ++i)
            if (b->states[i] == entry_state::accepted || b->states[i] == entry_state::replying) make_final(*b, i, fate::returned);
    for (auto& [id, l] : lanes_) {
        if (promised_.unit == settle_unit::prefix && l->takes_settles())
            l->now = lane_state::dead;  // nothing later may pass what was returned
        forget_final(*l);
    }
    if (retry_timer_.pending) clock_.cancel(retry_timer_);
    release_all_done();
}

}  // namespace mqb::core
