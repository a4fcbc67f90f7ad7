// Fake host: what the kit offers to one instance as its host. It counts and checks every call, and outlives the instance so that a
// call after `free` is found.
#pragma once
#include "operation.hpp"

#include <mqb/host.h>

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace mqb::conformance {

struct seen_event {
    std::int32_t kind;
    std::int64_t number;
    std::string text;
    std::vector<std::uint64_t> lanes;
    std::uint64_t deadline_ns;
    std::uint64_t moment;  // see next_moment()
    std::uint64_t at_ns;   // on the steady clock
};

// made -> creating -> running -> freeing -> freed. In each state only some slots may be called.
class fake_host {
public:
    enum class state { creating, running, freeing, freed };

    // Kept for ever: never deleted. serial: the lock under which completions of timers are delivered to a middleware, or null.
    static fake_host& make(std::recursive_mutex* serial);

    mqb_host* handle() { return &face_.base; }
    void enter_state(state);
    // Ends all timers and delivers their completions: what a host does before `free`.
    void end_timers();

    std::vector<seen_event> events();
    // Waits for the event of this kind and, if given, token.
    std::optional<seen_event> wait_for_event(std::int32_t kind, std::chrono::milliseconds patience, std::optional<std::int64_t> token = {});
    std::vector<std::string> log();
    int calls() const { return calls_; }

private:
    struct face {
        mqb_host base;
        fake_host* self;
    };
    struct timer {
        std::uint64_t at;
        mqb_call* call;
    };
    explicit fake_host(std::recursive_mutex* serial);
    static fake_host& of(mqb_host*);
    void called(const char* slot, bool in_create, bool in_free);
    void run_timers();
    void complete(mqb_call*, mqb_status);

    static std::int32_t on_log_level(mqb_host*);
    static void on_log(mqb_host*, std::int32_t, mqb_text);
    static void on_event(mqb_host*, const mqb_event*);
    static std::uint64_t on_now(mqb_host*, std::int32_t);
    static mqb_status on_wait_until(mqb_host*, std::uint64_t, mqb_call*);
    static void on_cancel(mqb_host*, std::uint64_t);
    static mqb_status on_render(mqb_host*, std::uint32_t, const mqb_message*, char*, std::size_t*);
    static const void* on_table_of(mqb_host*, mqb_text, mqb_text);
    static const mqb_host_table table_;

    face face_;
    std::recursive_mutex* serial_;
    std::atomic<state> state_{state::creating};
    std::atomic<int> calls_{0};
    std::mutex guard_;
    std::condition_variable changed_;
    std::map<std::uint64_t, timer> timers_;  // by operation
    bool has_clock_ = false;                 // one thread, which lives as long as the process
    bool delivering_ = false;                // it is inside the completion of a timer
    std::vector<seen_event> events_;
    std::set<std::int64_t> tokens_;  // of LANES_ENDING
    std::size_t raised_ = 0;
    std::vector<std::string> log_;
};

std::uint64_t steady_now();

}  // namespace mqb::conformance
