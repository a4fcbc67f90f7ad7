// message_ids: ids for messages whose source gives none: UUIDv7, increasing within one source.
#pragma once

#include "core/message.hpp"

#include <array>
#include <cstdint>
#include <random>

namespace mqb::core {

[[nodiscard]] inline bool has_id(const message& m) noexcept {
    std::uint64_t half[2];
    std::memcpy(half, m.id.data(), sizeof half);
    return (half[0] | half[1]) != 0;
}

// Not thread-safe. unix-ms:48 version:4 counter-high:12 variant:2 counter-low:4 random:58, where the random part is one for the
// maker and tells its ids from those of every other. 65,536 a millisecond; then the clock in the ids runs ahead of the wall.
class message_ids {
public:
    // For the ids that follow: the wall clock's time in ns since 1970.
    void start(std::uint64_t now_ns) noexcept {
        const std::uint64_t clock = now_ns / 1'000'000 << 16;
        if (next_ < clock) next_ = clock;
    }
    void write(std::array<std::uint8_t, 16>& to) noexcept {
        const std::uint64_t ticket = next_++;
        const std::uint64_t high = (ticket & ~std::uint64_t{0xffff}) | 0x7000 | (ticket >> 4 & 0xfff);
        const std::uint64_t low = std::uint64_t{2} << 62 | (ticket & 15) << 58 | mine_ >> 6;
        for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
        for (unsigned i = 0; i < 8; ++i) to[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
    }

private:
    static std::uint64_t random_bits() {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }
    std::uint64_t next_ = 0;  // ms << 16 | counter
    std::uint64_t mine_ = random_bits();
};

}  // namespace mqb::core
