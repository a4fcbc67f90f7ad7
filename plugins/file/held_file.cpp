#include "held_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mqb::file {

int held_file::take() {
    while (descriptor_ < 0) {
        const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (opened < 0) return errno;
        struct stat locked {
        }, named{};
        int error = 0;
        if (::flock(opened, LOCK_EX | LOCK_NB) != 0) error = errno;
        if (error == 0 && ::fstat(opened, &locked) != 0) error = errno;
        if (error == 0 && !S_ISREG(locked.st_mode)) error = EINVAL;
        // Between open and lock its holder may have removed it.
        const bool current = error == 0 && ::stat(path_.c_str(), &named) == 0 && named.st_ino == locked.st_ino;
        if (current)
            descriptor_ = opened;
        else
            ::close(opened);
        if (error != 0) return error;
    }
    return 0;
}

void held_file::release() noexcept {
    if (descriptor_ < 0) return;
    ::unlink(path_.c_str());
    leave();
}

void held_file::leave() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

}  // namespace mqb::file
