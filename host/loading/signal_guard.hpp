// signal_guard: keeps what the host does on signals in place when a plugin changes it. What belongs to a process belongs to the host.
#pragma once

#include <signal.h>

#include <string>

namespace mqb::loading {

// While it lives, what the process does now on this signal is the host's own. For signals that end the host in order.
class signal_guard {
public:
    explicit signal_guard(int signal);
    ~signal_guard();
    signal_guard(const signal_guard&) = delete;
    signal_guard& operator=(const signal_guard&) = delete;

private:
    int signal_;
};

// After a plugin was opened, or has made or connected something: puts back what it changed, on a guarded signal or on one of
// crash_naming. The names, "SIGTERM, SIGINT"; empty: nothing. Any thread; a few system calls.
[[nodiscard]] std::string restore_signals();

// Puts the calling thread's signal mask back at its end. Around a call of a plugin on a thread of the host.
class mask_guard {
public:
    mask_guard() noexcept { ::pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
    // True if it had been changed.
    bool restore() noexcept;

private:
    sigset_t before_;
};

}  // namespace mqb::loading
