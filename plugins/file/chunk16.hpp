// Chunk16: sixteen bytes looked at together; SSE2 where the processor has it, plain loops elsewhere.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mqb::file {

// How far beyond its end a text may be read, and beyond its last byte an output may be written, by everything that works on
// chunks. Whoever lends the memory provides it.
inline constexpr std::size_t chunk_padding = 64;

// A set of the sixteen positions: bit i speaks of byte i.
using chunk_set = std::uint32_t;

#if defined(__SSE2__)

struct chunk16 {
    __m128i bytes;

    static chunk16 load(const char* from) noexcept { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))}; }
    static chunk16 filled(char with) noexcept { return {_mm_set1_epi8(with)}; }
    static chunk16 none() noexcept { return {_mm_setzero_si128()}; }

    void store(char* to) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes); }
    chunk16 operator|(chunk16 other) const noexcept { return {_mm_or_si128(bytes, other.bytes)}; }
    // 0xff where the bytes are equal, and where they are control characters (below 0x20).
    chunk16 equal(chunk16 other) const noexcept { return {_mm_cmpeq_epi8(bytes, other.bytes)}; }
    chunk16 control() const noexcept { return {_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)}; }
    // The positions whose highest bit is set: matches of the above, or bytes beyond ASCII.
    chunk_set high() const noexcept { return static_cast<chunk_set>(_mm_movemask_epi8(bytes)); }
};

#else

struct chunk16 {
    std::uint8_t bytes[16];

    static chunk16 load(const char* from) noexcept {
        chunk16 c;
        std::memcpy(c.bytes, from, 16);
        return c;
    }
    static chunk16 filled(char with) noexcept {
        chunk16 c;
        std::memset(c.bytes, with, 16);
        return c;
    }
    static chunk16 none() noexcept { return filled(0); }

    void store(char* to) const noexcept { std::memcpy(to, bytes, 16); }
    chunk16 operator|(chunk16 other) const noexcept {
        for (int i = 0; i < 16; ++i) other.bytes[i] = static_cast<std::uint8_t>(other.bytes[i] | bytes[i]);
        return other;
    }
    chunk16 equal(chunk16 other) const noexcept {
        for (int i = 0; i < 16; ++i) other.bytes[i] = other.bytes[i] == bytes[i] ? 0xff : 0;
        return other;
    }
    chunk16 control() const noexcept {
        chunk16 c;
        for (int i = 0; i < 16; ++i) c.bytes[i] = bytes[i] < 0x20 ? 0xff : 0;
        return c;
    }
    chunk_set high() const noexcept {
        chunk_set set = 0;
        for (int i = 0; i < 16; ++i) set |= static_cast<chunk_set>(bytes[i] >> 7) << i;
        return set;
    }
};

#endif

// The position of the first member of a set that has one.
inline std::ptrdiff_t first_of(chunk_set set) noexcept { return std::countr_zero(set); }

}  // namespace mqb::file
