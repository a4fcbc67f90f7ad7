// Guarded: memory that ends at an unreadable page, and lists whose elements have poisoned tails.
#pragma once
#include <mqb/message.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::conformance {

constexpr unsigned char poison = 0xA5;    // what lies behind the size of an element or call struct
constexpr std::size_t extra_stride = 16;  // stride - size of every list that the kit passes
constexpr std::size_t extra_struct = 32;  // struct_size - sizeof of every call struct

// `size` bytes right in front of an unreadable page. Never unmapped: a late access must not find somebody else's memory.
class guarded {
public:
    guarded() = default;
    explicit guarded(std::size_t size);
    explicit guarded(std::string_view bytes);

    unsigned char* data() const { return at_; }
    std::size_t size() const { return size_; }
    mqb_text text() const { return {reinterpret_cast<const char*>(at_), size_}; }

    void freeze() const;   // from now on writing faults
    void destroy() const;  // from now on reading faults

private:
    void protect(int) const;
    unsigned char* page_ = nullptr;
    std::size_t pages_ = 0;
    unsigned char* at_ = nullptr;
    std::size_t size_ = 0;
};

// An array of T for the plugin: stride = sizeof(T) + 16, tails poisoned, an unreadable page behind it. A count of zero has no memory.
template <class T>
class hostile_list {
public:
    hostile_list() = default;
    explicit hostile_list(std::uint32_t count) : memory_(count * stride), count_(count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            unsigned char* p = memory_.data() + i * stride;
            for (std::size_t k = 0; k < stride; ++k) p[k] = k < sizeof(T) ? 0 : poison;
        }
    }
    T& operator[](std::uint32_t i) const { return *reinterpret_cast<T*>(memory_.data() + i * stride); }
    std::uint32_t count() const { return count_; }
    mqb_list list() const {
        return {count_ ? memory_.data() : nullptr, count_, static_cast<std::uint16_t>(stride), static_cast<std::uint16_t>(sizeof(T))};
    }
    bool tails_intact() const {
        for (std::uint32_t i = 0; i < count_; ++i)
            for (std::size_t k = sizeof(T); k < stride; ++k)
                if (memory_.data()[i * stride + k] != poison) return false;
        return true;
    }
    std::string bytes() const { return {reinterpret_cast<const char*>(memory_.data()), memory_.size()}; }
    const guarded& memory() const { return memory_; }

private:
    static constexpr std::size_t stride = sizeof(T) + extra_stride;
    guarded memory_;
    std::uint32_t count_ = 0;
};

}  // namespace mqb::conformance
