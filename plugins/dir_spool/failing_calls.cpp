// The definitions here stand before those of the C library, for this program alone.
#include "failing_calls.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mqb::dir_spool::testing {
namespace {

struct watch {
    std::mutex mutex;
    bool is_on = false;
    pid_t test_thread = 0;
    unsigned nth = 0, counted = 0;
    int error = 0;
    std::vector<std::string> seen;
};
watch& state() {
    static watch one;
    return one;
}
std::atomic<bool> is_watching{false};

std::string path_of(int descriptor, const char* name) {
    char link[64], target[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t size = ::readlink(link, target, sizeof target);
    std::string path(target, size < 0 ? 0 : static_cast<std::size_t>(size));
    if (name != nullptr) path += '/' + std::string(name);
    const std::size_t spool = path.find("/spool");
    return spool == std::string::npos ? path : path.substr(std::min(path.size(), spool + 7));
}

// Whether this call is to fail; errno says how.
bool fails(const char* call, int descriptor, const char* name) {
    if (!is_watching.load()) return false;
    watch& w = state();
    const std::lock_guard lock(w.mutex);
    if (!w.is_on || ::gettid() == w.test_thread) return false;
    w.seen.push_back(std::string(call) + ' ' + path_of(descriptor, name));
    if (++w.counted != w.nth) return false;
    errno = w.error;
    return true;
}

}  // namespace

failing_calls::failing_calls(unsigned nth, int error) {
    watch& w = state();
    const std::lock_guard lock(w.mutex);
    w.is_on = true;
    w.test_thread = ::gettid();
    w.nth = nth;
    w.counted = 0;
    w.error = error;
    w.seen.clear();
    is_watching = true;
}
failing_calls::~failing_calls() {
    const std::lock_guard lock(state().mutex);
    state().is_on = false;
    is_watching = false;
}
unsigned failing_calls::counted() const noexcept {
    const std::lock_guard lock(state().mutex);
    return state().counted;
}
std::vector<std::string> failing_calls::seen() const {
    const std::lock_guard lock(state().mutex);
    return state().seen;
}

}  // namespace mqb::dir_spool::testing

using mqb::dir_spool::testing::fails;

extern "C" {

int openat(int directory, const char* name, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        if (fails("open", directory, name)) return -1;
    }
    return static_cast<int>(::syscall(SYS_openat, directory, name, flags, mode));
}
ssize_t write(int to, const void* data, size_t size) {
    if (to > 2 && fails("write", to, nullptr)) return -1;
    return ::syscall(SYS_write, to, data, size);
}
// Never waits for a disk: the tests would spend their time on that.
int fsync(int of) { return fails("fsync", of, nullptr) ? -1 : 0; }
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
    if (fails("rename", to_directory, to)) return -1;
    return static_cast<int>(::syscall(SYS_renameat2, from_directory, from, to_directory, to, flags));
}
int mkdirat(int directory, const char* name, mode_t mode) noexcept {
    if (fails("mkdir", directory, name)) return -1;
    return static_cast<int>(::syscall(SYS_mkdirat, directory, name, mode));
}
int unlinkat(int directory, const char* name, int flags) noexcept {
    if (fails("unlink", directory, name)) return -1;
    return static_cast<int>(::syscall(SYS_unlinkat, directory, name, flags));
}
}
