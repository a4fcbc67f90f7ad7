#include "sync_under_test.hpp"

#include <atomic>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mqb::file::testing {
namespace {

std::atomic<sync_under_test*> current{nullptr};

}  // namespace

sync_under_test::sync_under_test() { current = this; }
sync_under_test::~sync_under_test() { current = nullptr; }

void sync_under_test::fail_next(int error) {
    std::lock_guard lock(mutex_);
    error_ = error;
}

void sync_under_test::hold() {
    std::lock_guard lock(mutex_);
    held_ = true;
}

void sync_under_test::let_go() {
    std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
}

void sync_under_test::wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return descriptors_.size() >= count; });
}

std::vector<int> sync_under_test::descriptors() {
    std::lock_guard lock(mutex_);
    return descriptors_;
}

int sync_under_test::sync(int descriptor) {
    std::unique_lock lock(mutex_);
    descriptors_.push_back(descriptor);
    const int error = std::exchange(error_, 0);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    if (error == 0) return 0;
    errno = error;
    return -1;
}

std::string sync_under_test::last_folder() {
    std::lock_guard lock(mutex_);
    return last_folder_;
}

int sync_under_test::sync_folder(int descriptor) {
    std::lock_guard lock(mutex_);
    last_folder_ = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string();
    errno = folder_error_;
    return errno == 0 ? 0 : -1;
}

}  // namespace mqb::file::testing

// The linker prefers what the program itself has to what is in the C library.
extern "C" int fdatasync(int descriptor) {
    using mqb::file::testing::current;
    if (auto* const test = current.load()) return test->sync(descriptor);
    return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
extern "C" int fsync(int descriptor) {
    auto* const test = mqb::file::testing::current.load();
    return test == nullptr ? static_cast<int>(::syscall(SYS_fsync, descriptor)) : test->sync_folder(descriptor);
}
extern "C" int ftruncate(int descriptor, off_t size) noexcept {
    const auto* const test = mqb::file::testing::current.load();
    if (test == nullptr || test->cut_error() == 0) return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
    errno = test->cut_error();
    return -1;
}
extern "C" int mkdir(const char* path, mode_t mode) noexcept {
    const auto* const test = mqb::file::testing::current.load();
    if (test == nullptr || test->new_folder_error() == 0) return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
    errno = ::access(path, F_OK) == 0 ? EEXIST : test->new_folder_error();
    return -1;
}
