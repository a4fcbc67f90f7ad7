#include "file_look.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace mqb::file {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::optional<file_look> look(int folder, const char* path, int how) {
    struct statx is {};
    if (::statx(folder, path, how, STATX_BASIC_STATS | STATX_BTIME, &is) == 0)
        return file_look{
            ::makedev(is.stx_dev_major, is.stx_dev_minor),
            is.stx_ino,
            is.stx_size,
            is.stx_mtime.tv_sec * second + is.stx_mtime.tv_nsec,
            (is.stx_mask & STATX_BTIME) != 0 ? static_cast<std::uint64_t>(is.stx_btime.tv_sec * second + is.stx_btime.tv_nsec) : 0,
            S_ISREG(is.stx_mode)};
    // A kernel or a filter of system calls that does not know it.
    struct stat old {};
    if (::fstatat(folder, path, &old, how) != 0) return std::nullopt;
    return file_look{
        old.st_dev, old.st_ino,          static_cast<std::uint64_t>(old.st_size), old.st_mtim.tv_sec * second + old.st_mtim.tv_nsec,
        0,          S_ISREG(old.st_mode)};
}

}  // namespace

std::optional<file_look> look_at_path(const std::string& path) { return look(AT_FDCWD, path.c_str(), 0); }
std::optional<file_look> look_at_open(int descriptor) { return look(descriptor, "", AT_EMPTY_PATH); }

}  // namespace mqb::file
