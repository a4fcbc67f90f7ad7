// exact_buffer: a block of memory behind which nothing may be read: the page after its last byte is not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mqb::test {

class exact_buffer {
public:
    // Room for blocks of at most `most` bytes.
    explicit exact_buffer(std::size_t most);
    ~exact_buffer();
    exact_buffer(const exact_buffer&) = delete;
    exact_buffer& operator=(const exact_buffer&) = delete;

    // `size` bytes, the last of which is the last that may be read. What it gave before is no longer valid.
    [[nodiscard]] std::uint8_t* last(std::size_t size) noexcept { return end_ - size; }
    [[nodiscard]] std::uint8_t* holding(std::span<const std::uint8_t> bytes) noexcept;

private:
    void* mapping_;
    std::size_t mapped_;
    std::uint8_t* end_;
};

}  // namespace mqb::test
