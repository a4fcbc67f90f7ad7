#include "tests/shapes/source.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace mqb::shapes {

using core::disposition;
using core::message;
using core::settle_result;
using core::status;

namespace {

constexpr std::size_t stride = sizeof(message) + 16;  // the end of each element is poisoned

// The bytes of all messages of one batch.
struct shared_bytes : core::buffer_owner {
    shared_bytes(std::size_t size, std::atomic<std::int64_t>& alive)
        : buffer_owner{sizeof(buffer_owner), 0, size, &take, &give}, bytes(size), count(alive) {
        ++count;
    }
    ~shared_bytes() { --count; }
    static void take(buffer_owner* self) { ++static_cast<shared_bytes*>(self)->users; }
    static void give(buffer_owner* self) {
        auto* mine = static_cast<shared_bytes*>(self);
        if (--mine->users == 0) delete mine;
    }
    std::vector<std::uint8_t> bytes;
    std::atomic<std::uint32_t> users{1};
    std::atomic<std::int64_t>& count;
};

constexpr std::uint32_t plain = core::bit(disposition::ack);
constexpr std::uint32_t replies = plain | core::bit(disposition::reply) | core::bit(disposition::reply_more);

}  // namespace

std::vector<source_shape> all_sources(answers how) {
    using core::settle_unit;
    std::vector<source_shape> all(6);
    all[0] = {.name = "prefix", .unit = settle_unit::prefix};
    all[1] = {.name = "unit-of-work", .unit = settle_unit::batch, .max_unsettled_batches = 1};
    all[2] = {.name = "gated", .max_unsettled_messages = 20};
    all[3] = {.name = "lease", .dispositions = plain | core::bit(disposition::nack) | core::bit(disposition::reject), .expires = 0.1};
    all[4] = {.name = "replying", .dispositions = replies};
    all[5] = {.name = "replying-prefix", .unit = settle_unit::prefix, .dispositions = replies};
    for (auto& s : all) s.how = how;
    return all;
}

source_shape source_named(std::string_view name, answers how) {
    for (auto& s : all_sources(how))
        if (s.name == name) return s;
    std::abort();
}

source::source(surroundings around, source_shape shape, queue_store& store, const sink_store& target)
    : fake_endpoint(std::move(around), shape.how), shape_(std::move(shape)), store_(store), target_(target) {
    if (around_.on_made) around_.on_made(this);
}

source::~source() = default;

status source::receive(core::receive_call& c) {
    around_.log.expect(in_flight(verb::receive) == 0, "more than one receive in flight");
    around_.log.expect(c.max_messages > 0, "a receive of no messages");
    const std::uint32_t limit = shape_.max_unsettled_messages;
    around_.log.expect(!limit || unsettled() + c.max_messages <= limit, "max_unsettled_messages exceeded");
    around_.log.expect(!shape_.max_unsettled_batches || batches_.size() < shape_.max_unsettled_batches, "max_unsettled_batches exceeded");
    return start(verb::receive, c, c.max_messages);
}

status source::settle(core::settle_call& c) { return start(verb::settle, c, c.entries.count); }

void source::begun(operation& op) {
    if (op.kind == verb::settle) check_settle(static_cast<core::settle_call&>(*op.what));
}

status source::carry_out(operation& op) {
    if (op.kind == verb::receive) return give(static_cast<core::receive_call&>(*op.what), op);
    return record(static_cast<core::settle_call&>(*op.what), op);
}

status source::give(core::receive_call& c, operation& op) {
    if (!connected_) return status::disconnected;
    if (op.wrong && op.wrong->status != status::ok) return op.wrong->status;
    if (op.cancelled && chance(0.5)) return status::cancelled;
    auto made = std::make_unique<batch>();
    fill(*made, c);
    if (made->items.empty()) {
        if (op.cancelled) return status::cancelled;
        const bool all_gone = store_.is_empty();
        return all_gone && (c.drain || shape_.ends) ? status::end : status::pending;
    }
    c.messages = made->messages;
    c.batch = made.get();
    batches_.emplace(made.get(), std::move(made));
    return status::ok;
}

// Takes messages of all partitions in turn, so that a batch spans lanes.
void source::fill(batch& b, core::receive_call& c) {
    const std::uint32_t limit = std::min(c.max_messages, 1 + static_cast<std::uint32_t>(random_() % shape_.batch_at_most));
    std::uint64_t bytes = 0;
    const auto partitions = static_cast<std::uint32_t>(store_.ready.size());
    std::uint32_t p = static_cast<std::uint32_t>(random_()) % partitions;
    for (std::uint32_t idle = 0; idle < partitions && b.items.size() < limit; p = (p + 1) % partitions) {
        auto& queue = store_.ready[p];
        const auto current = current_.find(p);
        const bool taken = current != current_.end() && current->second == 0;
        if (queue.empty() || taken || (!b.items.empty() && c.max_bytes && bytes + queue.front()->size > c.max_bytes)) {
            ++idle;
            continue;
        }
        idle = 0;
        bytes += queue.front()->size;
        b.items.push_back(queue.front());
        queue.pop_front();
    }
    if (b.items.empty()) return;
    const auto n = static_cast<std::uint32_t>(b.items.size());
    auto* owner = new shared_bytes{bytes, store_.owners};
    b.elements.assign(n * stride, 0xA5);
    std::uint8_t* at = owner->bytes.data();
    for (std::uint32_t i = 0; i < n; ++i) {
        item& from = *b.items[i];
        from.at = item::place::out;
        ++from.times_given;
        auto& m = *new (b.elements.data() + i * stride) message{};
        std::memcpy(m.id.data(), &from.partition, 4);
        std::memcpy(m.id.data() + 4, &from.number, 4);
        m.id[15] = 1;  // the first of all has an id too
        lane& l = lane_of(from.partition);
        m.lane = l.id;
        m.delivery_count = from.times_given;
        m.payload = {at, from.size, owner};
        at += from.size;
        l.unsettled.emplace_back(&b, i);
    }
    b.messages = {b.elements.data(), n, stride, sizeof(message)};
    b.is_final.assign(n, false);
    b.in_call.assign(n, false);
    b.dropped.assign(n, false);
}

source::lane& source::lane_of(std::uint32_t partition) {
    std::uint64_t& id = current_[partition];
    if (id == 0) {
        id = store_.next_lane++;
        lanes_[id].id = id;
        lanes_[id].partition = partition;
    }
    return lanes_[id];
}

// Everything unsettled of the lane comes again, in a new lane.
void source::drop(lane& l) {
    if (!l.alive) return;
    l.alive = false;
    for (auto& [b, index] : l.unsettled) {
        b->dropped[index] = true;
        store_.give_back(*b->items[index]);
    }
    l.unsettled.clear();
    if (current_[l.partition] == l.id) current_.erase(l.partition);
    wake(verb::receive);
}

void source::forget(batch& b, std::uint32_t index) {
    lane& l = lanes_[b.messages[index].lane];
    std::erase(l.unsettled, std::pair{&b, index});
}

void source::give_back(batch& b, std::uint32_t index) {
    if (b.dropped[index]) return;
    b.dropped[index] = true;
    forget(b, index);
    store_.give_back(*b.items[index]);
    wake(verb::receive);
}

void source::free_batch(void* key) {
    around_.log.started(verb::free_batch);
    auto at = batches_.find(key);
    if (at == batches_.end()) return around_.log.broken("an unknown batch was freed");
    batch& b = *at->second;
    around_.log.expect(b.calls == 0, "a batch was freed while a settle of it was in flight");
    for (std::uint32_t i = 0; i < b.messages.count; ++i) {
        if (b.is_final[i] || b.dropped[i]) continue;
        if (shape_.unit == core::settle_unit::prefix)
            drop(lanes_[b.messages[i].lane]);
        else
            give_back(b, i);
    }
    b.messages[0].payload.owner->release(b.messages[0].payload.owner);
    batches_.erase(at);
}

std::uint32_t source::unsettled() const {
    std::uint32_t n = 0;
    for (const auto& [key, b] : batches_)
        for (std::uint32_t i = 0; i < b->messages.count; ++i) n += !b->is_final[i] && !b->dropped[i];
    return n;
}

void source::connected_again() {
    if (!shape_.forgets) return;
    for (auto& [id, l] : lanes_) drop(l);
    while (!revocations_.empty()) end_lanes(revocations_.front().token);
}

status source::close(core::call& c) {
    around_.log.expect(batches_.empty(), "close before every batch was freed");
    return start_close(c);
}

}  // namespace mqb::shapes
