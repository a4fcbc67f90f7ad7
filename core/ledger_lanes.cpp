// ledger_lanes: how entries become final, and what happens to lanes that end or die.
#include "core/ledger_ops.hpp"

#include <algorithm>

namespace mqb::core {

void ledger::make_final(ledger_batch& b, std::uint32_t index, fate why) {
    entry_state& s = b.states[index];
    if (s == entry_state::waiting) forget_waiting(b, index);
    if (is_undecided(s))
        --b.not_accepted;
    else
        --unrecorded_;
    s = entry_state::final;
    b.fates[index] = why;
    --b.not_final;
    if (why == fate::returned) {
        b.gives_back = true;
        ++b.returned;
        ++returned_held_;
    }
    if (!b.groups.empty()) --b.group(index).not_final;
    counter_of(counters_, why).add(1);
    counters_.in_flight.subtract(1);
}

// Given entries that follow one another, each with the fate it was accepted with.
void ledger::make_range_final(ledger_batch& b, std::uint32_t from, std::uint32_t count) {
    std::uint32_t i = from;
    while (i < from + count) {
        const fate why = b.fates[i];
        std::uint32_t run = i;
        while (run < from + count && b.fates[run] == why) ++run;
        counter_of(counters_, why).add(run - i);
        i = run;
    }
    std::fill_n(b.states.begin() + from, count, entry_state::final);
    b.not_final -= count;
    if (!b.groups.empty()) b.group(from).not_final -= count;
    unrecorded_ -= count;
    counters_.in_flight.subtract(count);
}

// The lane is no longer ours: whatever is not in a call is returned.
void ledger::give_up(ledger_lane& l, lane_state why) {
    l.now = why;
    for (lane_group* g : l.groups)
        for (std::uint32_t k = 0; k < g->count; ++k) {
            const std::uint32_t index = g->batch->index(*g, k);
            if (is_loose(g->batch->states[index])) make_final(*g->batch, index, fate::returned);
        }
    forget_final(l);
}

void ledger::forget_final(ledger_lane& l) {
    std::erase_if(l.groups, [](const lane_group* g) { return g->not_final == 0; });
}

// A group whose batch is released. A lane that is over goes with its last group; so does any when there are very many: a source
// names new ones after each connect and does not say that the old ones ended.
void ledger::leave(lane_group& g) {
    constexpr std::size_t many = 4096;
    if (--g.lane->users == 0 && (!g.lane->takes_settles() || lanes_.size() > many)) erase_lane(g.lane->id);
}

// Nothing of the lane comes any more, and nothing of it is open.
void ledger::close_lane(std::uint64_t id) {
    auto at = lanes_.find(id);
    if (at == lanes_.end()) return;
    at->second->now = lane_state::ended;
    if (at->second->users == 0) erase_lane(id);
}

void ledger::erase_lane(std::uint64_t id) {
    if (last_lane_ && last_lane_->id == id) last_lane_ = nullptr;
    lanes_.erase(id);
}

// An unsettled message of the lane is given back: what was accepted before it is still given, everything after it is returned.
void ledger::kill(ledger_lane& l) {
    if (l.takes_settles()) l.now = lane_state::dead;
    bool alive = true;
    for (lane_group* g : l.groups)
        for (std::uint32_t k = 0; k < g->count; ++k) {
            const std::uint32_t index = g->batch->index(*g, k);
            const entry_state s = g->batch->states[index];
            if (is_undecided(s)) alive = false;
            if (is_loose(s) && !alive) make_final(*g->batch, index, fate::returned);
        }
    forget_final(l);
}

// Frees at the leaf what is final and not used above. A batch that gives something back waits for the batches before it, whose
// settles it would turn into "gone".
void ledger::release_if_done(ledger_batch& b) {
    auto is_done = [](const ledger_batch& x) { return x.first.freed && x.not_final == 0 && x.calls == 0 && x.presented == 0; };
    if (!is_done(b)) return;
    auto take = [this](std::size_t i) {
        ledger_batch& done = *batches_[i];
        leaf_->free_batch(done.leaf);
        bytes_ -= done.bytes;
        returned_held_ -= done.returned;
        for (auto& g : done.groups) leave(g);
        done.groups.clear();
        spare_batches_.push_back(std::move(batches_[i]));
        batches_.erase(batches_.begin() + static_cast<std::ptrdiff_t>(i));
    };
    if (!b.gives_back && !batches_.empty() && batches_.front().get() != &b) {
        auto at = std::ranges::find_if(batches_, [&](const auto& x) { return x.get() == &b; });
        if (at != batches_.end()) take(static_cast<std::size_t>(at - batches_.begin()));
    }
    while (!batches_.empty() && is_done(*batches_.front())) take(0);
    wake_parked_receive();
}

bool ledger::has_open(std::uint64_t lane_id) const noexcept {
    for (const auto& b : batches_)
        for (std::uint32_t i = 0; i < b->messages.count; ++i)
            if (b->states[i] != entry_state::final && b->messages[i].lane == lane_id) return true;
    // A reply that settles nothing may outlast the entry that it belongs to.
    return ops_.any([&](const settle_op& op) { return op.only_replies && op.from->messages[op.named[0].index].lane == lane_id; });
}

// Tells the leaf, once for each token, when nothing of its ending lanes is open any more.
void ledger::check_endings() {
    for (std::size_t i = 0; i < endings_.size();) {
        if (std::ranges::any_of(endings_[i].lanes, [this](std::uint64_t id) { return has_open(id); })) {
            ++i;
            continue;
        }
        const ending done = std::move(endings_[i]);
        endings_.erase(endings_.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::uint64_t id : done.lanes) close_lane(id);
        leaf_->lanes_done(done.token);
    }
}

void ledger::on_lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns, std::uint64_t token) {
    endings_.push_back({token, {lanes.begin(), lanes.end()}});
    for (std::uint64_t id : lanes)
        if (auto at = lanes_.find(id); at != lanes_.end() && at->second->now == lane_state::open) at->second->now = lane_state::ending;
    // What waits is not presented again.
    std::vector<entry_place> waits;
    for (const auto& [due, at] : waiting_)
        if (std::ranges::find(lanes, at.batch->messages[at.index].lane) != lanes.end()) waits.push_back(at);
    for (const entry_place& at : waits) return_one(*at.batch, at.index);
    if (!waits.empty()) {
        advance_all();
        release_all_done();
    }
    event_relay::on_lanes_ending(lanes, deadline_ns, token);
    check_endings();
}

// One undecided message, which is in nobody's hands, is given back; with it what cannot be settled without it.
void ledger::return_one(ledger_batch& b, std::uint32_t index) {
    if (b.states[index] == entry_state::final) return;
    if (promised_.unit == settle_unit::prefix)
        kill(*b.group(index).lane);
    else if (promised_.unit == settle_unit::batch)
        return_all(b);
    else
        make_final(b, index, fate::returned);
}

// Everything of a batch that is not in a call.
void ledger::return_all(ledger_batch& b) {
    for (std::uint32_t i = 0; i < b.messages.count; ++i)
        if (is_loose(b.states[i])) make_final(b, i, fate::returned);
}

// Units message and batch: what the chain above had and gave back. A batch that is settled as a whole is returned as a whole.
void ledger::return_open(ledger_batch& b, entry_state had) {
    if (promised_.unit == settle_unit::batch) {
        if (std::ranges::find(b.states, had) != b.states.end()) return_all(b);
        return;
    }
    for (std::uint32_t i = 0; i < b.messages.count; ++i)
        if (b.states[i] == had) make_final(b, i, fate::returned);
}

// Units message and batch: what is not in a call. A batch that is settled as a whole is returned as a whole.
void ledger::return_lane(ledger_batch& b, std::uint64_t lane_id) {
    bool whole = false;
    auto is_ours = [&](std::uint32_t i) { return is_loose(b.states[i]); };
    if (promised_.unit == settle_unit::batch)
        for (std::uint32_t i = 0; i < b.messages.count && !whole; ++i) whole = is_ours(i) && b.messages[i].lane == lane_id;
    for (std::uint32_t i = 0; i < b.messages.count; ++i)
        if (is_ours(i) && (whole || b.messages[i].lane == lane_id)) make_final(b, i, fate::returned);
}

void ledger::on_lanes_ended(std::uint64_t token) {
    auto at = std::ranges::find(endings_, token, &ending::token);
    if (at != endings_.end()) {
        const ending ended = std::move(*at);
        endings_.erase(at);
        for (std::uint64_t id : ended.lanes) {
            if (auto l = lanes_.find(id); l != lanes_.end()) give_up(*l->second, lane_state::ended);
            close_lane(id);
            if (promised_.unit == settle_unit::prefix) continue;
            for (auto& b : batches_) return_lane(*b, id);
        }
        release_all_done();
        advance_all();
        wake_parked_receive();
    }
    event_relay::on_lanes_ended(token);
}

}  // namespace mqb::core
