#include "output_claim.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mqb/sdk/text.hpp>

#include "small_file.hpp"

namespace mqb::file {

output_claim::file_id output_claim::id_of(int descriptor) noexcept {
    struct stat is {};
    if (::fstat(descriptor, &is) != 0) return {};
    file_id out{is.st_dev, is.st_ino, 0};
    struct statx more {};
    if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 && (more.stx_mask & STATX_BTIME) != 0)
        out.birth = more.stx_btime.tv_sec * 1'000'000'000 + more.stx_btime.tv_nsec;
    return out;
}

std::optional<output_claim::place> output_claim::read() const {
    std::array<char, 256> text{};
    const ssize_t size = ::pread(file_.descriptor(), text.data(), text.size() - 1, 0);
    place found;
    std::uint64_t sum = 0;
    int summed = 0;
    if (size <= 0 || std::sscanf(text.data(), "2 %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %n%" SCNu64, &found.from,
                                 &found.file.device, &found.file.inode, &found.file.birth, &summed, &sum) != 5)
        return std::nullopt;
    if (checksum({text.data(), static_cast<std::size_t>(summed)}) != sum) return std::nullopt;
    return found;
}

int output_claim::write(std::optional<place> from, bool synced) {
    std::string text = "2 none";
    if (from) {
        text = sdk::join("2 ", position_text(from->from), " ", from->file.device, " ", from->file.inode, " ", from->file.birth, " ");
        text += std::to_string(checksum(text));
    }
    // In one write, and padded: no shorter text leaves the end of a longer one.
    text.resize(127, ' ');
    text += '\n';
    ssize_t size;
    do size = ::pwrite(file_.descriptor(), text.data(), text.size(), 0);
    while (size < 0 && errno == EINTR);
    if (size != static_cast<ssize_t>(text.size())) return size < 0 ? errno : ENOSPC;
    return !synced || ::fdatasync(file_.descriptor()) == 0 ? 0 : errno;
}

}  // namespace mqb::file
