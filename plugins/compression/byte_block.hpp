// Byte block: memory that grows in place where the system can do that, and is given back whole.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace mqb::compressing {

class byte_block {
public:
    [[nodiscard]] std::string_view text() const noexcept { return {bytes_ ? bytes_.get() : "", size_}; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // What is reserved and not used yet.
    [[nodiscard]] std::span<char> room() noexcept { return {bytes_.get() + size_, capacity_ - size_}; }
    void use(std::size_t more) noexcept { size_ += more; }
    void reserve(std::size_t capacity) {
        if (capacity > capacity_) resize(capacity);
    }
    void append(std::string_view more) {
        if (more.empty()) return;
        if (capacity_ - size_ < more.size()) resize(size_ + more.size() > 2 * capacity_ ? size_ + more.size() : 2 * capacity_);
        more.copy(bytes_.get() + size_, more.size());
        size_ += more.size();
    }
    // Keeps no more than is used.
    void trim() {
        if (size_ == 0)
            bytes_.reset(), capacity_ = 0;
        else if (size_ < capacity_ / 2)
            resize(size_);
    }

private:
    struct give_back {
        void operator()(char* bytes) const noexcept { std::free(bytes); }
    };
    void resize(std::size_t capacity) {
        auto* const grown = static_cast<char*>(std::realloc(bytes_.get(), capacity));
        if (!grown) throw std::bad_alloc();
        (void)bytes_.release();
        bytes_.reset(grown);
        capacity_ = capacity;
    }
    std::unique_ptr<char, give_back> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace mqb::compressing
