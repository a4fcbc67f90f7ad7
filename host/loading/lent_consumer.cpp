#include "host/loading/lent_consumer.hpp"

#include "host/loading/layout.hpp"
#include "host/loading/message_fault.hpp"

#include <algorithm>

namespace mqb::loading {

const mqb_consumer_table lent_consumer::table_{
    .struct_size = sizeof(mqb_consumer_table),
    .reserved = 0,
    .connect = [](mqb_consumer* c, mqb_call*) { return of(c).forbidden("connect"); },
    .receive = [](mqb_consumer* c, mqb_receive* r) { return guarded([&] { return of(c).receive(r); }); },
    .settle = [](mqb_consumer* c, mqb_settle* s) { return guarded([&] { return of(c).settle(s); }); },
    .free_batch = [](mqb_consumer* c, void* batch) { of(c).free_batch(batch); },
    .lanes_done = [](mqb_consumer* c, std::uint64_t) { of(c).forbidden("lanes_done"); },
    .lanes_ending = [](mqb_consumer* c, const std::uint64_t*, std::uint32_t, std::uint64_t) { of(c).forbidden("lanes_ending"); },
    .control = [](mqb_consumer* c, mqb_control*) { return of(c).forbidden("control"); },
    .cancel = [](mqb_consumer* c, std::uint64_t operation) { of(c).cancel(operation); },
    .free = [](mqb_consumer* c) { of(c).forbidden("free"); },
};

mqb_status lent_consumer::receive(mqb_receive* r) {
    if (const mqb_status s = admit(&r->call, sizeof *r); s != MQB_OK) return s;
    receive_op* taken = take(receives_, inner_, true);
    if (!taken) {
        if (is_ending()) return MQB_CANCELLED;
        gate_.misbehaved("has two receives in flight");
        return MQB_REJECTED;
    }
    receive_op& op = *taken;
    op.done = [](core::call& c, core::status s) noexcept { ended(static_cast<receive_op&>(c), s); };
    op.core::call::texts.clear();
    op.max_messages = r->max_messages ? r->max_messages : 1;
    op.drain = r->drain != 0;
    op.max_bytes = r->max_bytes;
    op.messages = {};
    op.batch = nullptr;
    return run(op, &r->call);
}

void lent_consumer::receive_op::answer(core::status s) noexcept {
    auto& r = *reinterpret_cast<mqb_receive*>(theirs);
    const bool given = s == core::status::ok;
    r.messages = given ? to_abi(messages) : mqb_list{nullptr, 0, sizeof(mqb_message), sizeof(mqb_message)};
    r.batch = given ? batch : nullptr;
    auto& self = static_cast<lent_consumer&>(*owner);
    if (!r.batch || self.unit_ != core::settle_unit::prefix) return;
    try {
        self.batches_.emplace_back(batch, messages);
    } catch (...) {}  // no memory: its settles are not compared
}

namespace {
// Core may use dispositions as bits, and reads the replies.
const char* fault_in_entries(const mqb_list& entries) noexcept {
    for (std::uint32_t i = 0; i < entries.count; ++i) {
        const mqb_entry& e = *mqb_entry_at(&entries, i);
        if (e.disposition < MQB_ACK || e.disposition > MQB_RELEASED) return "settles with a disposition that does not exist";
        if (!e.reply) {
            if (e.disposition == MQB_REPLY || e.disposition == MQB_REPLY_MORE) return "settles with a reply that has no message";
        } else if (const char* fault = fault_in_message(*e.reply)) {
            return fault;
        }
    }
    return nullptr;
}
}  // namespace

mqb_status lent_consumer::settle(mqb_settle* s) {
    if (const mqb_status admitted = admit(&s->call, sizeof *s); admitted != MQB_OK) return admitted;
    if (!loading::is_sound<mqb_entry>(s->entries) || !loading::is_sound<mqb_outcome>(s->outcomes) ||
        s->entries.count != s->outcomes.count) {
        gate_.misbehaved("settles with arrays that do not fit");
        return MQB_REJECTED;
    }
    if (const char* fault = fault_in_entries(s->entries)) {
        gate_.misbehaved(fault);
        return MQB_REJECTED;
    }
    settle_op* taken = take(settles_, inner_);
    if (!taken) return MQB_CANCELLED;
    settle_op& op = *taken;
    op.is_below = false;
    op.done = [](core::call& c, core::status answer) noexcept {
        auto& finished = static_cast<settle_op&>(c);
        finished.is_below = false;
        ended(finished, answer);
    };
    op.core::call::texts.clear();
    op.batch = s->batch;
    op.core::settle_call::entries = to_core<const core::settle_entry>(s->entries);
    op.outcomes = to_core<core::outcome>(s->outcomes);
    return run(op, &s->call);
}

core::status lent_consumer::begin(settle_op& op) noexcept {
    for (const settle_op& other : settles_) {
        if (&other == &op || !other.is_below || !overlaps(op, other)) continue;
        gate_.misbehaved("settles what an earlier settle, which has not ended, settles too");
        return core::status::rejected;
    }
    op.is_below = true;
    const core::status s = inner_.settle(op);
    if (s != core::status::pending) op.is_below = false;
    return s;
}

namespace {
bool is_final(const core::settle_entry& e) noexcept { return e.what != core::disposition::reply_more; }

// Any final entry for which `fits(index)`. A call of which every entry is REPLY_MORE settles nothing.
template <class Fits>
bool any_final(const core::settle_call& c, Fits fits) noexcept {
    for (std::uint32_t i = 0; i < c.entries.count; ++i)
        if (is_final(c.entries[i]) && fits(c.entries[i].index)) return true;
    return false;
}
}  // namespace

// Whether both may not be in flight: a message has one settle at a time, a lane with the unit prefix too, and so has all with batch.
bool lent_consumer::overlaps(const core::settle_call& one, const core::settle_call& other) const noexcept {
    const auto all = [](std::uint32_t) { return true; };
    if (unit_ == core::settle_unit::batch) return any_final(one, all) && any_final(other, all);
    const auto same_index = [&](std::uint32_t mine) { return any_final(other, [mine](std::uint32_t theirs) { return mine == theirs; }); };
    if (one.batch == other.batch && any_final(one, same_index)) return true;
    if (unit_ != core::settle_unit::prefix) return false;
    const auto batch_of = [this](const core::settle_call& c) {
        const auto at = std::ranges::find(batches_, c.batch, &std::pair<void*, core::message_list>::first);
        return at == batches_.end() ? core::message_list{} : at->second;
    };
    const core::message_list my_batch = batch_of(one), their_batch = batch_of(other);
    return any_final(one, [&](std::uint32_t mine) {
        return mine < my_batch.count && any_final(other, [&](std::uint32_t theirs) {
                   return theirs < their_batch.count && my_batch[mine].lane == their_batch[theirs].lane;
               });
    });
}

void lent_consumer::forget(const void* batch) noexcept {
    std::erase_if(batches_, [batch](const auto& one) { return one.first == batch; });
}

void lent_consumer::free_batch(void* batch) {
    // What crosses the plugin's free still comes before the end of the inner side.
    if (gate_.admits() == admission::forbidden) return gate_.misbehaved("calls a handle that is lent to it outside of its life");
    const auto free = [this, batch] {
        forget(batch);
        inner_.free_batch(batch);
    };
    if (gate_.is_route_side()) return free();
    gate_.post_work(free);
}

}  // namespace mqb::loading
