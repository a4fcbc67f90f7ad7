#include "host/loading/exit_guard.hpp"

#include "host/loading/thread_entry.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace mqb::loading {

namespace {

std::atomic<bool> is_expected{false};

void on_exit() {
    if (is_expected.load(std::memory_order_relaxed)) return;
    const call_site* site = current_site();
    std::string text =
        "mqbridge: " + (site ? site->text() + " called exit()" : std::string{"exit() was called outside of any plugin function"});
    if (site && !site->place->route.empty()) text += " (route " + site->place->route + ")";
    text += '\n';
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(1);
}

}  // namespace

void install_exit_guard() {
    static const bool is_installed = std::atexit(&on_exit) == 0 && ::at_quick_exit(&on_exit) == 0;
    static_cast<void>(is_installed);
}

void expect_exit() noexcept { is_expected.store(true, std::memory_order_relaxed); }

}  // namespace mqb::loading
