// timers: what the broker does later, by the steady clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

namespace mqb::shapes::broker {

// Threads: one.
class timers {
public:
    using clock = std::chrono::steady_clock;

    void after(std::chrono::nanoseconds delay, std::function<void()> what) { due_.emplace(clock::now() + delay, std::move(what)); }
    void run_due() {
        const auto now = clock::now();
        while (!due_.empty() && due_.begin()->first <= now) {
            const auto what = std::move(due_.begin()->second);
            due_.erase(due_.begin());
            what();
        }
    }
    // For poll: milliseconds until the first one, -1 for ever.
    int wait_ms() const {
        if (due_.empty()) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_.begin()->first - clock::now()).count();
        return left < 0 ? 0 : static_cast<int>(left < 60000 ? left : 60000);
    }

private:
    std::multimap<clock::time_point, std::function<void()>> due_;
};

}  // namespace mqb::shapes::broker
