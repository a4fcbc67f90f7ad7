#include "core/ledger_batch.hpp"

namespace mqb::core {

void ledger_batch::reset(void* leaf_batch, message_list received, std::uint64_t number) {
    leaf = leaf_batch;
    messages = received;
    bytes = bytes_kept_by(received);
    not_final = not_accepted = received.count;
    calls = presented = returned = 0;
    sequence = number;
    untouched = true;
    first.whole = this;
    first.freed = gives_back = all_ready = false;
    states.assign(received.count, entry_state::open);
    fates.assign(received.count, fate::returned);
    extras.clear();
    redeliveries.clear();
    ready.clear();
    groups.clear();
    order.clear();
    group_of.clear();
}

void ledger_batch::give_ids(message_ids& from, timers& clock) {
    std::uint32_t i = 0;
    while (i < messages.count && has_id(messages[i])) ++i;
    if (i == messages.count) return;
    with_ids.clear();
    with_ids.reserve(messages.count);
    for (i = 0; i < messages.count; ++i) with_ids.push_back(messages.copy(i));
    from.start(clock.now_wall());
    for (message& m : with_ids)
        if (!has_id(m)) from.write(m.id);
    messages = message_list{std::span<const message>{with_ids}};
}

redelivery& ledger_batch::redelivery_of(std::uint32_t index) {
    if (redeliveries.empty()) redeliveries.resize(messages.count);
    if (!redeliveries[index]) redeliveries[index] = std::make_unique<redelivery>();
    return *redeliveries[index];
}

void ledger_batch::keep(std::uint32_t index, const settle_entry& entry, fate why) {
    fates[index] = why;
    if (entry.what == disposition::ack && entry.reason.size == 0) return;
    if (extras.empty()) extras.resize(messages.count);
    auto kept = std::make_unique<extra>();
    kept->entry = entry;
    kept->reason.assign(std::string_view{entry.reason});
    kept->entry.reason = {kept->reason.data(), kept->reason.size()};
    if (entry.reply) kept->reply = owned_message{*entry.reply};
    kept->entry.reply = entry.reply ? &kept->reply.get() : nullptr;
    extras[index] = std::move(kept);
}

settle_entry ledger_batch::entry(std::uint32_t index) const noexcept {
    if (!extras.empty() && extras[index]) return extras[index]->entry;
    settle_entry plain;
    plain.index = index;
    return plain;
}

std::uint64_t bytes_kept_by(const message_list& messages) noexcept {
    std::uint64_t bytes = std::uint64_t{128} * messages.count;
    const buffer_owner* last = nullptr;
    auto charge = [&](const buffer& b) {
        if (!b.owner)
            bytes += b.size;
        else if (b.owner != last)
            bytes += b.owner->total_size;
        if (b.owner) last = b.owner;
    };
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        charge(messages[i].payload);
        charge(messages[i].metadata);
    }
    return bytes;
}

counter& counter_of(ledger_counters& all, fate why) noexcept {
    switch (why) {
        case fate::delivered: return all.delivered;
        case fate::replied: return all.replied;
        case fate::filtered: return all.filtered;
        case fate::duplicate: return all.duplicate;
        case fate::discarded: return all.discarded;
        case fate::dead_lettered: return all.dead_lettered;
        case fate::rejected: return all.rejected;
        case fate::nacked: return all.nacked;
        case fate::returned: break;
    }
    return all.returned;
}

fate fate_of(const settle_entry& entry) noexcept {
    switch (entry.what) {
        case disposition::nack: return fate::nacked;
        case disposition::reject: return fate::rejected;
        case disposition::reply: return fate::replied;
        case disposition::ack:
        case disposition::reply_more:
        case disposition::released: break;
    }
    std::string_view why = entry.reason;
    if (why.empty()) return fate::delivered;
    if (why == "filtered") return fate::filtered;
    if (why == "duplicate") return fate::duplicate;
    if (why == "discarded") return fate::discarded;
    if (why == "dead_lettered") return fate::dead_lettered;
    return fate::delivered;
}

}  // namespace mqb::core
