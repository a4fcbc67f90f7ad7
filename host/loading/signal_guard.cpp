#include "host/loading/signal_guard.hpp"

#include "host/loading/crash_naming.hpp"

#include <cstring>
#include <map>
#include <mutex>

namespace mqb::loading {

namespace {

struct guarded_signals {
    std::mutex mutex;
    std::map<int, struct sigaction> own;
    static guarded_signals& all() {
        static auto& one = *new guarded_signals;  // never destroyed: a plugin may still be connecting while the process ends
        return one;
    }
};

bool is_same(const struct sigaction& a, const struct sigaction& b) noexcept {
    return (a.sa_flags & SA_SIGINFO) == (b.sa_flags & SA_SIGINFO) &&
           ((a.sa_flags & SA_SIGINFO) ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler);
}

void add_name(std::string& to, int signal) {
    const char* name = ::sigabbrev_np(signal);
    to += (to.empty() ? "SIG" : ", SIG") + std::string{name ? name : "?"};
}

}  // namespace

signal_guard::signal_guard(int signal) : signal_(signal) {
    guarded_signals& all = guarded_signals::all();
    std::lock_guard lock{all.mutex};
    ::sigaction(signal, nullptr, &all.own[signal]);
}

signal_guard::~signal_guard() {
    guarded_signals& all = guarded_signals::all();
    std::lock_guard lock{all.mutex};
    all.own.erase(signal_);
}

std::string restore_signals() {
    std::string changed;
    guarded_signals& all = guarded_signals::all();
    std::lock_guard lock{all.mutex};
    for (const auto& [signal, own] : all.own) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) != 0 || is_same(now, own)) continue;
        ::sigaction(signal, &own, nullptr);
        add_name(changed, signal);
    }
    restore_crash_naming([&](int signal) { add_name(changed, signal); });
    return changed;
}

bool mask_guard::restore() noexcept {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    for (int signal = 1; signal < NSIG; ++signal) {
        if (sigismember(&now, signal) == sigismember(&before_, signal)) continue;
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        return true;
    }
    return false;
}

}  // namespace mqb::loading
