// operation: the end of a call that answers later. Taken with `later()`, kept by the plugin, completed once from any thread.
#pragma once

#include <mqb/sdk/edge.hpp>

#include <atomic>

namespace mqb::sdk {

namespace detail {

// Lets the checks see what a call ended with, where a call wants that.
template <class Call>
void note_end(const Call& call, status answer) noexcept {
    if constexpr (checks_maximal && requires { call.ended(answer); })
        call.ended(answer);
    else
        (void)call, (void)answer;
}

}  // namespace detail

// Movable, not copyable: there is one end. Destroyed uncompleted it ends the call as disconnected, and says so in the log.
// Threads: complete may race with complete (the first wins), not with moving. What is written through -> comes before complete.
template <class Call>
class operation {
public:
    operation() = default;
    explicit operation(const Call& call) noexcept : call_(call), open_(true) {}
    operation(operation&& other) noexcept : call_(other.call_), open_(other.open_.exchange(false)) {}
    operation& operator=(operation&& other) noexcept {
        if (this == &other) return *this;
        drop();
        call_ = other.call_;
        open_.store(other.open_.exchange(false));
        return *this;
    }
    ~operation() { drop(); }

    explicit operator bool() const noexcept { return open_.load(std::memory_order_relaxed); }
    std::uint64_t id() const noexcept { return call_.id(); }  // what cancel names
    Call* operator->() noexcept { return &call_; }
    Call& operator*() noexcept { return call_; }

    // With no lock held. Nothing of the call may be touched afterwards. Inside the plugin's own cancel it is put off by a timer.
    void complete(status answer, std::string_view text = {}) noexcept {
        if (!open_.exchange(false)) return instance::completed_twice(call_.owner());
        if (!text.empty()) call_.explain(text);
        detail::note_end(call_, answer);
        call_.owner()->finish(&call_.raw().call, static_cast<mqb_status>(answer), false);
    }
    // The same for what was thrown, with its text.
    void complete(const failure& thrown) noexcept { complete(thrown.answer, thrown.what()); }

private:
    void drop() noexcept {
        if (!open_.exchange(false)) return;
        call_.owner()->finish(&call_.raw().call, MQB_DISCONNECTED, true);
    }

    Call call_;
    std::atomic<bool> open_{false};
};

}  // namespace mqb::sdk
