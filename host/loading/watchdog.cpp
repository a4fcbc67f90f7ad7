#include "host/loading/watchdog.hpp"

#include "host/loading/thread_entry.hpp"

#include <system_error>
#include <utility>

namespace mqb::loading {

watchdog::watchdog(watchdog_hooks hooks, std::chrono::milliseconds period, std::chrono::milliseconds threshold)
    : hooks_(std::move(hooks)), period_(period), threshold_(threshold), thread_([this] { run(); }) {}

watchdog::~watchdog() {
    {
        std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void watchdog::run() {
    std::unique_lock lock{mutex_};
    while (!wake_.wait_for(lock, period_, [this] { return stopping_; })) {
        lock.unlock();
        sample(clock::now());
        lock.lock();
    }
}

void watchdog::sample(clock::time_point now) {
    std::map<std::string, std::string> blocked;
    for (const thread_entry* e = first_thread_entry(); e; e = e->next) look_at(*e, now, blocked);
    tell(std::move(blocked));
}

void watchdog::look_at(const thread_entry& entry, clock::time_point now, std::map<std::string, std::string>& blocked) {
    // The site first: the sequence is then at least the one of its entry, and never that of a call before it.
    const call_site* site = entry.site.load(std::memory_order_acquire);
    const std::uint64_t sequence = entry.sequence.load(std::memory_order_relaxed);
    sighting& s = seen_[&entry];
    if (!site || sequence != s.sequence) {
        give_up_spare(s);
        s = {sequence, now, false, false};
        return;
    }
    if (now - s.since < threshold_) return;
    if (!s.is_blocked) {
        s.is_blocked = true;
        const bool is_of_pool = !entry.is_disposable.load(std::memory_order_relaxed);
        if (is_of_pool && spares_ < most_spares && hooks_.add_thread) { s.has_spare = add_spare(); }
    }
    if (!site->place->route.empty()) blocked[site->place->route] = "blocked in " + site->text();
}

// False: the system has no thread left; the pool goes on with those that it has.
bool watchdog::add_spare() {
    try {
        hooks_.add_thread();
    } catch (const std::system_error&) { return false; }
    ++spares_;
    return true;
}

void watchdog::give_up_spare(sighting& s) {
    if (!std::exchange(s.has_spare, false)) return;
    --spares_;
    if (hooks_.retire_thread) hooks_.retire_thread();
}

void watchdog::tell(std::map<std::string, std::string> blocked) {
    if (!hooks_.on_blocked) return;
    for (const auto& [route, cause] : told_)
        if (!blocked.contains(route)) hooks_.on_blocked(route, {});
    for (const auto& [route, cause] : blocked)
        if (auto at = told_.find(route); at == told_.end() || at->second != cause) hooks_.on_blocked(route, cause);
    told_ = std::move(blocked);
}

}  // namespace mqb::loading
