#include "lent.hpp"

#include <cstring>

namespace mqb::conformance {
namespace {
template <class Slot>
void forbidden(const char* slot, Slot) {
    note(rules::lent, std::string("a middleware called ") + slot + " of its inner side");
}
mqb_status no_connect(mqb_consumer* c, mqb_call*) { return forbidden("connect", c), MQB_UNSUPPORTED; }
mqb_status no_control(mqb_consumer* c, mqb_control*) { return forbidden("control", c), MQB_UNSUPPORTED; }
void no_free(mqb_consumer* c) { forbidden("free", c); }
void no_lanes_done(mqb_consumer* c, std::uint64_t) { forbidden("lanes_done", c); }
void no_lanes_ending(mqb_consumer* c, const std::uint64_t*, std::uint32_t, std::uint64_t) { forbidden("lanes_ending", c); }
mqb_status no_connect_p(mqb_publisher* c, mqb_call*) { return forbidden("connect", c), MQB_UNSUPPORTED; }
mqb_status no_control_p(mqb_publisher* c, mqb_control*) { return forbidden("control", c), MQB_UNSUPPORTED; }
void no_free_p(mqb_publisher* c) { forbidden("free", c); }
}  // namespace

const mqb_consumer_table lent_consumer::table_ = {sizeof(mqb_consumer_table),
                                                  0,
                                                  no_connect,
                                                  on_receive,
                                                  on_settle,
                                                  on_free_batch,
                                                  no_lanes_done,
                                                  no_lanes_ending,
                                                  no_control,
                                                  on_cancel,
                                                  no_free};
const mqb_publisher_table lent_publisher::table_ = {
    sizeof(mqb_publisher_table), 0, no_connect_p, on_send, no_control_p, on_cancel, no_free_p};

lent_consumer::lent_consumer(answering how) : face_{{&table_}, this}, how_(how) {}
lent_consumer& lent_consumer::make(answering how) { return *new lent_consumer(how); }
lent_consumer& lent_consumer::of(mqb_consumer* c) { return *reinterpret_cast<face*>(c)->self; }

mqb_promises lent_consumer::promises() {
    mqb_promises p{};
    p.struct_size = sizeof p;
    p.flags = MQB_ACKNOWLEDGES | MQB_STABLE_IDENTITY;
    p.settle_unit = MQB_UNIT_MESSAGE;
    p.dispositions = MQB_BIT(MQB_ACK) | MQB_BIT(MQB_NACK) | MQB_BIT(MQB_REJECT) | MQB_BIT(MQB_REPLY) | MQB_BIT(MQB_REPLY_MORE);
    return p;
}

void lent_consumer::deliver_under(std::recursive_mutex* serial) {
    serial_ = serial;
    std::thread([this] {
        this_thread_is_the_kits();
        work();
    }).detach();
}
void lent_consumer::put(const letter& l) {
    std::lock_guard lock(guard_);
    queue_.push_back(l);
    changed_.notify_all();
}
void lent_consumer::end() {
    std::lock_guard lock(guard_);
    ended_ = true;
    changed_.notify_all();
}

// With guard_ held and something in the queue.
void lent_consumer::fill(mqb_receive* r) {
    auto* l = new load;  // kept for ever
    while (!queue_.empty() && l->letters.size() < std::min<std::uint32_t>(r->max_messages, 7)) {
        l->letters.push_back(queue_.front());
        queue_.pop_front();
    }
    l->settled.resize(l->letters.size());
    l->list = hostile_list<mqb_message>(static_cast<std::uint32_t>(l->letters.size()));
    std::size_t total = 1;
    for (const letter& each : l->letters) total += each.payload->size() + each.metadata.size();
    l->owner = &kit_owner::make(total);
    unsigned char* at = l->owner->data();
    for (std::uint32_t i = 0; i < l->letters.size(); ++i) {
        const letter& from = l->letters[i];
        mqb_message& m = l->list[i];
        std::memcpy(m.id, from.id.data(), std::min<std::size_t>(from.id.size(), 16));
        std::memcpy(at, from.payload->data(), from.payload->size());
        m.payload = {at, from.payload->size(), l->owner->handle()};
        at += from.payload->size();
        std::memcpy(at, from.metadata.data(), from.metadata.size());
        m.metadata = {at, from.metadata.size(), l->owner->handle()};
        at += from.metadata.size();
    }
    given_ += l->letters.size();
    out_.insert(l);
    r->messages = l->list.list();
    r->batch = l;
}

mqb_status lent_consumer::on_receive(mqb_consumer* c, mqb_receive* r) {
    lent_consumer& self = of(c);
    std::lock_guard lock(self.guard_);
    if (self.asked_) note(rules::receive, "a middleware started a second receive on its inner side");
    if (r->max_messages == 0) note(rules::receive_limits, "a middleware asked its inner side for at most 0 messages");
    if (self.how_ == answering::at_once && !self.queue_.empty()) return self.fill(r), MQB_OK;
    if (self.how_ == answering::at_once && (self.ended_ || r->drain)) return MQB_END;
    self.asked_ = r;
    self.cancelled_ = false;
    self.changed_.notify_all();
    return MQB_PENDING;
}
void lent_consumer::work() {
    std::unique_lock lock(guard_);
    for (;;) {
        changed_.wait(lock, [this] { return asked_ && (cancelled_ || ended_ || asked_->drain || !queue_.empty()); });
        mqb_receive* r = asked_;
        mqb_status status = MQB_OK;
        if (!queue_.empty())
            fill(r);  // also when cancelled: a message is never taken and not given
        else
            status = cancelled_ ? MQB_CANCELLED : MQB_END;
        asked_ = nullptr;
        lock.unlock();
        std::this_thread::sleep_for(200us);
        {
            std::lock_guard turn(*serial_);
            r->call.done(&r->call, status);
        }
        lock.lock();
    }
}
mqb_status lent_consumer::on_settle(mqb_consumer* c, mqb_settle* s) {
    lent_consumer& self = of(c);
    std::lock_guard lock(self.guard_);
    auto* l = static_cast<load*>(s->batch);
    if (!self.out_.count(l)) return note(rules::settle, "a middleware settled a batch that its inner side does not know"), MQB_OK;
    if (s->entries.count != s->outcomes.count) note(rules::settle, "a middleware settled with outcomes of another count");
    for (std::uint32_t i = 0; i < s->entries.count; ++i) {
        mqb_entry e{};
        std::memcpy(&e, mqb_entry_at(&s->entries, i), std::min<std::size_t>(sizeof e, s->entries.size));
        if (e.index >= l->letters.size()) {
            note(rules::settle,
                 "a middleware settled index " + std::to_string(e.index) + " of a batch of " + std::to_string(l->letters.size()));
            continue;
        }
        mqb_outcome_at(&s->outcomes, i)->result = MQB_SETTLE_OK;
        if (e.disposition == MQB_REPLY_MORE) continue;
        if (l->settled[e.index]) note(rules::settle_outcome, "a middleware settled index " + std::to_string(e.index) + " twice");
        l->settled[e.index] = true;
        if (e.disposition == MQB_NACK)
            self.queue_.push_back(l->letters[e.index]);
        else
            ++self.acknowledged_;
    }
    return MQB_OK;
}
void lent_consumer::on_free_batch(mqb_consumer* c, void* token) {
    lent_consumer& self = of(c);
    std::lock_guard lock(self.guard_);
    auto* l = static_cast<load*>(token);
    if (!self.out_.erase(l)) return note(rules::free_batch, "a middleware freed a batch twice, or one that its inner side does not know");
    for (std::size_t i = l->letters.size(); i-- > 0;)
        if (!l->settled[i]) self.queue_.push_front(l->letters[i]);
    l->list.memory().destroy();
    l->owner->drop();
    self.changed_.notify_all();
}
void lent_consumer::on_cancel(mqb_consumer* c, std::uint64_t operation) {
    lent_consumer& self = of(c);
    std::lock_guard lock(self.guard_);
    if (!self.asked_ || self.asked_->call.operation != operation) return;
    self.cancelled_ = true;
    self.changed_.notify_all();
}
std::size_t lent_consumer::acknowledged() { return std::lock_guard(guard_), acknowledged_; }
std::size_t lent_consumer::given() { return std::lock_guard(guard_), given_; }
std::size_t lent_consumer::batches_out() { return std::lock_guard(guard_), out_.size(); }
std::size_t lent_consumer::waiting() { return std::lock_guard(guard_), queue_.size(); }

lent_publisher::lent_publisher(answering how) : face_{{&table_}, this}, how_(how) {}
lent_publisher& lent_publisher::make(answering how) { return *new lent_publisher(how); }
lent_publisher& lent_publisher::of(mqb_publisher* p) { return *reinterpret_cast<face*>(p)->self; }
mqb_promises lent_publisher::promises() {
    mqb_promises p{};
    p.struct_size = sizeof p;
    p.flags = MQB_ORDERED | MQB_CONCURRENT;
    return p;
}
void lent_publisher::deliver_under(std::recursive_mutex* serial) {
    serial_ = serial;
    std::thread([this] {
        this_thread_is_the_kits();
        work();
    }).detach();
}
void lent_publisher::take(mqb_send* s) {
    for (std::uint32_t i = 0; i < s->messages.count; ++i) {
        mqb_message m;
        mqb_message_copy(&s->messages, i, &m);
        sent_.emplace_back(m.payload.size ? std::string(reinterpret_cast<const char*>(m.payload.data), m.payload.size) : std::string());
        mqb_outcome_at(&s->outcomes, i)->result = MQB_DONE;
    }
}
mqb_status lent_publisher::on_send(mqb_publisher* p, mqb_send* s) {
    lent_publisher& self = of(p);
    std::lock_guard lock(self.guard_);
    if (s->messages.count != s->outcomes.count) note(rules::send, "a middleware sent with outcomes of another count");
    if (self.how_ == answering::at_once) return self.take(s), MQB_OK;
    self.waiting_.push_back({s, false});
    self.changed_.notify_all();
    return MQB_PENDING;
}
void lent_publisher::work() {
    std::unique_lock lock(guard_);
    for (;;) {
        changed_.wait(lock, [this] { return !waiting_.empty() && !held_; });
        lock.unlock();
        std::this_thread::sleep_for(200us);
        lock.lock();
        const waiting w = waiting_.front();
        waiting_.pop_front();
        if (!w.cancelled) take(w.send);
        lock.unlock();
        {
            std::lock_guard turn(*serial_);
            w.send->call.done(&w.send->call, w.cancelled ? MQB_CANCELLED : MQB_OK);
        }
        lock.lock();
    }
}
void lent_publisher::on_cancel(mqb_publisher* p, std::uint64_t operation) {
    lent_publisher& self = of(p);
    std::lock_guard lock(self.guard_);
    for (waiting& w : self.waiting_)
        if (w.send->call.operation == operation) w.cancelled = true;
}
void lent_publisher::hold(bool on) {
    std::lock_guard lock(guard_);
    held_ = on;
    changed_.notify_all();
}
bool lent_publisher::uses(const mqb_list& l) {
    const auto* begin = static_cast<const char*>(l.first);
    const auto* end = begin + std::size_t(l.count) * l.stride;
    const auto inside = [&](const mqb_list& given) {
        const auto* at = static_cast<const char*>(given.first);
        return given.count && at >= begin && at < end;
    };
    std::lock_guard lock(guard_);
    return std::ranges::any_of(waiting_, [&](const waiting& w) { return inside(w.send->messages) || inside(w.send->outcomes); });
}
std::vector<std::string> lent_publisher::sent() { return std::lock_guard(guard_), sent_; }

}  // namespace mqb::conformance
