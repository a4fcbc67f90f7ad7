#include "output_claim.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/text.hpp>

#include "small_file.hpp"

namespace mqb::file {

int output_claim::take() {
    while (descriptor_ < 0) {
        const int claim = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (claim < 0) return errno;
        struct stat locked {
        }, named{};
        int error = 0;
        if (::flock(claim, LOCK_EX | LOCK_NB) != 0) error = errno;
        if (error == 0 && ::fstat(claim, &locked) != 0) error = errno;
        if (error == 0 && !S_ISREG(locked.st_mode)) error = EINVAL;
        // Between open and lock its holder may have removed it.
        const bool current = error == 0 && ::stat(path_.c_str(), &named) == 0 && named.st_ino == locked.st_ino;
        if (current)
            descriptor_ = claim;
        else
            ::close(claim);
        if (error != 0) return error;
    }
    return 0;
}

std::optional<output_claim::place> output_claim::read() const {
    std::array<char, 256> text{};
    const ssize_t size = ::pread(descriptor_, text.data(), text.size() - 1, 0);
    place found;
    std::uint64_t sum = 0;
    int summed = 0;
    if (size <= 0 || std::sscanf(text.data(), "1 %" SCNu64 " %" SCNu64 " %" SCNu64 " %n%" SCNu64, &found.from, &found.device, &found.inode,
                                 &summed, &sum) != 4)
        return std::nullopt;
    if (checksum({text.data(), static_cast<std::size_t>(summed)}) != sum) return std::nullopt;
    return found;
}

int output_claim::write(std::optional<place> from, bool synced) {
    std::string text = "1 none";
    if (from) {
        text = sdk::join("1 ", position_text(from->from), " ", from->device, " ", from->inode, " ");
        text += std::to_string(checksum(text));
    }
    // In one write, and padded: no shorter text leaves the end of a longer one.
    text.resize(127, ' ');
    text += '\n';
    ssize_t size;
    do size = ::pwrite(descriptor_, text.data(), text.size(), 0);
    while (size < 0 && errno == EINTR);
    if (size != static_cast<ssize_t>(text.size())) return size < 0 ? errno : ENOSPC;
    return !synced || ::fdatasync(descriptor_) == 0 ? 0 : errno;
}

void output_claim::release() noexcept {
    if (descriptor_ < 0) return;
    ::unlink(path_.c_str());
    ::close(descriptor_);
    descriptor_ = -1;
}

}  // namespace mqb::file
