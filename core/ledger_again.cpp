// ledger_again: messages that came back from above are presented once more, from memory, after a pause.
#include "core/broken_record.hpp"
#include "core/ledger_ops.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
// Times are rounded up to this, so that what failed together comes again together.
constexpr std::uint64_t grain_ns = 1'000'000;
}  // namespace

bool ledger::take_note(ledger_batch& b, const settle_entry& entry) {
    failure_note& all = b.redelivery_of(entry.index).note;
    failure_note now;
    if (auto noted = notes_.take(b.messages[entry.index].id)) {
        now = std::move(*noted);
    } else {
        now.endpoint = policy_.input;
        now.error.assign(std::string_view{entry.reason});
        now.attempts = 1;
        now.first_at = now.last_at = clock_.now_wall();
    }
    all.may_have_arrived |= now.may_have_arrived;
    if (now.attempts == 0) return false;
    all.attempts += now.attempts;
    if (all.first_at == 0) all.first_at = now.first_at;
    all.last_at = now.last_at;
    all.why = now.why;
    all.endpoint = std::move(now.endpoint);
    all.error = std::move(now.error);
    return true;
}

void ledger::nacked(ledger_batch& b, const settle_entry& entry) {
    const std::uint32_t index = entry.index;
    if (is_ending(b.messages[index].lane)) return return_one(b, index);
    if (std::string_view{entry.reason} == given_back && (promised_.dispositions & bit(disposition::nack)))
        return decide(b, entry, fate::nacked);
    const bool was_tried = take_note(b, entry);
    redelivery& r = b.redelivery_of(index);
    if (was_tried && policy_.max_deliveries && r.presentations >= policy_.max_deliveries) return die(b, index, death::max_deliveries);
    const std::uint64_t pause = std::max(entry.delay_ns, pause_before(r.presentations));
    if (was_tried) ++r.presentations;
    wait_for_again(b, index, pause);
}

std::uint64_t ledger::pause_before(std::uint32_t presentations) {
    const auto first = static_cast<std::uint64_t>(policy_.first_pause.count());
    const auto longest = static_cast<std::uint64_t>(policy_.longest_pause.count());
    std::uint64_t pause = first;
    for (std::uint32_t n = 1; n < presentations && pause < longest; ++n) pause *= 2;
    return std::min(pause, longest);
}

void ledger::wait_for_again(ledger_batch& b, std::uint32_t index, std::uint64_t pause_ns) {
    const std::uint64_t due = later(clock_.now_steady(), pause_ns);
    redelivery& r = b.redelivery_of(index);
    r.due = due > UINT64_MAX - grain_ns ? due : (due + grain_ns - 1) / grain_ns * grain_ns;
    b.states[index] = entry_state::waiting;
    waiting_.emplace(r.due, entry_place{&b, index});
    arm_due_timer();
}

void ledger::forget_waiting(const ledger_batch& b, std::uint32_t index) {
    auto [at, end] = waiting_.equal_range(b.redeliveries[index]->due);
    for (; at != end; ++at)
        if (at->second.batch == &b && at->second.index == index) {
            waiting_.erase(at);
            return;
        }
}

void ledger::arm_due_timer() {
    if (!presents_ || waiting_.empty() || has_due_) return;
    const std::uint64_t next = waiting_.begin()->first;
    if (due_timer_.pending) {
        if (due_timer_.at > next) clock_.cancel(due_timer_);  // it is delivered, and looks again
        return;
    }
    due_timer_.pending = true;
    due_timer_.at = next;
    clock_.wait_until(next, due_timer_);
}

void ledger::look_for_due() {
    if (!presents_ || waiting_.empty()) return;
    if (waiting_.begin()->first > clock_.now_steady()) return arm_due_timer();
    has_due_ = true;
    receive_slot& slot = *receiving_;
    if (slot.parked) {
        wake_parked_receive();
    } else if (slot.below_pending && !slot.makes_way) {
        slot.makes_way = true;
        leaf_->cancel(slot);
    }
}

// False: there is none after all.
bool ledger::present_due(receive_call& c) {
    const std::uint64_t now = clock_.now_steady();
    std::unique_ptr<presentation> p;
    if (spare_again_.empty()) {
        p = std::make_unique<presentation>();
    } else {
        p = std::move(spare_again_.back());
        spare_again_.pop_back();
    }
    p->freed = false;
    p->places.clear();
    p->messages.clear();
    std::uint64_t bytes = 0;
    bool has_broken = false;
    while (!waiting_.empty() && waiting_.begin()->first <= now && p->places.size() < c.max_messages) {
        const entry_place at = waiting_.begin()->second;
        bytes += at.batch->messages[at.index].payload.size;
        if (!p->places.empty() && c.max_bytes && bytes > c.max_bytes) break;
        waiting_.erase(waiting_.begin());
        if (is_broken_record(at.batch->messages[at.index])) {  // goes to nobody: what is tried again is to bury it
            die(*at.batch, at.index, death::refused);
            has_broken = true;
            continue;
        }
        at.batch->states[at.index] = entry_state::open_again;
        ++at.batch->presented;
        p->places.push_back(at);
    }
    has_due_ = !waiting_.empty() && waiting_.begin()->first <= now;
    arm_due_timer();
    if (dying_) bury_collected();
    if (has_broken) advance_all();
    if (p->places.empty()) {
        spare_again_.push_back(std::move(p));
        return false;
    }
    // In the order in which the source gave them.
    std::ranges::sort(p->places, {}, [](const entry_place& at) { return std::pair{at.batch->sequence, at.index}; });
    for (const entry_place& at : p->places) {
        message& m = p->messages.emplace_back(at.batch->messages.copy(at.index));
        m.delivery_count = std::max(m.delivery_count, 1u) + at.batch->redeliveries[at.index]->presentations - 1;
    }
    c.messages = message_list{std::span<const message>{p->messages}};
    c.batch = p.get();
    again_.push_back(std::move(p));
    return true;
}

void ledger::free_again(presentation& p) {
    for (const entry_place& at : p.places) {
        if (!at.batch) continue;
        --at.batch->presented;
        if (at.batch->states[at.index] == entry_state::open_again) return_one(*at.batch, at.index);
    }
    const auto mine = std::ranges::find_if(again_, [&](const auto& x) { return x.get() == &p; });
    spare_again_.push_back(std::move(*mine));
    again_.erase(mine);
    advance_all();
    release_all_done();
}

void ledger::stop_presenting() {
    presents_ = has_due_ = false;
    if (due_timer_.pending) clock_.cancel(due_timer_);
}

void ledger::return_waiting() {
    std::vector<entry_place> all;
    for (auto& b : batches_)
        for (std::uint32_t i = 0; i < b->messages.count; ++i)
            if (b->states[i] == entry_state::waiting) all.push_back({b.get(), i});
    for (const entry_place& at : all) return_one(*at.batch, at.index);
    advance_all();
    release_all_done();
}

}  // namespace mqb::core
