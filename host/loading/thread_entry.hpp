// thread_entry: what each thread is inside of at this moment, for the watchdog and for naming a crash.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::loading {

// What of a plugin can be entered.
enum class entry_point : std::uint8_t {
    open,  // its static constructors
    mqb_plugin_v1,
    promises,
    create,
    connect,
    receive,
    settle,
    free_batch,
    lanes_done,
    lanes_ending,
    control,
    send,
    apply,
    cancel,
    free,
    table,
    completion,  // `done`, `answer` or `found` of a middleware's inner operation or timer
    count
};
[[nodiscard]] const char* to_text(entry_point which) noexcept;

struct call_place;

// One function of one plugin at one endpoint.
struct call_site {
    const call_place* place = nullptr;
    entry_point function = entry_point::open;
    // "PLUGIN.FUNCTION"
    [[nodiscard]] std::string text() const;
};

// Whose functions are entered. Kept for ever, since a watchdog or a signal handler may look at it at any time.
struct call_place {
    std::string plugin;
    std::string route;  // empty while none is concerned
    std::string path;   // of the endpoint
    std::string file;   // of the library, where its name does not tell the plugin's
    std::array<call_site, static_cast<std::size_t>(entry_point::count)> sites;

    call_place(std::string_view of_plugin, std::string_view in_route, std::string_view at_path, std::string_view from_file);
    call_place(const call_place&) = delete;
    call_place& operator=(const call_place&) = delete;
    [[nodiscard]] const call_site& operator[](entry_point which) const noexcept { return sites[static_cast<std::size_t>(which)]; }
};

// The one place with these texts. Any thread.
[[nodiscard]] const call_place& place_of(std::string_view plugin, std::string_view route = {}, std::string_view path = {},
                                         std::string_view file = {});

// One per thread, never freed, used again by later threads. Written by its own thread only.
struct thread_entry {
    std::atomic<const call_site*> site{nullptr};  // null: in no plugin
    std::atomic<std::uint64_t> sequence{0};       // another one after every entry and exit
    std::atomic<bool> is_disposable{false};       // not of the pool: needs no replacement while it blocks
    std::atomic<bool> in_use{true};
    thread_entry* next = nullptr;  // of all, set once
};

extern thread_local constinit thread_entry* current_entry;
thread_entry& make_thread_entry();

// What this thread is inside of, also while its thread-local objects are being destroyed; null: nothing.
[[nodiscard]] const call_site* current_site() noexcept;

inline thread_entry& this_thread_entry() {
    thread_entry* e = current_entry;
    return e ? *e : make_thread_entry();
}

// The first of all entries; the list only grows at its front.
[[nodiscard]] thread_entry* first_thread_entry() noexcept;

// Stamps this thread for the length of a call: two stores each way, no clock.
class stamp {
public:
    explicit stamp(const call_site& site) : entry_(this_thread_entry()), around_(entry_.site.load(std::memory_order_relaxed)) {
        set(&site);
    }
    ~stamp() { set(around_); }
    stamp(const stamp&) = delete;
    stamp& operator=(const stamp&) = delete;

private:
    void set(const call_site* site) noexcept {
        entry_.sequence.store(entry_.sequence.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        entry_.site.store(site, std::memory_order_release);  // the site may have been made just now; who sees it sees its sequence
    }
    thread_entry& entry_;
    const call_site* around_;  // the call around this one
};

}  // namespace mqb::loading
