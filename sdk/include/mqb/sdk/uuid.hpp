// uuid: UUIDv7, increasing within this library, for plugins that must know an id before the host would make one.
#pragma once

#include <mqb/sdk/message_id.hpp>

#include <sys/random.h>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

namespace mqb::sdk {

namespace detail {

// uuid := unix-ms:48 version:4 counter-high:12 variant:2 counter-low:4 random:58
// The counter is 16 bits beside the milliseconds: 65 million ids a second before the clock in the ids runs ahead of the wall.
inline std::uint64_t reserve_uuids(std::uint32_t count) noexcept {
    static std::atomic<std::uint64_t> next{0};  // ms << 16 | counter
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const std::uint64_t clock = (static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000) << 16;
    std::uint64_t first = next.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t from = first < clock ? clock : first;
        if (next.compare_exchange_weak(first, from + count, std::memory_order_relaxed)) return from;
    }
}

// splitmix64, seeded by the system once for each thread.
inline std::uint64_t random_bits() noexcept {
    static thread_local std::uint64_t state = 0;
    if (state == 0 && getrandom(&state, sizeof state, 0) != sizeof state) state = reinterpret_cast<std::uintptr_t>(&state);
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

inline void put8_be(std::uint8_t* to, std::uint64_t bits) noexcept {
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    std::memcpy(to, &bits, 8);
}

inline void write_uuid(std::uint64_t ticket, std::uint64_t random, std::uint8_t* to) noexcept {
    const std::uint64_t high = (ticket & ~std::uint64_t{0xffff}) | 0x7000 | (ticket >> 4 & 0xfff);
    const std::uint64_t low = std::uint64_t{2} << 62 | (ticket & 15) << 58 | random >> 6;
    put8_be(to, high);
    put8_be(to + 8, low);
}

}  // namespace detail

// [any] 16 bytes, greater than every id made before in this library.
inline void make_uuid(std::uint8_t* to) noexcept { detail::write_uuid(detail::reserve_uuids(1), detail::random_bits(), to); }

// Ids for a batch of known size: reads the clock once, and has one random part. Threads: one at a time; its ids never meet those of
// others.
class uuid_range {
public:
    explicit uuid_range(std::uint32_t count) noexcept : next_(detail::reserve_uuids(count)), end_(next_ + count) {}
    void make(std::uint8_t* to) noexcept { next_ == end_ ? make_uuid(to) : detail::write_uuid(next_++, random_, to); }

private:
    std::uint64_t next_, end_;
    std::uint64_t random_ = detail::random_bits();
};

// 8-4-4-4-12 lower-case hex digits.
inline std::string uuid_text(const std::uint8_t* id) {
    std::string to(uuid_text_size, '\0');
    put_uuid(to.data(), id);
    return to;
}

}  // namespace mqb::sdk
