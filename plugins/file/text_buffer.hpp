// Text buffer: output that grows, written through a pointer and kept for the next batch.
#pragma once

#include <memory>
#include <string_view>

#include "chunk16.hpp"

namespace mqb::file {

class text_buffer {
public:
    // Where the next byte goes; `size` bytes and chunk_padding may be written there. Ends every earlier pointer.
    char* room(std::size_t size) {
        if (capacity_ - size_ < size + chunk_padding) grow(size + chunk_padding);
        return bytes_.get() + size_;
    }
    // Everything before `end`, which lies in the last room, counts.
    void written(const char* end) noexcept { size_ = static_cast<std::size_t>(end - bytes_.get()); }

    void append(std::string_view text) {
        char* const to = room(text.size());
        if (!text.empty()) std::memcpy(to, text.data(), text.size());
        size_ += text.size();
    }
    void append(char byte) {
        *room(1) = byte;
        ++size_;
    }
    void cut(std::size_t size) noexcept { size_ = size; }

    // Empties it, and gives the memory back where it is much more than `usual`.
    void clear(std::size_t usual) noexcept {
        size_ = 0;
        if (capacity_ > 2 * usual + chunk_padding) {
            bytes_.reset();
            capacity_ = 0;
        }
    }

    std::size_t size() const noexcept { return size_; }
    std::string_view text() const noexcept { return {bytes_.get(), size_}; }
    std::string_view from(std::size_t begin) const noexcept { return text().substr(begin); }

private:
    void grow(std::size_t more) {
        const std::size_t capacity = size_ + more > 2 * capacity_ ? size_ + more : 2 * capacity_;
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace mqb::file
