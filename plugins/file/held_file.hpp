// Held file: a small file beside another one, whose lock one holder of the machine has at a time. A kill releases it.
#pragma once

#include <string>

namespace mqb::file {

// free -> held -> free; a release removes the file, leaving it does not.
class held_file {
public:
    explicit held_file(std::string path) : path_(std::move(path)) {}
    held_file(const held_file&) = delete;
    held_file& operator=(const held_file&) = delete;
    ~held_file() { release(); }

    // 0: held. EWOULDBLOCK: somebody else holds it. Else it cannot be made or locked.
    int take();
    bool held() const noexcept { return descriptor_ >= 0; }
    // To read and write, while it is held.
    int descriptor() const noexcept { return descriptor_; }
    void release() noexcept;
    void leave() noexcept;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    int descriptor_ = -1;
};

}  // namespace mqb::file
