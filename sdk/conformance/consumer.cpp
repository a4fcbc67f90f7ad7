#include "consumer.hpp"

#include <mqb/metadata.h>

#include <cstring>

namespace mqb::conformance {
namespace {
void check_buffer(const mqb_buffer& b, const std::string& what) {
    if (b.size > PTRDIFF_MAX) fail(rules::buffer, what + " has the size " + std::to_string(b.size) + ", which no memory has");
    if (!b.data && b.size) fail(rules::buffer, what + " has no data and size " + std::to_string(b.size));
    if (!b.owner) return;
    require(b.owner->struct_size >= sizeof(mqb_owner), rules::buffer,
            what + ": its owner has struct_size " + std::to_string(b.owner->struct_size));
    require(b.owner->retain && b.owner->release, rules::buffer, what + ": its owner lacks retain or release");
    require(b.owner->total_size >= b.size, rules::buffer,
            what + ": its owner says total_size " + std::to_string(b.owner->total_size) + ", less than the buffer");
}
std::string bytes_of(const mqb_buffer& b) { return b.size ? std::string(reinterpret_cast<const char*>(b.data), b.size) : std::string(); }
}  // namespace

consumer::consumer(recipe r) : handle(std::move(r), "consumer") {
    require_slot(slots_.receive, rules::consumer_slots, "receive");
    require_slot(slots_.free_batch, rules::consumer_slots, "free_batch");
    require_slot(slots_.cancel, rules::consumer_slots, "cancel");
    require_slot(slots_.free, rules::consumer_slots, "free");
    if (promises_to(MQB_ACKNOWLEDGES)) require_slot(slots_.settle, rules::promised, "settle, but promises ACKNOWLEDGES");
}

operation& consumer::start_receive(std::uint32_t max, std::uint64_t bytes, bool drain) {
    operation& op = operation::make<mqb_receive>(name("receive"));
    mqb_receive& r = op.as<mqb_receive>();
    r.max_messages = max;
    r.max_bytes = bytes;
    r.drain = drain;
    asked_[&op] = {max, bytes};
    fly(op).start([&] { return slots_.receive(self_, &r); }, serial());
    return op;
}

void consumer::check(const mqb_message& m, std::uint32_t i) {
    const std::string what = "message " + std::to_string(i);
    check_buffer(m.payload, what + ": payload");
    check_buffer(m.metadata, what + ": metadata");
    require(m.metadata.size <= MQB_META_MAX_SIZE, rules::metadata, what + " has " + std::to_string(m.metadata.size) + " bytes of metadata");
    std::size_t at = 0;
    mqb_meta entry;
    int more, entries = 0;
    while ((more = mqb_meta_next(&m.metadata, &at, &entry)) == 1) ++entries;
    require(more == 0, rules::metadata, what + ": the block is invalid at byte " + std::to_string(at));
    require(entries <= static_cast<int>(MQB_META_MAX_ENTRIES), rules::metadata, what + " has too many metadata entries");
}

std::optional<batch> consumer::take(operation& op) {
    checkpoint();
    const mqb_status s = op.status();
    const asked limits = asked_[&op];
    asked_.erase(&op);
    std::erase(flying_, &op);
    if (s != MQB_OK) return {};
    const mqb_receive& r = op.as<mqb_receive>();
    const mqb_list& l = r.messages;
    if (l.count == 0) {
        require(!r.batch, rules::receive_answer, "receive answered OK with no messages and a batch");
        require(promises_to(MQB_NEEDS_POLLING), rules::promised, "receive answered OK without messages, and NEEDS_POLLING is not promised");
        return {};
    }
    require(l.first, rules::list, "receive gave " + std::to_string(l.count) + " messages at null");
    require(l.size <= l.stride && l.size >= offsetof(mqb_message, metadata), rules::list,
            "receive gave elements of stride " + std::to_string(l.stride) + " and size " + std::to_string(l.size));
    require(l.count <= limits.max, rules::receive_limits,
            "receive gave " + std::to_string(l.count) + " messages, asked for at most " + std::to_string(limits.max));
    mark("reading the messages that receive gave");
    batch b{r.batch, {}, op.answered_at()};
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < l.count; ++i) {
        received m;
        mqb_message_copy(&l, i, &m.raw);
        check(m.raw, i);
        if (m.raw.payload.data) m.what.payload = bytes_of(m.raw.payload);
        m.what.metadata = bytes_of(m.raw.metadata);
        m.what.id.assign(reinterpret_cast<const char*>(m.raw.id), 16);
        m.what.lane = m.raw.lane;
        m.what.delivery_count = m.raw.delivery_count;
        bytes += m.raw.payload.size;
        b.messages.push_back(std::move(m));
    }
    mark(nullptr);
    if (limits.bytes && l.count > 1)
        require(bytes <= limits.bytes, rules::receive_limits,
                "receive gave " + std::to_string(bytes) + " bytes, asked for at most " + std::to_string(limits.bytes));
    require(live_.insert(b.token).second, rules::receive_answer, "receive gave a batch that is still in use");
    return b;
}

std::optional<batch> consumer::receive(std::chrono::milliseconds patience, std::uint32_t max, bool* ended, bool drain) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        operation& op = start_receive(max, 0, drain);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (!op.wait(std::max(left, 1ms))) {
            cancel(op.id());
            op.answer(q().patience);
        }
        auto b = take(op);
        if (b) return b;
        if (op.status() == MQB_END) {
            if (ended) *ended = true;
            return {};
        }
        if (op.status() != MQB_OK && op.status() != MQB_CANCELLED) fail(rules::receive, "receive answered " + op.why());
        if (std::chrono::steady_clock::now() >= until) return {};
        if (op.status() == MQB_OK) std::this_thread::sleep_for(10ms);
    }
}

std::vector<batch> consumer::collect(std::size_t n, std::chrono::milliseconds patience, std::uint32_t max) {
    std::vector<batch> out;
    const auto until = std::chrono::steady_clock::now() + patience;
    bool ended = false;
    for (std::size_t got = 0; got < n && !ended;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        auto b = left > 0ms ? receive(left, max, &ended) : std::nullopt;
        if (!b) break;
        got += b->size();
        out.push_back(std::move(*b));
    }
    return out;
}

void consumer::free_batch(batch& b) {
    std::unique_lock<std::recursive_mutex> turn;
    if (serial()) turn = std::unique_lock(*serial());
    live_.erase(b.token);
    enter(name("free_batch"), [&] { return slots_.free_batch(self_, b.token), 0; });
    b.token = nullptr;
}

void consumer::lanes_done(std::uint64_t token) {
    if (slots_.lanes_done) enter(name("lanes_done"), [&] { return slots_.lanes_done(self_, token), 0; });
}

operation& consumer::start_control(const std::string& id, const std::string& request) {
    operation& op = start_control_call(name("control"), id, request);
    fly(op).start([&] { return slots_.control ? slots_.control(self_, &op.as<mqb_control>()) : mqb_status(MQB_UNSUPPORTED); }, serial());
    return op;
}

void consumer::close() {
    if (!self_) return;
    land();
    for (auto& [op, limits] : std::map(asked_)) (void)limits, take(*op);  // a receive that won against its cancel gave a batch
    for (void* token : std::set(live_)) {
        batch b{token, {}, 0};
        free_batch(b);
    }
    handle::close();
}

std::size_t count_of(const std::vector<batch>& batches) {
    std::size_t n = 0;
    for (const batch& b : batches) n += b.size();
    return n;
}

}  // namespace mqb::conformance
