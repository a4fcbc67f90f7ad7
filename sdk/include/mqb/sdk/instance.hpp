// instance: what every handle of a plugin has: its host, and the rule that a completion never runs inside a start or a cancel.
#pragma once

#include <mqb/sdk/checks.hpp>
#include <mqb/sdk/host.hpp>

#include <pthread.h>
#include <atomic>
#include <mutex>
#include <new>
#include <set>

namespace mqb::sdk {

class instance;

namespace detail {

// Above any number that a host is likely to count to, so that an operation of ours never meets one that is only passed on.
inline std::uint64_t next_operation() noexcept {
    static std::atomic<std::uint64_t> next{std::uint64_t{1} << 63};
    return next.fetch_add(1, std::memory_order_relaxed);
}
inline void explain_nothing(mqb_call*, std::uint32_t, mqb_text) noexcept {}

// How deep this thread is inside functions in which nothing may be completed.
inline int& cancel_depth() noexcept {
    static thread_local int depth = 0;
    return depth;
}
struct inside_cancel {
    inside_cancel() noexcept { ++cancel_depth(); }
    ~inside_cancel() { --cancel_depth(); }
};

// A completion put off through a timer of the host that is due at once. [any]
struct put_off {
    mqb_call timer;
    mqb_call* target;
    mqb_status answer;

    static void done(mqb_call* timer, mqb_status) {
        put_off* self = reinterpret_cast<put_off*>(timer);
        mqb_call* target = self->target;
        const mqb_status answer = self->answer;
        delete self;
        target->done(target, answer);
    }
    static void complete(host_ref host, mqb_call* target, mqb_status answer) noexcept {
        put_off* self = new (std::nothrow) put_off{{sizeof(mqb_call), 0, next_operation(), done, explain_nothing}, target, answer};
        if (self && host.raw()->table->wait_until(host.raw(), 0, &self->timer) == MQB_PENDING) return;
        delete self;
        target->done(target, answer);  // no timer to be had: better inside the cancel than never
    }
};

// The instances that are alive, so that a completion that comes too late can be named without touching freed memory. Only at the
// maximal level of checks.
struct living {
    std::mutex mutex;
    std::set<const instance*> all;
    static living& here() {
        static living* const one = new living;  // never destroyed: a thread of the plugin may be late
        return *one;
    }
};

}  // namespace detail

// Threads: made and destroyed by the host's calls; complete is [any].
class instance {
public:
    explicit instance(mqb_host* host) : host_(host) {
        if constexpr (checks_maximal) {
            std::lock_guard lock(detail::living::here().mutex);
            detail::living::here().all.insert(this);
        }
    }
    instance(const instance&) = delete;
    instance& operator=(const instance&) = delete;
    ~instance() {
        if constexpr (checks_maximal) {
            std::lock_guard lock(detail::living::here().mutex);
            detail::living::here().all.erase(this);
        }
    }

    const host_ref& host() const noexcept { return host_; }

    // The plugin broke a rule: says so in the host's log and goes on.
    template <class... Parts>
    void misuse(const Parts&... parts) const {
        host_.log(MQB_LOG_ERROR, "plugin misuse: ", parts...);
    }
    // The host broke a rule.
    template <class... Parts>
    void host_misbehaves(const Parts&... parts) const {
        host_.log(MQB_LOG_HOST_MISBEHAVES, parts...);
    }

    // ---- for operation and the edge ----
    // Whether this start has taken an operation and has not returned.
    bool is_starting(const mqb_call* call) const noexcept { return starting_.load(std::memory_order_relaxed) == call; }
    void began_later(mqb_call* call) noexcept {
        starter_ = pthread_self();
        early_ = MQB_PENDING;
        starting_.store(call, std::memory_order_release);
    }
    // What the start answers, once the plugin's function has returned `answer` and an operation was taken.
    mqb_status end_start(mqb_status answer) noexcept {
        starting_.store(nullptr, std::memory_order_release);
        if (early_ != MQB_PENDING) return answer == MQB_PENDING ? early_ : answer;
        if (answer != MQB_PENDING) misuse("a start answered ", answer, " although its operation is still held; taken as pending");
        return MQB_PENDING;
    }
    // Ends an operation on whichever thread; inside its own start the start answers instead, inside a cancel it is put off.
    void finish(mqb_call* call, mqb_status answer, bool dropped) noexcept {
        if (answer == MQB_PENDING) {
            misuse("an operation was completed with `pending`; taken as retry");
            answer = MQB_RETRY;
        }
        if (starting_.load(std::memory_order_acquire) == call && pthread_equal(starter_, pthread_self())) {
            if (checks_maximal && !dropped) misuse("an operation was completed inside its own start: return the status instead");
            early_ = answer;
            return;
        }
        if (dropped) misuse("an operation was dropped without being completed");
        if (detail::cancel_depth() > 0) return detail::put_off::complete(host_, call, answer);
        call->done(call, answer);
    }
    static void completed_twice(const instance* self) noexcept {
        if constexpr (checks_maximal) {
            std::lock_guard lock(detail::living::here().mutex);
            if (detail::living::here().all.count(self)) self->misuse("an operation was completed twice; the second is ignored");
        }
    }

private:
    host_ref host_;
    std::atomic<mqb_call*> starting_{nullptr};  // the start that took an operation and has not returned; starts are [serial]
    pthread_t starter_{};
    mqb_status early_ = MQB_PENDING;
};

}  // namespace mqb::sdk
