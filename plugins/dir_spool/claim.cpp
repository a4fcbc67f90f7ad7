#include "claim.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace mqb::dir_spool {
namespace {

constexpr int safely = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

// Who has just taken the lock writes its number a moment later.
std::string holder_in(int file) {
    for (int look = 0; look < 500; ++look) {
        std::array<char, 32> text{};
        const bool is_there = ::pread(file, text.data(), text.size() - 1, 0) > 0;
        const std::size_t digits = std::strspn(text.data(), "0123456789");
        if (digits != 0) return "process " + std::string(text.data(), digits);
        if (is_there) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return "another process";
}

}  // namespace

int claim::take(int directory) {
    while (!file_) {
        descriptor opened(::openat(directory, name_.c_str(), O_RDWR | O_CREAT | safely, 0666));
        if (!opened) return errno;
        struct stat locked {
        }, named{};
        if (::flock(opened.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return errno;
            holder_ = holder_in(opened.number());
            return EWOULDBLOCK;
        }
        if (::fstat(opened.number(), &locked) != 0) return errno;
        if (!S_ISREG(locked.st_mode)) return EINVAL;
        // Between open and lock its holder may have removed it.
        if (::fstatat(directory, name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 || named.st_ino != locked.st_ino) continue;
        descriptor place(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!place) return errno;
        directory_ = std::move(place);
        file_ = std::move(opened);
        // On a full disk the file stays empty; the lock is what counts.
        const std::string text = std::to_string(::getpid()) + "\n";
        if (::ftruncate(file_.number(), 0) == 0) (void)!::pwrite(file_.number(), text.data(), text.size(), 0);
    }
    return 0;
}

std::string claim::take_as(std::string_view role, const spool_directory& spool, claim_mode mode) {
    if (mode == claim_mode::off) return {};
    const int error = take(spool.root());
    if (error == 0) return {};
    if (error != EWOULDBLOCK) {
        const bool may_pass = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE;
        throw sdk::failure(may_pass ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("spool '", spool.path(), "': cannot write ", name_, ": ", std::generic_category().message(error)));
    }
    std::string why = sdk::join("spool '", spool.path(), "' has a ", role, " already: ", holder_, " holds ", spool.path(), "/", name_);
    if (mode == claim_mode::exclusive) throw sdk::bad_config(why);
    return why;
}

void claim::release() noexcept {
    if (!file_) return;
    ::unlinkat(directory_.number(), name_.c_str(), 0);
    file_.close();
    directory_.close();
}

}  // namespace mqb::dir_spool
