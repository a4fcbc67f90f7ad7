#include "input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "config.hpp"
#include "file_look.hpp"
#include "shortage.hpp"

namespace mqb::file {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

void input_file::open(bool missing_is_final) {
    close();
    cut_ = false;
    // Without waiting: a FIFO would wait for its writer before we could see that it is one.
    descriptor_ =
        path_ == standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        const int error = errno;
        const bool may_come = error == ENOENT && !missing_is_final;
        throw sdk::failure(may_come             ? sdk::status::retry
                           : is_shortage(error) ? sdk::status::disconnected
                                                : sdk::status::bad_config,
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
    device_ = is.st_dev;
    inode_ = is.st_ino;
    position_ = 0;
    mark_.start(descriptor_, 0);
    if (regular_) ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void input_file::reopen() {
    if (!can_change()) return;
    const int fresh = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fresh < 0) return;
    struct stat is {};
    if (::fstat(fresh, &is) != 0 || is.st_dev != device_ || is.st_ino != inode_) {
        ::close(fresh);
        return;
    }
    ::close(std::exchange(descriptor_, fresh));
}

void input_file::take_over(int descriptor, std::uint64_t position, const read_mark& known) {
    struct stat is {};
    read_mark mark;
    mark.start(descriptor, position);
    const bool is_known = known.holds_in(descriptor);
    if (::fstat(descriptor, &is) != 0) throw sdk::disconnected("cannot look at file source '", path_, "': ", reason(errno));
    const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) throw sdk::disconnected("cannot go on with file source '", path_, "': ", reason(errno));
    close();
    descriptor_ = own;
    device_ = is.st_dev;
    inode_ = is.st_ino;
    cut_ = !is_known;
    position_ = position;
    mark_ = is_known ? std::move(mark) : known;
}

void input_file::go_to(std::uint64_t position) {
    read_mark mark;
    mark.start(descriptor_, position);
    position_ = position;
    mark_ = std::move(mark);
}

void input_file::go_back(std::uint64_t position) {
    read_mark mark;
    mark.start(descriptor_, position);
    cut_ = cut_ || (can_change() && !mark_.holds_in(descriptor_));
    position_ = position;
    if (!cut_) mark_ = std::move(mark);  // else by what was read a copy of it is known
}

std::uint64_t input_file::size() const {
    struct stat is {};
    if (::fstat(descriptor_, &is) != 0) throw sdk::disconnected("cannot look at file source '", path_, "': ", reason(errno));
    return static_cast<std::uint64_t>(is.st_size);
}

void input_file::go_to_end_of_records(char delimiter) {
    go_to(size());
    go_back(end_of_records(delimiter));
}

std::uint64_t input_file::end_of_records(char delimiter) const {
    constexpr std::uint64_t most = 1 << 20;
    const std::uint64_t now = size(), from = now - std::min(now, most);
    const std::string last = bytes_at(descriptor_, from, now - from);
    const std::size_t end = last.rfind(delimiter);
    return end == std::string::npos ? (from == 0 ? 0 : now) : from + end + 1;
}

bool input_file::can_change() const noexcept { return regular_ && path_ != standard_input; }

void input_file::close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    over_ = false;
}

std::size_t input_file::read(std::span<char> to) {
    if (descriptor_ < 0 || over_ || cut_) return 0;
    if (!regular_) {
        pollfd ready{descriptor_, POLLIN, 0};
        if (::poll(&ready, 1, 0) <= 0) return 0;
    }
    ssize_t got;
    do {
        got = can_change() ? ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(position_))
                           : ::read(descriptor_, to.data(), to.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got < 0) throw sdk::disconnected("cannot read file source '", path_, "' at byte ", position_, ": ", reason(errno));
    if (got == 0) over_ = !regular_ || path_ == standard_input;
    if (got == 0) return 0;
    // Looked at afterwards: if it still stands there, these bytes are what came behind it.
    if (can_change() && !mark_.holds_in(descriptor_)) {
        cut_ = true;
        return 0;
    }
    mark_.add({to.data(), static_cast<std::size_t>(got)});
    position_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
}

bool input_file::is_cut() {
    if (can_change() && !cut_) cut_ = size() < position_ || !mark_.holds_in(descriptor_);
    return cut_;
}

naming input_file::named_by(const std::string& path) const {
    struct stat is {};
    if (::stat(path.c_str(), &is) != 0) return naming::nothing;
    if (is.st_dev == device_ && is.st_ino == inode_) return naming::same;
    return is.st_size > 0 || !S_ISREG(is.st_mode) ? naming::other : naming::other_empty;
}

std::uint64_t input_file::born() const {
    const std::optional<file_look> is = look_at_open(descriptor_);
    return is ? is->born : 0;
}

bool input_file::is_removed() const {
    struct stat is {};
    return ::fstat(descriptor_, &is) == 0 && is.st_nlink == 0;
}

}  // namespace mqb::file
