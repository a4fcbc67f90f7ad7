#include "host/loading/crash_naming.hpp"

#include "host/loading/library_ranges.hpp"
#include "host/loading/thread_entry.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mqb::loading {

namespace {

constexpr std::size_t stack_size = 64 * 1024;
constexpr std::array handled{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::atomic<bool> is_installed{false};

// What runs after our handler of one signal: the newest first. A handler among them that calls what it had found, which is ours, gets
// to the next older one.
struct chained {
    static constexpr std::size_t most = 8;
    std::array<struct sigaction, most> all{};  // the oldest first
    std::atomic<std::size_t> count{0};         // set after what it counts
};
std::array<chained, handled.size()> previous;

// The handlers of ours that this thread is inside of. A frame that is not around the present one has been left by a jump.
struct crash_frame {
    const void* at = nullptr;
    std::size_t passed = 0;  // of the chain
};
thread_local constinit crash_frame around;

// A line that is put together without allocation. What does not fit is left out.
class line {
public:
    line& operator<<(const char* text) noexcept { return add(text, std::strlen(text)); }
    line& operator<<(const std::string& text) noexcept { return add(text.data(), text.size()); }
    void write() noexcept {
        bytes_[size_++] = '\n';
        [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, bytes_.data(), size_);
    }

private:
    line& add(const char* text, std::size_t n) noexcept {
        const std::size_t room = bytes_.size() - 1 - size_;
        if (n > room) n = room;
        std::memcpy(bytes_.data() + size_, text, n);
        size_ += n;
        return *this;
    }
    std::array<char, 512> bytes_;
    std::size_t size_ = 0;
};

const char* signal_name(int signal) noexcept {
    switch (signal) {
        case SIGSEGV: return "SIGSEGV";
        case SIGBUS: return "SIGBUS";
        case SIGILL: return "SIGILL";
        case SIGFPE: return "SIGFPE";
        case SIGABRT: return "SIGABRT";
        default: return "signal";
    }
}

struct registers {
    std::uintptr_t code = 0;
    std::uintptr_t stack = 0;
};

registers registers_of(const void* context) noexcept {
    const auto& c = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<std::uintptr_t>(c.gregs[REG_RIP]), static_cast<std::uintptr_t>(c.gregs[REG_RSP])};
#elif defined(__aarch64__)
    return {c.pc, c.sp};
#else
    static_cast<void>(c);
    return {};
#endif
}

// The plugin library in which the thread is: by where it runs, else by the first return address on its stack that lies in one. The
// stack is read by a system call that fails where memory ends, instead of faulting.
const char* library_of(const registers& r) noexcept {
    if (const char* name = library_at(r.code)) return name;
    std::array<std::uintptr_t, 512> words;
    for (std::size_t part = 0; part < 16; ++part) {
        iovec to{words.data(), sizeof words};
        iovec from{reinterpret_cast<void*>(r.stack + part * sizeof words), sizeof words};
        const ssize_t n = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
        if (n <= 0) return nullptr;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n) / sizeof(std::uintptr_t); ++i)
            if (const char* name = library_at(words[i])) return name;
    }
    return nullptr;
}

void say(int signal, const void* context) noexcept {
    line l;
    l << "mqbridge: " << signal_name(signal);
    const thread_entry* entry = current_entry;
    const call_site* site = entry ? entry->site.load(std::memory_order_relaxed) : nullptr;
    if (site) {
        l << " in plugin " << site->place->plugin << "." << to_text(site->function);
        if (!site->place->route.empty()) l << " (route " << site->place->route << ")";
        if (!site->place->file.empty()) l << " of " << site->place->file;
    } else if (const char* library = library_of(registers_of(context))) {
        l << " in a thread of plugin " << library;
    }
    l.write();
}

void run(const struct sigaction& next, int signal, siginfo_t* info, void* context) noexcept {
    if (next.sa_flags & SA_SIGINFO) return next.sa_sigaction(signal, info, context);
    if (next.sa_handler == SIG_IGN) return;
    if (next.sa_handler != SIG_DFL) return next.sa_handler(signal);
    // The default: a fault happens again when this returns; what was sent is sent again.
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
    if (signal == SIGABRT || info->si_code <= 0) ::raise(signal);
}

void on_crash(int signal, siginfo_t* info, void* context) noexcept {
    static std::atomic<bool> is_said{false};
    if (!is_said.exchange(true)) say(signal, context);
    const crash_frame before = around;
    const void* here = __builtin_frame_address(0);
    const bool is_nested = before.at && here < before.at;
    const std::size_t passed = is_nested ? before.passed : 0;
    for (std::size_t i = 0; i < handled.size(); ++i) {
        if (handled[i] != signal) continue;
        const std::size_t count = previous[i].count.load(std::memory_order_acquire);
        around = {here, passed + 1};
        run(previous[i].all[passed < count ? count - 1 - passed : 0], signal, info, context);
        around = before;
    }
}

// Unmapped when its thread ends.
struct signal_stack {
    void* memory = nullptr;
    ~signal_stack() {
        if (!memory) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        ::sigaltstack(&none, nullptr);
        ::munmap(memory, stack_size);
    }
};

}  // namespace

void ensure_signal_stack() {
    if (!is_installed.load(std::memory_order_relaxed)) return;
    static thread_local signal_stack mine;
    stack_t now{};
    if (mine.memory || ::sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    void* memory = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t wanted{};
    wanted.ss_sp = memory;
    wanted.ss_size = stack_size;
    if (::sigaltstack(&wanted, nullptr) == 0)
        mine.memory = memory;
    else
        ::munmap(memory, stack_size);
}

namespace {
// What was there runs after ours from then on.
void put_in_front(std::size_t i) {
    struct sigaction ours {};
    struct sigaction found {};
    ours.sa_sigaction = &on_crash;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    ::sigaction(handled[i], nullptr, &found);
    chained& chain = previous[i];
    const std::size_t count = chain.count.load(std::memory_order_relaxed);
    const bool is_handler = (found.sa_flags & SA_SIGINFO) || (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
    const bool is_known = std::any_of(chain.all.begin(), chain.all.begin() + static_cast<std::ptrdiff_t>(count), [&](const auto& known) {
        return (found.sa_flags & SA_SIGINFO) ? known.sa_sigaction == found.sa_sigaction : known.sa_handler == found.sa_handler;
    });
    if (count == 0 || (is_handler && !is_known && count < chained::most)) {
        chain.all[count] = found;
        chain.count.store(count + 1, std::memory_order_release);
    }
    ::sigaction(handled[i], &ours, nullptr);
}
}  // namespace

void install_crash_naming() {
    if (is_installed.exchange(true)) return;
    ensure_signal_stack();
    for (std::size_t i = 0; i < handled.size(); ++i) put_in_front(i);
}

void restore_crash_naming(const std::function<void(int signal)>& changed) {
    if (!is_installed.load(std::memory_order_relaxed)) return;
    for (std::size_t i = 0; i < handled.size(); ++i) {
        struct sigaction now {};
        if (::sigaction(handled[i], nullptr, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &on_crash)) continue;
        put_in_front(i);
        changed(handled[i]);
    }
}

}  // namespace mqb::loading
