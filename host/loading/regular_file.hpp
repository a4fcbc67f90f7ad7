// regular_file: reads a file that somebody else put there, which may be a pipe that never answers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace mqb::loading {

class regular_file {
public:
    // Neither waits for anything nor opens anything but a regular file.
    explicit regular_file(const std::filesystem::path& path);
    ~regular_file();
    regular_file(const regular_file&) = delete;
    regular_file& operator=(const regular_file&) = delete;

    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    // There is something, but no regular file.
    [[nodiscard]] bool is_other() const noexcept { return is_other_; }
    // The next bytes, as many as there are, up to the size; 0 at the end, nothing after an error.
    [[nodiscard]] std::optional<std::size_t> read(char* to, std::size_t size);

private:
    int fd_;
    bool is_other_ = false;
};

}  // namespace mqb::loading
