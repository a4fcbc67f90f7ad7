// Descriptor: a file descriptor that is closed once.
#pragma once

#include <utility>

#include <unistd.h>

namespace mqb::dir_spool {

class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int of) noexcept : number_(of) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept { return std::swap(number_, other.number_), *this; }
    ~descriptor() { close(); }

    void close() noexcept {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }
    int number() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }  // somebody else closes it
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

}  // namespace mqb::dir_spool
