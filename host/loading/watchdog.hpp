// watchdog: notices that a thread of the pool does not come back from a plugin, lends the pool another one, and says where it blocks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace mqb::loading {

struct thread_entry;

// What the watchdog asks of the host. Called on the watchdog's thread.
struct watchdog_hooks {
    std::function<void()> add_thread;     // one spare thread for the pool
    std::function<void()> retire_thread;  // one less: a blocked call has returned
    // "blocked in PLUGIN.FUNCTION" for a route; empty: no longer.
    std::function<void(std::string_view route, std::string_view cause)> on_blocked;
};

class watchdog {
public:
    static constexpr std::uint32_t most_spares = 64;

    explicit watchdog(watchdog_hooks hooks, std::chrono::milliseconds period = std::chrono::milliseconds{25},
                      std::chrono::milliseconds threshold = std::chrono::milliseconds{100});
    ~watchdog();
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;

private:
    using clock = std::chrono::steady_clock;
    // What a thread was seen in.
    struct sighting {
        std::uint64_t sequence = 0;
        clock::time_point since;
        bool is_blocked = false;
        bool has_spare = false;
    };
    void run();
    void sample(clock::time_point now);
    void look_at(const thread_entry& entry, clock::time_point now, std::map<std::string, std::string>& blocked);
    bool add_spare();
    void give_up_spare(sighting& s);
    void tell(std::map<std::string, std::string> blocked);

    watchdog_hooks hooks_;
    std::chrono::milliseconds period_;
    std::chrono::milliseconds threshold_;
    std::map<const thread_entry*, sighting> seen_;
    std::map<std::string, std::string> told_;  // by route
    std::uint32_t spares_ = 0;

    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace mqb::loading
