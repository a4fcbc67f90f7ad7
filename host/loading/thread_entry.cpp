#include "host/loading/thread_entry.hpp"

#include "host/loading/crash_naming.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace mqb::loading {

thread_local constinit thread_entry* current_entry = nullptr;

namespace {

std::atomic<thread_entry*> all_entries{nullptr};

// Where a thread ended: an exit() inside of a plugin destroys the entry's owner before anything else hears of it.
thread_local constinit const call_site* ended_in = nullptr;

// Hands the entry of a thread that ends to the next new one.
struct entry_owner {
    thread_entry* entry = nullptr;
    ~entry_owner() {
        if (!entry) return;
        current_entry = nullptr;
        ended_in = entry->site.load(std::memory_order_relaxed);
        entry->site.store(nullptr, std::memory_order_relaxed);
        entry->is_disposable.store(false, std::memory_order_relaxed);
        entry->in_use.store(false, std::memory_order_release);
    }
};

thread_entry* reuse_entry() noexcept {
    for (thread_entry* e = first_thread_entry(); e; e = e->next) {
        bool expected = false;
        if (e->in_use.compare_exchange_strong(expected, true, std::memory_order_acq_rel)) return e;
    }
    return nullptr;
}

thread_entry* add_entry() {
    auto* e = new thread_entry;
    e->next = all_entries.load(std::memory_order_relaxed);
    while (!all_entries.compare_exchange_weak(e->next, e, std::memory_order_release, std::memory_order_relaxed)) {}
    return e;
}

}  // namespace

const char* to_text(entry_point which) noexcept {
    static constexpr std::array<const char*, static_cast<std::size_t>(entry_point::count)> texts{
        "open",         "mqb_plugin_v1", "promises", "create", "connect", "receive", "settle", "free_batch", "lanes_done",
        "lanes_ending", "control",       "send",     "apply",  "cancel",  "free",    "table",  "completion"};
    return which < entry_point::count ? texts[static_cast<std::size_t>(which)] : "?";
}

std::string call_site::text() const { return place->plugin + "." + to_text(function); }

call_place::call_place(std::string_view of_plugin, std::string_view in_route, std::string_view at_path, std::string_view from_file)
    : plugin(of_plugin), route(in_route), path(at_path), file(from_file) {
    for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = {this, static_cast<entry_point>(i)};
}

const call_site* current_site() noexcept { return current_entry ? current_entry->site.load(std::memory_order_relaxed) : ended_in; }

thread_entry* first_thread_entry() noexcept { return all_entries.load(std::memory_order_acquire); }

thread_entry& make_thread_entry() {
    static thread_local entry_owner owner;
    thread_entry* e = reuse_entry();
    if (!e) e = add_entry();
    owner.entry = e;
    current_entry = e;
    ensure_signal_stack();
    return *e;
}

const call_place& place_of(std::string_view plugin, std::string_view route, std::string_view path, std::string_view file) {
    using texts = std::array<std::string, 4>;
    // Neither is ever destroyed: threads that outlive main may still look.
    static auto& mutex = *new std::mutex;
    static auto& places = *new std::map<texts, std::unique_ptr<const call_place>>;
    std::lock_guard lock{mutex};
    auto& at = places[texts{std::string{plugin}, std::string{route}, std::string{path}, std::string{file}}];
    if (!at) at = std::make_unique<const call_place>(plugin, route, path, file);
    return *at;
}

}  // namespace mqb::loading
