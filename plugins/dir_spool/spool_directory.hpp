// Spool directory: the directory of a spool, held open, so that everything happens in this one whatever its path leads to later.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "descriptor.hpp"

namespace mqb::dir_spool {

// closed -> open -> open again. All paths are relative to it and hold no `..`. What answers an int answers 0 or errno.
// One thread at a time.
class spool_directory {
public:
    explicit spool_directory(std::string path) : path_(std::move(path)) {}

    // Makes it, with its parents, if it is not there; `synced`: that they are there survives a power cut. Throws sdk::failure.
    // True: it is another directory than the one that was open before.
    bool open(bool synced);
    // Whether the path still leads here.
    bool is_in_place() const noexcept;

    int root() const noexcept { return root_.number(); }
    const std::string& path() const noexcept { return path_; }

    // The number of the open file, or -1 and errno.
    descriptor open_file(const std::string& file, int flags) const noexcept;
    int make_directories(const std::string& of_file, const std::function<void(std::string_view parent)>& made) const;
    int rename_new(const std::string& from, const std::string& to) const noexcept;  // EEXIST: never over another file
    int remove(const std::string& file) const noexcept;
    bool exists(const std::string& file) const noexcept;
    bool is_directory(const std::string& file) const noexcept;  // not through a link
    // Removes the directories of a file, from the innermost, as long as they are empty.
    void remove_empty_directories(std::string_view of_file) const noexcept;
    // That of a directory that is gone is done.
    int sync(const std::string& directory) const noexcept;

private:
    std::string path_;
    descriptor root_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// "" for a file at the top.
std::string_view directory_of(std::string_view file) noexcept;

// Calls for each entry but . and .., with whether it is a directory; others than regular files and directories are left out.
// 0 or errno.
int each_entry(int directory, const std::function<void(std::string_view name, bool is_directory)>& visit);

int write_whole(int to, std::string_view text) noexcept;

}  // namespace mqb::dir_spool
