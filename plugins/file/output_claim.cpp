#include "output_claim.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include <unistd.h>

#include <mqb/sdk/text.hpp>

#include "small_file.hpp"

namespace mqb::file {

std::optional<output_claim::place> output_claim::read() const {
    std::array<char, 256> text{};
    const ssize_t size = ::pread(file_.descriptor(), text.data(), text.size() - 1, 0);
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
    do size = ::pwrite(file_.descriptor(), text.data(), text.size(), 0);
    while (size < 0 && errno == EINTR);
    if (size != static_cast<ssize_t>(text.size())) return size < 0 ? errno : ENOSPC;
    return !synced || ::fdatasync(file_.descriptor()) == 0 ? 0 : errno;
}

}  // namespace mqb::file
