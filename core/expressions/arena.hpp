// arena: memory of one evaluation. It is given back at once, and used again by the next one. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mqb::core::expressions {

class arena {
public:
    // Thrown where one evaluation asks for more than the bound.
    struct exhausted {};

    explicit arena(std::size_t most) noexcept : most_(most) {}

    // Without destructors: only for what needs none.
    template <class T>
    [[nodiscard]] std::span<T> array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
        if (count > most_ / sizeof(T)) throw exhausted{};
        T* first = static_cast<T*>(bytes(count * sizeof(T), alignof(T)));
        std::uninitialized_default_construct_n(first, count);
        return {first, count};
    }
    [[nodiscard]] std::string_view copy(std::string_view text) {
        const std::span<char> to = array<char>(text.size());
        std::ranges::copy(text, to.begin());
        return {to.data(), to.size()};
    }
    // All that was given is gone. A block of a usual size is kept.
    void reset() noexcept {
        if (blocks_.size() > 1) blocks_.resize(1);
        if (!blocks_.empty() && blocks_.front().size > usual) blocks_.clear();
        used_ = 0;
        total_ = blocks_.empty() ? 0 : usual;
    }

private:
    struct block {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size;
    };
    static constexpr std::size_t usual = 16u << 10;
    static constexpr std::size_t largest_step = 1u << 20;

    void* bytes(std::size_t size, std::size_t alignment) {
        std::size_t at = (used_ + alignment - 1) & ~(alignment - 1);
        if (blocks_.empty() || at > blocks_.back().size || size > blocks_.back().size - at) {
            const std::size_t next = std::max(size, blocks_.empty() ? usual : std::min(blocks_.back().size * 2, largest_step));
            if (next > most_ - std::min(most_, total_)) throw exhausted{};
            blocks_.push_back({std::unique_ptr<std::byte[]>{new std::byte[next]}, next});
            total_ += next;
            at = 0;
        }
        used_ = at + size;
        return blocks_.back().memory.get() + at;
    }

    std::vector<block> blocks_;
    std::size_t used_ = 0;  // of the last block
    std::size_t total_ = 0;
    std::size_t most_;
};

}  // namespace mqb::core::expressions
