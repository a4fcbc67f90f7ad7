#include "core/ledger.hpp"

#include "core/broken_record.hpp"
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
        ledger& self = *s.self;
        answer = self.book(answer);
        // Those that it made way for may be gone with their lane meanwhile: then the leaf is asked again.
        if (std::exchange(s.makes_way, false) && answer == status::cancelled && !s.cancelled) answer = self.receive(*upper);
        if (answer != status::pending) upper->done(*upper, answer);
    };
    slot.wake.slot = &slot;
    slot.wake.deliver = [](mail& m) noexcept {
        auto& wake = static_cast<receive_slot::wake_up&>(m);
        receive_slot& s = *wake.slot;
        wake.posted = false;
        if (!s.parked) return;
        ledger& self = *s.self;
        if (!s.cancelled && !self.has_due_ && !(self.ended_ ? self.is_empty() : self.has_room())) return;
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
    due_timer_.self = this;
    due_timer_.deliver = [](mail& m) noexcept {
        auto& t = static_cast<due_timer&>(m);
        t.pending = false;
        t.self->look_for_due();
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

void ledger::release_all_done() {
    for (std::size_t i = batches_.size(); i-- > 0;)
        if (i < batches_.size()) release_if_done(*batches_[i]);
}

bool ledger::is_at_rest() const noexcept {
    return calls_ == 0 && burying_ == 0 && !retry_timer_.pending && !due_timer_.pending && !receiving_->below_pending &&
           !receiving_->wake.posted;
}

bool ledger::has_room() const noexcept {
    // So many are about to be dead in a row that the route is going to pause: nothing more is read before that is known.
    if (policy_.stop_after && longest_dead_row_ >= policy_.stop_after) return false;
    if (promised_.max_unsettled_messages && unsettled() >= promised_.max_unsettled_messages) return false;
    if (!has_room_for_bytes()) return false;
    return !promised_.max_unsettled_batches || batches_.size() < promised_.max_unsettled_batches;
}

// The first message is given even where it is larger than the room: so there has to be room for one like the last.
bool ledger::has_room_for_bytes() const noexcept { return !most_bytes_ || !bytes_ || later(bytes_, bytes_per_message_) <= most_bytes_; }

std::uint64_t ledger::room_for(std::uint64_t bytes) const noexcept {
    if (!most_bytes_) return bytes;
    const std::uint64_t room = most_bytes_ > bytes_ ? most_bytes_ - bytes_ : 1;
    return bytes == 0 ? room : std::min(bytes, room);
}

status ledger::receive(receive_call& c) {
    receive_slot& slot = *receiving_;
    slot.upper = &c;
    slot.cancelled = false;
    if (has_due_ && present_due(c)) {
        slot.upper = nullptr;
        return status::ok;
    }
    if (ended_ && is_empty()) {
        slot.upper = nullptr;
        c.messages = {};
        c.batch = nullptr;
        return status::end;
    }
    if (ended_ || !has_room()) {
        slot.parked = true;
        return status::pending;
    }
    slot.max_messages = c.max_messages;
    if (promised_.max_unsettled_messages)
        slot.max_messages =
            std::min<std::uint32_t>(slot.max_messages, promised_.max_unsettled_messages - static_cast<std::uint32_t>(unsettled()));
    slot.max_bytes = room_for(c.max_bytes);  // the caller may have asked before it knew of the last batch
    slot.drain = c.drain;
    slot.messages = {};
    slot.batch = nullptr;
    slot.texts.clear();
    slot.below_pending = true;
    status answer = leaf_->receive(slot);
    if (answer == status::pending) return answer;
    slot.below_pending = false;
    return book(answer);
}

// Takes over what the leaf gave and hands it to the caller's struct. pending: an end for good is told when nothing can come again.
status ledger::book(status answer) {
    receive_slot& slot = *receiving_;
    receive_call& upper = *slot.upper;
    slot.upper = nullptr;
    upper.messages = {};
    upper.batch = nullptr;
    if (!slot.texts.empty()) std::swap(upper.texts, slot.texts);
    at_end_ = answer == status::end;
    if (at_end_ && !slot.drain) {
        ended_ = true;
        if (is_empty()) return status::end;
        slot.upper = &upper;
        slot.parked = true;
        return status::pending;
    }
    if (answer != status::ok || slot.messages.empty()) return answer;
    std::unique_ptr<ledger_batch> b;
    if (spare_batches_.empty()) {
        b = std::make_unique<ledger_batch>();
    } else {
        b = std::move(spare_batches_.back());
        spare_batches_.pop_back();
    }
    b->reset(slot.batch, slot.messages, next_sequence_++);
    b->give_ids(ids_, clock_);
    bytes_ += b->bytes;
    bytes_per_message_ = b->bytes / slot.messages.count;
    counters_.received.add(slot.messages.count);
    counters_.in_flight.add(slot.messages.count);
    if (promised_.unit == settle_unit::prefix) group_by_lane(*b);
    batches_.push_back(std::move(b));
    ledger_batch& booked = *batches_.back();
    if (policy_.listener && has_broken_record(booked.messages)) return present_sound(booked, upper);
    upper.messages = booked.messages;
    upper.batch = &booked.first;
    return answer;
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
        b.groups.push_back({&lane(first), &b, 0, n, 0, n});
    } else {
        b.group_of.resize(n);
        std::unordered_map<std::uint64_t, std::uint32_t> seen;
        for (std::uint32_t i = 0; i < n; ++i) {
            auto [at, is_new] = seen.try_emplace(b.messages[i].lane, static_cast<std::uint32_t>(b.groups.size()));
            if (is_new) b.groups.push_back({&lane(b.messages[i].lane), &b, 0, 0, 0, 0});
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

void ledger::free_batch(void* batch) {
    presentation* p = known(batch);
    if (!p || p->freed) {
        ++ignored_;
        return;
    }
    p->freed = true;
    if (p->whole)
        free_whole(*p->whole);
    else
        free_again(*p);
    check_endings();
    wake_parked_receive();
}

void ledger::free_whole(ledger_batch& b) {
    if (b.not_accepted) {
        if (promised_.unit == settle_unit::prefix) {
            for (auto& g : b.groups) {
                bool unsettled = false;
                for (std::uint32_t k = 0; k < g.count && !unsettled; ++k) unsettled = b.states[b.index(g, k)] == entry_state::open;
                if (unsettled) kill(*g.lane);
            }
        } else {
            return_open(b, entry_state::open);
        }
    }
    advance(b);
    release_if_done(b);
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
        slot.cancelled = true;
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
