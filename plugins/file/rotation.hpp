// Rotation: the files beside a path that once had its name: app.log.1, app.log-20260102, app-2026-01-02.log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::file {

struct rotated_file {
    std::string path;
    std::uint64_t device = 0, inode = 0;
    std::int64_t changed = 0;  // ns since 1970

    bool operator==(const rotated_file&) const = default;
};

// `name` is `of` with a number or a date behind it or before its extension.
bool is_rotated_name(std::string_view name, std::string_view of);

// All that are there now, by name. Throws sdk::failure (disconnected) when the process has no more files to open.
std::vector<rotated_file> rotated_files(const std::string& path);

// Of these the last change; 0: there is none.
std::int64_t last_change(const std::vector<rotated_file>& all);
// Those that were changed later than that, oldest first.
std::vector<rotated_file> rotated_after(std::int64_t changed, const std::vector<rotated_file>& all, const std::string& path);

// What was written between one of them and the file that has the path now, oldest first.
struct rotations {
    std::vector<rotated_file> files;
    bool has_gap = false;  // one of them is not there any more
};
rotations rotated_since(const rotated_file& first, const std::vector<rotated_file>& all, const std::string& path);

}  // namespace mqb::file
