// message: counted buffers, the message, and strided views over arrays of them.
//
// The layout is that of the plugin ABI's first major version. Core does not include that header: host/loading asserts that both
// agree and then passes arrays on without touching an element. A later ABI with another layout converts in its own adapter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace mqb::core {

// The owner of one block of memory, shared by any number of buffers in it. Retain and release: any thread.
struct buffer_owner {
    std::uint32_t struct_size;
    std::uint32_t reserved;
    std::uint64_t total_size;
    void (*retain)(buffer_owner* self);
    void (*release)(buffer_owner* self);
};

// Immutable bytes. data null: there is none (a tombstone); data set and size 0: an empty one. owner null: not countable.
struct buffer {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;
    buffer_owner* owner = nullptr;

    [[nodiscard]] bool is_null() const noexcept { return data == nullptr; }
    [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data), size}; }
};

struct message {
    std::array<std::uint8_t, 16> id{};
    std::uint64_t lane = 0;
    std::uint32_t delivery_count = 0;
    std::uint32_t reserved = 0;
    buffer payload;
    buffer metadata;
};

// A view over `count` elements that may be longer or shorter than T: fields are read in place, whole elements never copied by
// assignment. `size` says how many bytes of an element mean something.
template <class T>
struct list {
    void* first = nullptr;
    std::uint32_t count = 0;
    std::uint16_t stride = sizeof(T);
    std::uint16_t size = sizeof(T);

    list() = default;
    list(std::span<T> all) noexcept
        : first(const_cast<std::remove_const_t<T>*>(all.data())), count(static_cast<std::uint32_t>(all.size())) {}
    list(void* at, std::uint32_t n, std::uint16_t step, std::uint16_t bytes) noexcept : first(at), count(n), stride(step), size(bytes) {}

    [[nodiscard]] T& operator[](std::uint32_t i) const noexcept {
        return *reinterpret_cast<T*>(static_cast<char*>(first) + std::size_t{i} * stride);
    }
    // Element i, as much of it as both sides know.
    [[nodiscard]] std::remove_const_t<T> copy(std::uint32_t i) const noexcept {
        std::remove_const_t<T> to{};
        std::memcpy(static_cast<void*>(&to), &(*this)[i], size < sizeof to ? size : sizeof to);
        return to;
    }
    [[nodiscard]] list part(std::uint32_t from, std::uint32_t n) const noexcept {
        return {static_cast<char*>(first) + std::size_t{from} * stride, n, stride, size};
    }
    [[nodiscard]] bool empty() const noexcept { return count == 0; }
};

using message_list = list<const message>;

}  // namespace mqb::core
