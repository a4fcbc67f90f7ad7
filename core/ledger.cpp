#include "core/ledger.hpp"

#include "core/ledger_ops.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

ledger::ledger(std::unique_ptr<consumer> leaf, const promises& promised, ledger_counters& counters, mailbox& box, timers& clock,
               std::uint32_t calls_at_a_time)
    : leaf_(std::move(leaf)), promised_(promised), counters_(counters), box_(box), clock_(clock), calls_at_a_time_(calls_at_a_time),
      receiving_(std::make_unique<receive_slot>()) {
    leaf_->listen(this);
    receive_slot& slot = *receiving_;
    slot.self = this;
    slot.done = [](call& c, status answer) noexcept {
        auto& s = static_cast<receive_slot&>(c);
        s.below_pending = false;
        receive_call* upper = s.upper;
        s.self->book(answer);
        upper->done(*upper, answer);
    };
    slot.wake.slot = &slot;
    slot.wake.deliver = [](mail& m) noexcept {
        auto& wake = static_cast<receive_slot::wake_up&>(m);
        receive_slot& s = *wake.slot;
        wake.posted = false;
        if (!s.parked) return;
        ledger& self = *s.self;
        if (!s.cancelled && !self.has_room()) return;
        s.parked = false;
        receive_call* upper = s.upper;
        if (s.cancelled) {
            s.upper = nullptr;
            upper->done(*upper, status::cancelled);
            return;
        }
        status answer = self.receive(*upper);
        if (answer != status::pending) upper->done(*upper, answer);
    };
    retry_timer_.self = this;
    retry_timer_.deliver = [](mail& m) noexcept {
        auto& t = static_cast<retry_timer&>(m);
        t.pending = false;
        for (settle_op* op : std::exchange(t.self->replies_again_, {})) {
            --op->from->calls;
            t.self->start(*op);
        }
        t.self->advance_all();
    };
}

ledger::~ledger() = default;

bool ledger::is_at_rest() const noexcept {
    return calls_ == 0 && !retry_timer_.pending && !receiving_->below_pending && !receiving_->wake.posted;
}

bool ledger::has_room() const noexcept {
    if (promised_.max_unsettled_messages && counters_.in_flight.get() >= promised_.max_unsettled_messages) return false;
    return !promised_.max_unsettled_batches || batches_.size() < promised_.max_unsettled_batches;
}

status ledger::receive(receive_call& c) {
    receive_slot& slot = *receiving_;
    slot.upper = &c;
    slot.cancelled = false;
    if (!has_room()) {
        slot.parked = true;
        return status::pending;
    }
    slot.max_messages = c.max_messages;
    if (promised_.max_unsettled_messages)
        slot.max_messages = std::min<std::uint32_t>(
            slot.max_messages, promised_.max_unsettled_messages - static_cast<std::uint32_t>(counters_.in_flight.get()));
    slot.max_bytes = c.max_bytes;
    slot.drain = c.drain;
    slot.messages = {};
    slot.batch = nullptr;
    slot.texts.clear();
    slot.below_pending = true;
    status answer = leaf_->receive(slot);
    if (answer == status::pending) return answer;
    slot.below_pending = false;
    book(answer);
    return answer;
}

// Takes over what the leaf gave and hands it to the caller's struct.
void ledger::book(status answer) {
    receive_slot& slot = *receiving_;
    receive_call& upper = *slot.upper;
    slot.upper = nullptr;
    upper.messages = {};
    upper.batch = nullptr;
    if (!slot.texts.empty()) std::swap(upper.texts, slot.texts);
    if (answer != status::ok || slot.messages.empty()) return;
    std::unique_ptr<ledger_batch> b;
    if (spare_batches_.empty()) {
        b = std::make_unique<ledger_batch>();
    } else {
        b = std::move(spare_batches_.back());
        spare_batches_.pop_back();
    }
    b->reset(slot.batch, slot.messages);
    bytes_ += b->bytes;
    counters_.received.add(slot.messages.count);
    counters_.in_flight.add(slot.messages.count);
    if (promised_.unit == settle_unit::prefix) group_by_lane(*b);
    upper.messages = slot.messages;
    upper.batch = b.get();
    batches_.push_back(std::move(b));
}

ledger_lane& ledger::lane(std::uint64_t id) {
    if (last_lane_ && last_lane_->id == id) return *last_lane_;
    auto& at = lanes_[id];
    if (!at) {
        at = std::make_unique<ledger_lane>();
        at->id = id;
    }
    last_lane_ = at.get();
    return *at;
}

void ledger::group_by_lane(ledger_batch& b) {
    const std::uint32_t n = b.messages.count;
    const std::uint64_t first = b.messages[0].lane;
    bool one_lane = true;
    for (std::uint32_t i = 1; i < n && one_lane; ++i) one_lane = b.messages[i].lane == first;
    if (one_lane) {
        b.groups.push_back({&lane(first), &b, 0, n, 0, 0, n});
    } else {
        b.group_of.resize(n);
        std::unordered_map<std::uint64_t, std::uint32_t> seen;
        for (std::uint32_t i = 0; i < n; ++i) {
            auto [at, is_new] = seen.try_emplace(b.messages[i].lane, static_cast<std::uint32_t>(b.groups.size()));
            if (is_new) b.groups.push_back({&lane(b.messages[i].lane), &b, 0, 0, 0, 0, 0});
            b.group_of[i] = at->second;
            ++b.groups[at->second].count;
        }
        std::uint32_t next = 0;
        for (auto& g : b.groups) {
            g.first = next;
            next += g.count;
        }
        b.order.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            auto& g = b.groups[b.group_of[i]];
            b.order[g.first + g.not_final++] = i;
        }
    }
    for (auto& g : b.groups) {
        g.lane->groups.push_back(&g);
        ++g.lane->users;
    }
}

ledger_batch* ledger::known(void* batch) noexcept {
    for (auto& b : batches_)
        if (b.get() == batch) return b.get();
    return nullptr;
}

status ledger::settle(settle_call& c) {
    ledger_batch* b = known(c.batch);
    if (!b || b->freed) {
        ignored_ += c.entries.count;
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(settle_result::gone);
        return status::ok;
    }
    if (accept_whole(*b, c.entries)) {
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(settle_result::ok);
    } else {
        for (std::uint32_t i = 0; i < c.entries.count; ++i) c.outcomes[i].set(accept(*b, c.entries[i]));
    }
    advance(*b);
    if (!endings_.empty()) check_endings();
    wake_parked_receive();
    return status::ok;
}

// The common case, in a few passes over small arrays: a batch is acknowledged as a whole and in order.
bool ledger::accept_whole(ledger_batch& b, const list<const settle_entry>& entries) {
    const std::uint32_t n = b.messages.count;
    if (entries.count != n || b.not_accepted != n || !endings_.empty()) return false;
    for (const auto& g : b.groups)
        if (!g.lane->takes_settles()) return false;
    for (std::uint32_t i = 0; i < n; ++i)
        if (entries[i].index != i || entries[i].what != disposition::ack || entries[i].reason.size) return false;
    std::fill(b.states.begin(), b.states.end(), entry_state::accepted);
    std::fill(b.fates.begin(), b.fates.end(), fate::delivered);
    b.not_accepted = 0;
    b.all_ready = true;
    unrecorded_ += n;
    return true;
}

settle_result ledger::accept(ledger_batch& b, const settle_entry& entry) {
    if (entry.index >= b.messages.count) return ++ignored_, settle_result::gone;
    const bool by_prefix = promised_.unit == settle_unit::prefix;
    if (b.states[entry.index] != entry_state::open) {
        if (b.states[entry.index] == entry_state::final && b.fates[entry.index] == fate::returned) return settle_result::gone;
        return ++ignored_, settle_result::ok;
    }
    if (entry.what < disposition::ack || entry.what > disposition::released) {
        on_misbehaviour("a message was settled with an unknown disposition");
        return settle_result::ok;
    }
    if (entry.what == disposition::reply_more && (promised_.dispositions & bit(entry.what))) {
        reply_at_once(b, entry);
        return settle_result::ok;
    }
    if (by_prefix && !b.group(entry.index).lane->takes_settles()) {
        make_final(b, entry.index, fate::returned);
        forget_final(*b.group(entry.index).lane);
        return settle_result::gone;
    }
    if (entry.what == disposition::nack && !endings_.empty()) {
        const std::uint64_t id = b.messages[entry.index].lane;
        for (const auto& e : endings_)
            if (std::ranges::find(e.lanes, id) != e.lanes.end()) {
                if (by_prefix)
                    kill(*b.group(entry.index).lane);
                else
                    make_final(b, entry.index, fate::returned);
                return settle_result::ok;
            }
    }
    if (!(promised_.dispositions & bit(entry.what)) && entry.what != disposition::ack) {
        on_misbehaviour("a message was given back or answered, which its source does not offer");
        return settle_result::ok;
    }
    const fate why = fate_of(entry);
    settle_entry given = entry;
    if (entry.what == disposition::reply && by_prefix) {
        reply_at_once(b, entry);  // never held back by the messages before it
        given.what = disposition::ack;
        given.reply = nullptr;
    }
    b.accept(entry.index, given, why);
    ++unrecorded_;
    if (promised_.unit == settle_unit::message) b.ready.push_back(entry.index);
    return settle_result::ok;
}

void ledger::reply_at_once(ledger_batch& b, const settle_entry& entry) {
    settle_op& op = take_op(b);
    op.only_replies = true;
    if (entry.reply) op.reply = owned_message{*entry.reply};
    settle_entry more = entry;
    more.what = disposition::reply_more;
    more.reply = entry.reply ? &op.reply.get() : nullptr;
    more.reason = {};
    op.named.assign(1, more);
    op.entries = list<const settle_entry>{op.named};
    start(op);
}

void ledger::free_batch(void* batch) {
    ledger_batch* b = known(batch);
    if (!b || b->freed) {
        ++ignored_;
        return;
    }
    b->freed = true;
    if (b->not_accepted) {
        if (promised_.unit == settle_unit::prefix) {
            for (auto& g : b->groups) {
                bool unsettled = false;
                for (std::uint32_t k = 0; k < g.count && !unsettled; ++k) unsettled = b->states[b->index(g, k)] == entry_state::open;
                if (unsettled) kill(*g.lane);
            }
        } else {
            const bool whole = promised_.unit == settle_unit::batch;
            for (std::uint32_t i = 0; i < b->messages.count; ++i)
                if (b->states[i] == entry_state::open || (whole && b->states[i] == entry_state::accepted))
                    make_final(*b, i, fate::returned);
        }
    }
    advance(*b);
    release_if_done(*b);
    check_endings();
    wake_parked_receive();
}

void ledger::cancel(call& c) {
    receive_slot& slot = *receiving_;
    if (slot.upper != &c) {
        leaf_->cancel(c);  // connect or control
        return;
    }
    if (slot.parked) {
        slot.cancelled = true;
        wake_parked_receive();
    } else if (slot.below_pending) {
        leaf_->cancel(slot);
    }
}

void ledger::wake_parked_receive() {
    receive_slot& slot = *receiving_;
    if (!slot.parked || slot.wake.posted) return;
    slot.wake.posted = true;
    box_.put(slot.wake);
}

std::uint64_t ledger::count_held() const noexcept {
    std::uint64_t n = 0;
    for (const auto& b : batches_)
        for (entry_state s : b->states) n += s != entry_state::final;
    return n;
}

}  // namespace mqb::core
