#include "channel.hpp"

#include "names.hpp"

namespace mqb::memory {

std::shared_ptr<channel> channel::open(const std::string& name, std::uint32_t capacity, std::uint64_t capacity_bytes) {
    names& all = names::of_this_process();
    std::lock_guard lock(all.mutex);
    if (all.broadcasts.contains(name)) throw names::conflict(name);
    std::shared_ptr<channel>& found = all.queues[name];
    if (!found) found = std::make_shared<channel>(name, capacity, capacity_bytes);
    return found;
}

void channel::close(std::shared_ptr<channel>& share) {
    const std::shared_ptr<channel> last = std::move(share);  // goes after the locks
    if (!last) return;
    names& all = names::of_this_process();
    std::lock_guard lock(all.mutex);
    std::lock_guard inner(last->mutex_);
    // Two counts: this one and the list's. Nobody gets another while the list is locked.
    const auto listed = all.queues.find(last->name_);
    if (listed != all.queues.end() && listed->second == last && last.use_count() == 2 && last->queue_.empty()) all.queues.erase(listed);
}

channel::channel(std::string name, std::uint32_t capacity, std::uint64_t capacity_bytes)
    : name_(std::move(name)), capacity_(capacity), capacity_bytes_(capacity_bytes) {}

channel::~channel() {
    for (const run& one : queue_) one.of->release();
}

// ---- senders ----

void channel::attach_sender() {
    std::lock_guard lock(mutex_);
    ++senders_;
    had_sender_ = true;
}

void channel::detach_sender() {
    std::lock_guard lock(mutex_);
    --senders_;
}

bool channel::has_room(const parcel& one) const {
    return queue_.empty() || (queue_.size() < capacity_ && queued_bytes_ + one.charge() <= capacity_bytes_);
}

void channel::put(parcel* one) {
    one->set_place(next_place_);
    next_place_ += one->count();
    queue_.push_back({one, 0, one->count()});
    queued_bytes_ += queue_.back().charge();
}

// What comes back is older than nearly everything that waits, so its place is near the front.
void channel::put_back(const run& one) {
    auto at = queue_.begin();
    while (at != queue_.end() && at->of->place(at->from) < one.of->place(one.from)) ++at;
    queued_bytes_ += one.charge();
    queue_.insert(at, one);
}

sdk::status channel::send(parcel* one, sdk::send_call& call) {
    finish later;
    {
        std::lock_guard lock(mutex_);
        if (!waiting_senders_.empty() || !has_room(*one)) {
            waiting_senders_.push_back(one);
            one->sender = call.later();
            return sdk::status::pending;
        }
        put(one);
        serve(later);
    }
    call.all_done();
    later();
    return sdk::status::done;
}

void channel::send(parcel* one) {
    finish later;
    const std::shared_ptr<settlement> told = one->told;  // the parcel may be gone when it is in
    {
        std::lock_guard lock(mutex_);
        if (!is_abandoned_ && (!waiting_senders_.empty() || !has_room(*one))) return waiting_senders_.push_back(one);
        if (!is_abandoned_) put(std::exchange(one, nullptr)), serve(later);
    }
    told->entered();
    later();
    if (one) drop({one, 0, one->count()});
}

void channel::deliver(parcel* one) {
    std::lock_guard lock(mutex_);
    put(one);
}

// Of a reader that has gone for good: as if it had settled them.
void channel::drop(const run& one) {
    if (one.of->told) one.of->told->all_acknowledged(one.of->told_index(one.from), one.count);
    one.of->release();
}

void channel::abandon() {
    std::deque<run> queue;
    std::deque<parcel*> waiting;
    {
        std::lock_guard lock(mutex_);
        is_abandoned_ = true;
        queue.swap(queue_);
        waiting.swap(waiting_senders_);
        queued_bytes_ = 0;
    }
    for (const run& one : queue) drop(one);
    for (parcel* one : waiting) {
        one->told->entered();
        drop({one, 0, one->count()});
    }
}

void channel::serve_waiting() {
    finish later;
    {
        std::lock_guard lock(mutex_);
        serve(later);
    }
    later();
}

std::vector<bool> channel::withdraw(const settlement& told, std::uint32_t count) {
    std::vector<bool> unread(count);
    std::vector<parcel*> taken;
    {
        std::lock_guard lock(mutex_);
        std::erase_if(waiting_senders_, [&](parcel* one) {
            if (one->told.get() != &told) return false;
            unread.assign(count, true);
            taken.push_back(one);
            return true;
        });
        std::erase_if(queue_, [&](const run& one) {
            if (one.of->told.get() != &told) return false;
            for (std::uint32_t i = 0; i < one.count; ++i) unread[one.of->told_index(one.from + i)] = true;
            queued_bytes_ -= one.charge();
            taken.push_back(one.of);
            return true;
        });
    }
    for (parcel* one : taken) one->release();
    return unread;
}

void channel::cancel_send(const void* from, std::uint64_t operation) {
    std::vector<parcel*> taken;
    {
        std::lock_guard lock(mutex_);
        std::erase_if(waiting_senders_, [&](parcel* one) {
            const bool is_taken = one->from == from && (!taken.empty() || one->sender.id() == operation);
            if (is_taken) taken.push_back(one);
            return is_taken;
        });
    }
    for (parcel* one : taken) {  // every outcome is still UNSENT
        one->sender.complete(one->sender.id() == operation ? sdk::status::cancelled : sdk::status::done);
        one->release();
    }
}

void channel::close_gate() {
    std::lock_guard lock(mutex_);
    is_gated_ = true;
}

void channel::open_gate() {
    {
        std::lock_guard lock(mutex_);
        is_gated_ = false;
    }
    serve_waiting();
}

// ---- readers ----

bool channel::is_empty() const {
    std::lock_guard lock(mutex_);
    return queue_.empty();
}

bool channel::is_full() const {
    std::lock_guard lock(mutex_);
    return queue_.size() >= capacity_ || queued_bytes_ >= capacity_bytes_;
}

bool channel::has_waiting_reader() const {
    std::lock_guard lock(mutex_);
    return readers_ != nullptr;
}

bool channel::is_over(const reader& who) const {
    return who.drains && queue_.empty() && senders_ == 0 && outstanding_ == who.outstanding && (had_sender_ || who.has_waited_for_senders);
}

sdk::status channel::receive(reader& who, sdk::receive_call& call) {
    finish later;
    {
        std::lock_guard lock(mutex_);
        if (queue_.empty() || is_gated_) {
            if (is_over(who)) return sdk::status::end;
            who.call = call.later();
            who.next = nullptr;
            reader** last = &readers_;
            while (*last) last = &(*last)->next;
            *last = &who;
            return sdk::status::pending;
        }
        take(who);
        serve(later);
    }
    later();
    return sdk::status::done;
}

// Whole entries from the front as long as they fit, so that many small sends become one batch; of a larger first one a part.
void channel::take(reader& who) {
    who.with->clear();
    while (!queue_.empty() && take_front(who)) {}
    who.outstanding += who.with->count();
    outstanding_ += who.with->count();
}

bool channel::take_front(reader& who) {
    run& front = queue_.front();
    delivery& with = *who.with;
    // Entries are put together by copying their elements: not worth it for a batch that is large already.
    if (!with.is_empty() && (with.count() > who.max_messages / 2 || front.of->element_size() != with.element_size())) return false;
    std::uint32_t count = front.count;
    if (count > who.max_messages - with.count()) count = who.max_messages - with.count();
    if (who.max_bytes && with.payload_bytes() + front.of->payload_bytes() > who.max_bytes) {
        std::uint64_t total = with.payload_bytes();
        std::uint32_t fit = 0;
        for (; fit < count; ++fit) {
            total += front.of->message(front.from + fit).payload.size;
            if (total > who.max_bytes) break;
        }
        count = fit == 0 && with.is_empty() ? 1 : fit;
    }
    if (count < front.count && !with.is_empty()) return false;
    queued_bytes_ -= front.charge();
    if (count == front.count) {
        with.add(front);
        queue_.pop_front();
        return true;
    }
    front.of->retain();
    with.add({front.of, front.from, count});
    front.from += count;
    front.count -= count;
    queued_bytes_ += front.charge();
    return false;
}

// After the queue has changed: readers who wait get what is there, and senders who wait get the room.
void channel::serve(finish& later) {
    reader** last_reader = &later.readers;
    parcel** last_sender = &later.senders;
    while (*last_reader) last_reader = &(*last_reader)->next;
    for (bool changed = true; changed;) {
        changed = false;
        while (readers_ && !queue_.empty() && !is_gated_) {
            reader* one = readers_;
            readers_ = one->next;
            one->next = nullptr;
            take(*one);
            *last_reader = one;
            last_reader = &one->next;
            changed = true;
        }
        while (!waiting_senders_.empty() && has_room(*waiting_senders_.front())) {
            parcel* one = waiting_senders_.front();
            waiting_senders_.pop_front();
            one->retain();  // its operation is in it
            put(one);
            one->next = nullptr;
            *last_sender = one;
            last_sender = &one->next;
            changed = true;
        }
    }
}

void channel::finish::operator()() noexcept {
    while (senders) {
        parcel* one = senders;
        senders = one->next;
        if (one->sender) {
            one->sender->all_done();
            one->sender.complete(sdk::status::done);
        } else {
            one->told->entered();
        }
        one->release();
    }
    while (readers) {
        reader* one = readers;
        readers = one->next;  // before the completion: afterwards it may be in the line again
        delivery* given = std::exchange(one->with, nullptr);
        given->begin();
        one->call->give(given->list(), given);
        one->call.complete(sdk::status::done);
    }
}

bool channel::is_waiting(const reader& who) const {
    for (const reader* one = readers_; one; one = one->next)
        if (one == &who) return true;
    return false;
}

void channel::take_out(const reader& who) {
    reader** at = &readers_;
    while (*at != &who) at = &(*at)->next;
    *at = who.next;
}

void channel::cancel_receive(reader& who, std::uint64_t operation) {
    {
        std::lock_guard lock(mutex_);
        // Only in the line is its call certain to be alive.
        if (!is_waiting(who) || who.call.id() != operation) return;
        take_out(who);
    }
    who.call.complete(sdk::status::cancelled);
}

bool channel::look_again(reader& who, bool has_waited_for_senders) {
    {
        std::lock_guard lock(mutex_);
        if (!is_waiting(who)) return false;
        who.has_waited_for_senders = has_waited_for_senders;
        if (!is_over(who)) return true;
        take_out(who);
    }
    who.call.complete(sdk::status::end);
    return false;
}

void channel::settled(reader& who, std::uint64_t messages) {
    std::lock_guard lock(mutex_);
    who.outstanding -= messages;
    outstanding_ -= messages;
}

void channel::give_back(reader& who, const std::vector<run>& runs) {
    finish later;
    bool is_abandoned;
    {
        std::lock_guard lock(mutex_);
        is_abandoned = is_abandoned_;
        for (const run& one : runs) {
            if (!is_abandoned) put_back(one);
            who.outstanding -= one.count;
            outstanding_ -= one.count;
        }
        serve(later);
    }
    later();
    if (is_abandoned)
        for (const run& one : runs) drop(one);
}

}  // namespace mqb::memory
