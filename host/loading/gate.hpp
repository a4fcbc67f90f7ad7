// gate: what one plugin instance reaches of its route, until the route takes it away. What comes from the plugin's threads passes
// through here into the route's mailbox, in the order in which it was made.
#pragma once

#include "core/consumer.hpp"
#include "core/logger.hpp"
#include "core/mailbox.hpp"
#include "core/registry.hpp"
#include "core/timers.hpp"
#include "host/loading/enter.hpp"
#include "host/loading/thread_entry.hpp"

#include <mqb/status.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::loading {

// creating -> running -> freeing -> freed -> gone. In each, the plugin may call other functions of the host.
enum class phase : std::uint8_t { creating, running, freeing, freed, gone };

// What becomes of a call from the plugin that only a running instance may make. late: it crosses the free that has just begun, which
// no plugin can see: it is answered CANCELLED, or dropped.
enum class admission : std::uint8_t { fine, late, forbidden };

// What an instance tells, copied. Kinds are those of mqb_event, and misbehaviour.
struct told_event {
    static constexpr std::int32_t misbehaviour = -1;
    std::int32_t kind = 0;
    std::string text;
    std::int64_t number = 0;
    std::uint64_t deadline_ns = 0;
    std::vector<std::uint64_t> lanes;
};

// Outlives the route where the plugin does not let go: after close_for_good it refers to nothing of it any more.
class gate {
public:
    gate(const call_place& place, core::instance_context& context);
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    // Any thread.
    [[nodiscard]] const call_place& place() const noexcept { return place_; }
    [[nodiscard]] const call_site& site(entry_point which) const noexcept { return place_[which]; }
    [[nodiscard]] phase now() const noexcept { return phase_.load(std::memory_order_acquire); }
    [[nodiscard]] admission admits() const noexcept;
    // False when the route has gone: then the mail is not put.
    bool post(core::mail& m) noexcept;
    // Does something on the route's side; dropped when the route has gone.
    void post_work(std::function<void()> work) noexcept;
    // Queues an event. Of a plugin that floods its route with events, counts and warnings are dropped; with lane events it misbehaves.
    void tell(told_event e) noexcept;
    // The plugin broke a rule: "PLUGIN.FUNCTION " + what. The first few are told, all are counted.
    void misbehaved(entry_point where, std::string_view what) noexcept;
    // The same where no function is to blame: "PLUGIN " + what.
    void misbehaved(std::string_view what) noexcept;
    [[nodiscard]] std::uint64_t misbehaviours() const noexcept { return misbehaviours_.load(std::memory_order_relaxed); }
    // After `which` may have changed what the process does on signals: puts it back, and says whose doing it was.
    void keep_signals(entry_point which) noexcept;
    void write_log(core::log_level level, std::string_view text) noexcept;
    [[nodiscard]] core::log_level lowest_log_level() noexcept;
    [[nodiscard]] std::string without_secrets(std::string_view text);
    [[nodiscard]] std::uint64_t steady_now() noexcept;
    [[nodiscard]] std::uint64_t wall_now() noexcept;

    // The route's side.
    void enter_phase(phase p) noexcept { phase_.store(p, std::memory_order_release); }
    // Any thread: `free` has returned, unless the route has given up on it before.
    void enter_freed() noexcept;
    // with_lanes: it is a consumer; lane events of anything else go nowhere.
    void listen(core::event_sink* sink, bool with_lanes = false) noexcept;
    [[nodiscard]] core::timers& clock() noexcept { return clock_; }
    void close_for_good() noexcept;
    // Mails that are in the route's mailbox: the gate must be kept.
    [[nodiscard]] bool has_mail_out() const noexcept { return mails_out_.load(std::memory_order_acquire) != 0; }

    // Calls a function of the plugin. What it throws becomes if_thrown and a misbehaviour.
    template <class Fn>
    mqb_status call(entry_point which, mqb_status if_thrown, Fn fn) noexcept {
        inside here{*this};
        return enter(site(which), if_thrown, fn, [this](const call_site& s, std::string_view what) { threw(s.function, what, true); });
    }
    template <class Fn>
    void call(entry_point which, Fn fn) noexcept {
        inside here{*this};
        enter(site(which), fn, [this](const call_site& s, std::string_view what) { threw(s.function, what, false); });
    }
    // What the last start threw, once; empty: nothing.
    [[nodiscard]] std::string take_thrown() noexcept { return std::exchange(thrown_, {}); }
    [[nodiscard]] bool has_thrown() const noexcept { return !thrown_.empty(); }
    // This thread is in a call that the host made into this instance, so it holds the route's side. create and free do not.
    [[nodiscard]] bool is_route_side() const noexcept {
        return inside_.load(std::memory_order_relaxed) == &this_thread_entry() && now() == phase::running;
    }
    // This thread is in a `cancel` of this instance.
    [[nodiscard]] bool is_inside_cancel() const noexcept;

private:
    class inside {
    public:
        explicit inside(gate& g) noexcept : gate_(g), around_(g.inside_.load(std::memory_order_relaxed)) {
            g.inside_.store(&this_thread_entry(), std::memory_order_relaxed);
        }
        ~inside() { gate_.inside_.store(around_, std::memory_order_relaxed); }
        inside(const inside&) = delete;
        inside& operator=(const inside&) = delete;

    private:
        gate& gate_;
        const thread_entry* around_;
    };
    struct event_mail : core::mail {
        gate* self = nullptr;
        told_event event;
        event_mail* next_spare = nullptr;
    };
    void threw(entry_point where, std::string_view what, bool is_start) noexcept;
    [[nodiscard]] bool book_lanes(const told_event& e) noexcept;
    void report(std::string who, std::string_view what);
    static void deliver(core::mail& m) noexcept;
    void hand_over(const told_event& e) noexcept;

    const call_place& place_;
    std::atomic<phase> phase_{phase::creating};
    std::atomic<const thread_entry*> inside_{nullptr};
    std::atomic<std::uint64_t> misbehaviours_{0};
    std::atomic<std::uint32_t> mails_out_{0};

    std::mutex mutex_;  // over the references below, while other threads use them, and over the spare mails
    bool is_open_ = true;
    core::mailbox& box_;
    core::timers& clock_;
    core::logger& log_;
    std::vector<std::unique_ptr<event_mail>> mails_;
    event_mail* spare_ = nullptr;
    std::size_t lane_events_out_ = 0;  // told, not delivered
    std::size_t lanes_out_ = 0;        // that these name
    bool has_flooded_ = false;         // with lane events: no more are taken

    std::string thrown_;  // written and read by whoever calls the plugin
    core::event_sink* sink_ = nullptr;
    bool with_lanes_ = false;
    std::vector<told_event> untold_;  // came before anybody listened
};

}  // namespace mqb::loading
