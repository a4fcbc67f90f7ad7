#include "broadcast.hpp"

#include "names.hpp"

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

std::vector<broadcast::copy> broadcast::copies_of(counted_parcel one) {
    std::vector<copy> copies;
    std::lock_guard lock(mutex_);
    for (const auto& to : channels()) copies.push_back({to, again(*one)});
    kept_bytes_ += one->charge();
    kept_.push_back(std::move(one));
    drop_old();
    return copies;
}

void broadcast::drop_old() noexcept {
    if (!has_begun_) return;
    while (kept_.size() > capacity_ || kept_bytes_ > capacity_bytes_) {
        kept_bytes_ -= kept_.front()->charge();
        kept_.pop_front();
    }
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
        for (const counted_parcel& one : kept_) made->deliver(again(*one).release());
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
