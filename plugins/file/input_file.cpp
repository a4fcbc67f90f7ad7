#include "input_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "config.hpp"

namespace mqb::file {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

bool input_file::open(bool missing_is_final) {
    close();
    // Without waiting: a FIFO would wait for its writer before we could see that it is one.
    descriptor_ =
        path_ == standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        const int error = errno;
        const bool may_come = error == ENOENT && !missing_is_final;
        throw sdk::failure(may_come ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("cannot open file source '", path_, "': ", reason(error)));
    }
    struct stat is {};
    if (::fstat(descriptor_, &is) != 0) throw sdk::retry_later("cannot look at file source '", path_, "': ", reason(errno));
    if (S_ISDIR(is.st_mode)) throw sdk::bad_config("file source '", path_, "' is a directory, not a file");
    regular_ = S_ISREG(is.st_mode);
    if (!regular_ && path_ != standard_input)
        throw sdk::bad_config("file source '", path_, "' is a ",
                              S_ISFIFO(is.st_mode)   ? "FIFO"
                              : S_ISSOCK(is.st_mode) ? "socket"
                                                     : "device",
                              "; besides files only /dev/stdin can be read");
    const bool same = device_ == is.st_dev && inode_ == is.st_ino && static_cast<std::uint64_t>(is.st_size) >= position_ && position_ > 0;
    device_ = is.st_dev;
    inode_ = is.st_ino;
    if (!same) position_ = 0;
    if (!regular_) return same;
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    if (same) go_to(position_);
    return same;
}

void input_file::go_to(std::uint64_t position) {
    if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
        throw sdk::disconnected("cannot go to byte ", position, " of file source '", path_, "': ", reason(errno));
    position_ = position;
}

std::uint64_t input_file::size() const {
    struct stat is {};
    if (::fstat(descriptor_, &is) != 0) throw sdk::disconnected("cannot look at file source '", path_, "': ", reason(errno));
    return static_cast<std::uint64_t>(is.st_size);
}

std::string input_file::first_bytes(std::size_t most) const {
    std::string bytes(most, '\0');
    std::size_t have = 0;
    while (have < most) {
        const ssize_t got = ::pread(descriptor_, bytes.data() + have, most - have, static_cast<off_t>(have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

void input_file::close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    over_ = false;
}

std::size_t input_file::read(std::span<char> to) {
    if (descriptor_ < 0 || over_) return 0;
    if (!regular_) {
        pollfd ready{descriptor_, POLLIN, 0};
        if (::poll(&ready, 1, 0) <= 0) return 0;
    }
    ssize_t got;
    do got = ::read(descriptor_, to.data(), to.size());
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got < 0) throw sdk::disconnected("cannot read file source '", path_, "' at byte ", position_, ": ", reason(errno));
    if (got == 0) over_ = !regular_ || path_ == standard_input;
    position_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
}

void input_file::check_not_cut() {
    struct stat is {};
    if (!regular_) return;
    if (::fstat(descriptor_, &is) != 0) throw sdk::disconnected("cannot look at file source '", path_, "': ", reason(errno));
    if (static_cast<std::uint64_t>(is.st_size) < position_)
        throw sdk::disconnected("file source '", path_, "' was truncated: ", position_, " bytes were read and it has ", is.st_size,
                                "; it is read again from its beginning");
}

void input_file::check_still_named() {
    struct stat is {};
    if (!regular_ || path_ == standard_input) return;
    if (::stat(path_.c_str(), &is) != 0) throw sdk::disconnected("file source '", path_, "' is gone: ", reason(errno));
    if (is.st_dev != device_ || is.st_ino != inode_)
        throw sdk::disconnected("file source '", path_, "' was replaced by another file, which is read from its beginning");
}

}  // namespace mqb::file
