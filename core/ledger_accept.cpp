// ledger_accept: takes the settlements of the chain above, in any order, and decides what each leads to.
#include "core/ledger_ops.hpp"

#include <algorithm>

namespace mqb::core {

presentation* ledger::known(void* batch) noexcept {
    // Of many that wait for something it is mostly one of the last.
    for (auto b = batches_.rbegin(); b != batches_.rend(); ++b)
        if (&(*b)->first == batch) return &(*b)->first;
    for (auto& p : again_)
        if (p.get() == batch) return p.get();
    return nullptr;
}

status ledger::settle(settle_call& c) {
    presentation* p = known(c.batch);
    if (!p || p->freed) {
        ignored_ += c.entries.count;
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(settle_result::gone);
        return status::ok;
    }
    if (p->whole && accept_whole(*p->whole, c.entries)) {
        dead_in_a_row_ = 0;
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(settle_result::ok);
        to_advance_.push_back(p->whole);
    } else {
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(accept(*p, c.entries[i]));
        if (dying_) bury_collected();
    }
    advance_queued();
    if (!p->whole) release_all_done();
    if (!endings_.empty()) check_endings();
    wake_parked_receive();
    return status::ok;
}

// The common case, in a few passes over small arrays: a batch is acknowledged as a whole and in order.
bool ledger::accept_whole(ledger_batch& b, const list<const settle_entry>& entries) {
    const std::uint32_t n = b.messages.count;
    if (entries.count != n || !b.untouched || b.not_accepted != n || !endings_.empty()) return false;
    for (const auto& g : b.groups)
        if (!g.lane->takes_settles()) return false;
    for (std::uint32_t i = 0; i < n; ++i)
        if (entries[i].index != i || entries[i].what != disposition::ack || entries[i].reason.size) return false;
    std::fill(b.states.begin(), b.states.end(), entry_state::accepted);
    std::fill(b.fates.begin(), b.fates.end(), fate::delivered);
    b.untouched = false;
    b.not_accepted = 0;
    b.all_ready = true;
    unrecorded_ += n;
    return true;
}

settle_result ledger::accept(presentation& p, const settle_entry& entry) {
    settle_entry e = entry;
    ledger_batch* b = p.whole;
    entry_state expected = entry_state::open;
    if (!b) {
        if (entry.index >= p.places.size()) return ++ignored_, settle_result::gone;
        entry_place& at = p.places[entry.index];
        if (!at.batch) return ++ignored_, settle_result::ok;
        b = at.batch;
        e.index = at.index;
        expected = entry_state::open_again;
        // From here on this presentation has no say in it, unless it only replied.
        if (entry.what != disposition::reply_more) {
            --b->presented;
            at.batch = nullptr;
        }
    } else if (entry.index >= b->messages.count) {
        return ++ignored_, settle_result::gone;
    }
    const entry_state now = b->states[e.index];
    if (now != expected) {
        if (now == entry_state::final && b->fates[e.index] == fate::returned) return settle_result::gone;
        return ++ignored_, settle_result::ok;
    }
    b->untouched = false;
    const settle_result answer = accept(*b, e);
    if (!p.whole && entry.what != disposition::reply_more && b->states[e.index] == entry_state::open_again) {
        p.places[entry.index].batch = b;  // nothing was decided: it goes back when the presentation is freed
        ++b->presented;
    }
    if (to_advance_.empty() || to_advance_.back() != b) to_advance_.push_back(b);
    return answer;
}

settle_result ledger::accept(ledger_batch& b, const settle_entry& entry) {
    const bool by_prefix = promised_.unit == settle_unit::prefix;
    if (entry.what < disposition::ack || entry.what > disposition::released) {
        on_misbehaviour("a message was settled with an unknown disposition");
        return settle_result::ok;
    }
    if (entry.what == disposition::reply_more && (promised_.dispositions & bit(entry.what))) {
        reply_at_once(b, entry, false);
        return settle_result::ok;
    }
    if (by_prefix && !b.group(entry.index).lane->takes_settles()) {
        make_final(b, entry.index, fate::returned);
        forget_final(*b.group(entry.index).lane);
        return settle_result::gone;
    }
    switch (entry.what) {
        case disposition::nack: nacked(b, entry); return settle_result::ok;
        case disposition::reject:
            if (policy_.listener) {
                take_note(b, entry);
                die(b, entry.index, b.redelivery_of(entry.index).note.why);
                return settle_result::ok;
            }
            break;
        default: break;
    }
    if (!(promised_.dispositions & bit(entry.what)) && entry.what != disposition::ack) {
        on_misbehaviour("a message was given back or answered, which its source does not offer");
        return settle_result::ok;
    }
    if (entry.what == disposition::reply && by_prefix) {
        reply_at_once(b, entry, true);  // never held back by the messages before it
        return settle_result::ok;
    }
    decide(b, entry, fate_of(entry));
    return settle_result::ok;
}

void ledger::decide(ledger_batch& b, const settle_entry& entry, fate why) {
    const entry_state before = b.states[entry.index];
    if (is_undecided(before)) {
        --b.not_accepted;
        ++unrecorded_;
    }
    b.states[entry.index] = entry_state::accepted;
    b.keep(entry.index, entry, why);
    if (why == fate::delivered || why == fate::replied) dead_in_a_row_ = 0;
    if (promised_.unit == settle_unit::message) b.ready.push_back(entry.index);
}

void ledger::reply_at_once(ledger_batch& b, const settle_entry& entry, bool then_ack) {
    settle_op& op = take_op(b);
    op.only_replies = true;
    op.then_ack = then_ack;
    if (then_ack) {
        b.states[entry.index] = entry_state::replying;
        --b.not_accepted;
        ++unrecorded_;
    }
    if (entry.reply) op.reply = owned_message{*entry.reply};
    settle_entry more = entry;
    more.what = disposition::reply_more;
    more.reply = entry.reply ? &op.reply.get() : nullptr;
    more.reason = {};
    op.named.assign(1, more);
    op.entries = list<const settle_entry>{op.named};
    start(op);
}

bool ledger::is_ending(std::uint64_t lane_id) const noexcept {
    return std::ranges::any_of(endings_, [&](const ending& e) { return std::ranges::find(e.lanes, lane_id) != e.lanes.end(); });
}

}  // namespace mqb::core
