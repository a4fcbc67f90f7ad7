#include "broadcast.hpp"

#include "names.hpp"

#include <algorithm>

namespace mqb::memory {

namespace {

// Another parcel of the same bytes: places and deliveries are counted in each channel by itself.
counted_parcel again(parcel& one) { return counted_parcel(parcel::make(mqb_list_of(one.element(0), one.count(), one.element_size()))); }

}  // namespace

std::shared_ptr<broadcast> broadcast::open(const std::string& name, std::uint32_t capacity, std::uint64_t capacity_bytes) {
    names& all = names::of_this_process();
    std::lock_guard lock(all.mutex);
    if (all.queues.contains(name)) throw names::conflict(name);
    std::shared_ptr<broadcast>& found = all.broadcasts[name];
    if (!found) found = std::make_shared<broadcast>(name, capacity, capacity_bytes);
    return found;
}

void broadcast::close(std::shared_ptr<broadcast>& share) {
    const std::shared_ptr<broadcast> last = std::move(share);  // goes after the locks
    if (!last) return;
    names& all = names::of_this_process();
    std::lock_guard lock(all.mutex);
    std::lock_guard inner(last->mutex_);
    // Two counts: this one and the list's. Nobody gets another while the list is locked.
    const auto listed = all.broadcasts.find(last->name_);
    if (listed != all.broadcasts.end() && listed->second == last && last.use_count() == 2 && last->unread_ && last->unread_->is_empty())
        all.broadcasts.erase(listed);
}

broadcast::broadcast(std::string name, std::uint32_t capacity, std::uint64_t capacity_bytes)
    : name_(std::move(name)), capacity_(capacity), capacity_bytes_(capacity_bytes),
      unread_(std::make_shared<channel>(name_, capacity, capacity_bytes)) {
    unread_->close_gate();
}

std::vector<std::shared_ptr<channel>> broadcast::channels() const {
    return unread_ ? std::vector<std::shared_ptr<channel>>{unread_} : subscribers_;
}

// ---- senders ----

void broadcast::attach_sender() {
    std::lock_guard lock(mutex_);
    ++senders_;
    had_sender_ = true;
    for (const auto& one : channels()) one->attach_sender();
}

void broadcast::detach_sender() {
    std::lock_guard lock(mutex_);
    --senders_;
    for (const auto& one : channels()) one->detach_sender();
}

broadcast::sending broadcast::begin_send(counted_parcel one) {
    std::lock_guard lock(mutex_);
    sending begun{{}, next_number_++};
    for (const auto& to : channels()) begun.copies.push_back({to, again(*one)});
    kept_.push_back({std::move(one), begun.number});
    kept_bytes_ += kept_.back().of->charge();
    drop_old();
    return begun;
}

void broadcast::drop_old() noexcept {
    if (!has_begun_) return;
    while (kept_.size() > capacity_ || kept_bytes_ > capacity_bytes_) {
        kept_bytes_ -= kept_.front().of->charge();
        kept_.pop_front();
    }
}

void broadcast::forget(std::uint64_t number) {
    counted_parcel last;  // goes after the lock
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::lower_bound(kept_, number, {}, &kept::number);
    if (found == kept_.end() || found->number != number) return;
    kept_bytes_ -= found->of->charge();
    last = std::move(found->of);
    kept_.erase(found);
}

std::vector<bool> broadcast::withdraw(const waiting_send& told) {
    std::vector<std::shared_ptr<channel>> all;
    {
        std::lock_guard lock(mutex_);
        all = channels();
    }
    std::vector<bool> unread(told.size(), true);
    for (const auto& one : all) {
        const std::vector<bool> here = one->withdraw(told, told.size());
        for (std::size_t i = 0; i < here.size(); ++i) unread[i] = unread[i] && here[i];
    }
    if (std::ranges::find(unread, false) == unread.end()) forget(told.number);
    for (const auto& one : all) one->serve_waiting();
    return unread;
}

// ---- subscribers ----

bool broadcast::has_begun() const {
    std::lock_guard lock(mutex_);
    return has_begun_;
}

void broadcast::begin() {
    std::vector<std::shared_ptr<channel>> all;
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(has_begun_, true)) return;
        all = channels();
        drop_old();
    }
    for (const auto& one : all) one->open_gate();
}

std::shared_ptr<channel> broadcast::subscribe() {
    std::lock_guard lock(mutex_);
    subscribers_.reserve(subscribers_.size() + 1);
    std::shared_ptr<channel> made = std::move(unread_);
    if (!made) {
        made = std::make_shared<channel>(name_, capacity_, capacity_bytes_);
        if (!has_begun_) made->close_gate();
        for (const kept& one : kept_) made->deliver(again(*one.of).release());
        for (std::uint32_t i = 0; i < senders_; ++i) made->attach_sender();
        if (had_sender_ && senders_ == 0) made->attach_sender(), made->detach_sender();
    }
    subscribers_.push_back(made);
    return made;
}

void broadcast::unsubscribe(const std::shared_ptr<channel>& one) {
    {
        std::lock_guard lock(mutex_);
        if (std::erase(subscribers_, one) == 0) return;
        if (subscribers_.empty()) {
            unread_ = one;
            return;
        }
    }
    one->abandon();
}

}  // namespace mqb::memory
