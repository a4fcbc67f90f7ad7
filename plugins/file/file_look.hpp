// File look: what a file is now, and when it was made: a file that is gone leaves its inode to another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mqb::file {

struct file_look {
    std::uint64_t device = 0, inode = 0;
    std::uint64_t size = 0;
    std::int64_t changed = 0;  // ns since 1970
    std::uint64_t born = 0;    // the same; 0: the file system does not say
    bool is_regular = false;
};

// None: it cannot be looked at.
std::optional<file_look> look_at_path(const std::string& path);
std::optional<file_look> look_at_open(int descriptor);

// One of them made after the other, in its place. Both may be unknown.
constexpr bool is_another(std::uint64_t born, std::uint64_t other) noexcept { return born != 0 && other != 0 && born != other; }

}  // namespace mqb::file
