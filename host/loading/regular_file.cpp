#include "host/loading/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace mqb::loading {

regular_file::regular_file(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat s {};
    if (fd_ < 0 || (::fstat(fd_, &s) == 0 && S_ISREG(s.st_mode))) return;
    is_other_ = true;
    ::close(std::exchange(fd_, -1));
}

regular_file::~regular_file() {
    if (fd_ >= 0) ::close(fd_);
}

std::optional<std::size_t> regular_file::read(char* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(fd_, to + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

}  // namespace mqb::loading
