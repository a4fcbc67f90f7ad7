// thread: threads of a plugin's own.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace mqb::sdk {

// [any] Starts a thread to which no signal is delivered: those are the host's. Throws what std::thread throws.
template <class Body>
std::thread start_thread(Body&& body) {
    struct blocked_signals {
        blocked_signals() noexcept {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
        }
        blocked_signals(const blocked_signals&) = delete;
        ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
        sigset_t before;
    };
    const blocked_signals while_it_starts;  // a thread inherits the mask
    return std::thread(std::forward<Body>(body));
}

}  // namespace mqb::sdk
