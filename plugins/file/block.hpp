// Block: what has been read from a file and not yet been taken as records. Grows to hold the longest record, and shrinks again.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "chunk16.hpp"

namespace mqb::file {

// Behind the unread bytes come chunk_padding more that may be read.
class block {
public:
    static constexpr std::size_t usual = 256 << 10;
    static constexpr std::size_t large = 4 << 20;  // beyond, memory counts for more than moving: it grows by half

    std::string_view unread() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
    void drop(std::size_t size) noexcept { begin_ += size; }
    void clear() noexcept { begin_ = end_ = 0; }

    // Room to read into, at least as much as half of the block, or an eighth of a large one: what is unread is moved only when so
    // much is free for new bytes afterwards. Ends every view of what is unread.
    std::span<char> room();
    void filled(std::size_t size) noexcept { end_ += size; }

private:
    void resize(std::size_t capacity);

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0, end_ = 0;
};

}  // namespace mqb::file
