// host: a host for unit tests: remembers logs and events, and has a clock that the test moves.
#pragma once

#include <mqb/host.h>
#include <mqb/sdk/text.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

namespace mqb::sdk::testing {

// Threads: [any], as the table demands. Timers run inside run_timers, on its thread.
class host : public mqb_host {
public:
    struct line {
        std::int32_t level;
        std::string text;
    };
    struct event {
        std::int32_t kind;
        std::string text;
        std::int64_t number;
        std::vector<std::uint64_t> lanes;
    };

    host() noexcept : mqb_host{&slots()} {}
    host(const host&) = delete;

    // The clock goes by itself, and may be moved on.
    void advance(std::chrono::nanoseconds by) {
        std::lock_guard lock(mutex_);
        skew_ += static_cast<std::uint64_t>(by.count());
    }
    std::uint64_t now() {
        std::lock_guard lock(mutex_);
        return time();
    }
    // Completes what is due; `cancels_all`: and cancels the rest. True if there was anything.
    bool run_timers(bool cancels_all = false) {
        std::vector<std::pair<mqb_call*, mqb_status>> due;
        {
            std::lock_guard lock(mutex_);
            std::erase_if(timers_, [&](const alarm& one) {
                const bool is_due = one.at <= time();
                if (is_due || one.is_cancelled || cancels_all) due.emplace_back(one.call, is_due ? MQB_OK : MQB_CANCELLED);
                return is_due || one.is_cancelled || cancels_all;
            });
        }
        for (const auto& [call, answer] : due) call->done(call, answer);
        return !due.empty();
    }
    std::vector<line> lines() {
        std::lock_guard lock(mutex_);
        return lines_;
    }
    std::vector<event> events() {
        std::lock_guard lock(mutex_);
        return events_;
    }
    // How many lines of this level contain the text.
    std::size_t count_lines(std::int32_t level, std::string_view text) {
        const auto all = lines();
        return static_cast<std::size_t>(std::count_if(
            all.begin(), all.end(), [&](const line& one) { return one.level == level && one.text.find(text) != one.text.npos; }));
    }
    // What render answers, by the number of the template.
    std::map<std::uint32_t, std::string> templates;

private:
    struct alarm {
        std::uint64_t at;
        mqb_call* call;
        bool is_cancelled = false;
    };
    static host& of(mqb_host* self) noexcept { return *static_cast<host*>(self); }
    std::uint64_t time() const {
        return skew_ + static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
    }

    static std::int32_t log_level(mqb_host*) { return MQB_LOG_DEBUG; }
    static void log(mqb_host* self, std::int32_t level, mqb_text text) {
        std::lock_guard lock(of(self).mutex_);
        of(self).lines_.push_back({level, std::string(view(text))});
    }
    static void raise(mqb_host* self, const mqb_event* one) {
        std::lock_guard lock(of(self).mutex_);
        of(self).events_.push_back({one->kind, std::string(view(one->text)), one->number, {one->lanes, one->lanes + one->lane_count}});
    }
    static std::uint64_t clock(mqb_host* self, std::int32_t which) {
        if (which == MQB_CLOCK_STEADY) return of(self).now();
        return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
    }
    static mqb_status wait_until(mqb_host* self, std::uint64_t at, mqb_call* call) {
        std::lock_guard lock(of(self).mutex_);
        of(self).timers_.push_back({at, call});
        return MQB_PENDING;
    }
    static void cancel(mqb_host* self, std::uint64_t operation) {
        std::lock_guard lock(of(self).mutex_);
        for (alarm& one : of(self).timers_)
            if (one.call->operation == operation) one.is_cancelled = true;
    }
    static mqb_status render(mqb_host* self, std::uint32_t number, const mqb_message*, char* out, std::size_t* size) {
        const auto found = of(self).templates.find(number);
        if (found == of(self).templates.end()) return MQB_REJECTED;
        const bool fits = found->second.size() <= *size;
        if (fits) std::copy(found->second.begin(), found->second.end(), out);
        *size = found->second.size();
        return fits ? MQB_OK : MQB_RETRY;
    }
    static const void* table_of(mqb_host*, mqb_text, mqb_text) { return nullptr; }
    static const mqb_host_table& slots() {
        static const mqb_host_table one{sizeof one, 0, log_level, log, raise, clock, wait_until, cancel, render, table_of};
        return one;
    }

    std::mutex mutex_;
    std::uint64_t skew_ = 0;
    std::vector<alarm> timers_;
    std::vector<line> lines_;
    std::vector<event> events_;
};

}  // namespace mqb::sdk::testing
