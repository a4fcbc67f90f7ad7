// uuid_text: UUIDs as texts of 36 characters, all digits at once: transports that carry ids as text write and read one for each message.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mqb::sdk {

inline constexpr std::size_t uuid_text_size = 36;

namespace detail {

inline bool has_dashes(const char* text) noexcept { return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-'; }

// ---- for any machine: eight digits in a number ----
namespace portable {

// Eight characters as one number, the first in its highest byte; four of them lie at each place.
inline std::uint64_t get8(const char* high, const char* low) noexcept {
    std::uint32_t four[2];
    std::memcpy(&four[0], high, 4);
    std::memcpy(&four[1], low, 4);
    if constexpr (std::endian::native == std::endian::little) four[0] = __builtin_bswap32(four[0]), four[1] = __builtin_bswap32(four[1]);
    return std::uint64_t{four[0]} << 32 | four[1];
}
inline void put8(char* high, char* low, std::uint64_t eight) noexcept {
    std::uint32_t four[2] = {static_cast<std::uint32_t>(eight >> 32), static_cast<std::uint32_t>(eight)};
    if constexpr (std::endian::native == std::endian::little) four[0] = __builtin_bswap32(four[0]), four[1] = __builtin_bswap32(four[1]);
    std::memcpy(high, &four[0], 4);
    std::memcpy(low, &four[1], 4);
}

inline constexpr std::uint64_t each = 0x0101010101010101;  // times a byte: that byte eight times

// 32 bits as eight lower-case hex digits, all at once.
constexpr std::uint64_t hex_digits(std::uint32_t bits) noexcept {
    std::uint64_t n = bits;
    n = (n | n << 16) & 0x0000ffff0000ffff;
    n = (n | n << 8) & 0x00ff00ff00ff00ff;
    n = (n | n << 4) & 0x0f0f0f0f0f0f0f0f;
    const std::uint64_t is_letter = (n + 6 * each) >> 4 & each;
    return n + '0' * each + ('a' - '0' - 10) * is_letter;
}

// The reverse, of either case. `wrong` gets a bit for what is no digit.
constexpr std::uint32_t hex_number(std::uint64_t digits, std::uint64_t& wrong) noexcept {
    constexpr auto from = [](std::uint64_t c, std::uint64_t least, std::uint64_t most) {  // bit 7 of those in the range; of 7-bit bytes
        return (c + (0x80 - least) * each) & ~(c + (0x7f - most) * each);
    };
    const std::uint64_t low = digits & 0x7f * each;
    const std::uint64_t is_letter = from(low | 0x20 * each, 'a', 'f');
    wrong |= (digits | ~(from(low, '0', '9') | is_letter)) & 0x80 * each;
    std::uint64_t n = (low & 0x0f * each) + 9 * (is_letter >> 7 & each);
    n = (n | n >> 4) & 0x00ff00ff00ff00ff;
    n = (n | n >> 8) & 0x0000ffff0000ffff;
    return static_cast<std::uint32_t>(n | n >> 16);
}

inline void put_uuid(char* to, const std::uint8_t* id) noexcept {
    std::uint32_t part[4];
    std::memcpy(part, id, 16);
    if constexpr (std::endian::native == std::endian::little)
        for (std::uint32_t& one : part) one = __builtin_bswap32(one);
    put8(to, to + 4, hex_digits(part[0]));
    put8(to + 9, to + 14, hex_digits(part[1]));
    put8(to + 19, to + 24, hex_digits(part[2]));
    put8(to + 28, to + 32, hex_digits(part[3]));
}

inline bool get_uuid(const char* from, std::uint8_t* id) noexcept {
    std::uint64_t wrong = 0;
    std::uint32_t part[4] = {hex_number(get8(from, from + 4), wrong), hex_number(get8(from + 9, from + 14), wrong),
                             hex_number(get8(from + 19, from + 24), wrong), hex_number(get8(from + 28, from + 32), wrong)};
    if constexpr (std::endian::native == std::endian::little)
        for (std::uint32_t& one : part) one = __builtin_bswap32(one);
    std::memcpy(id, part, 16);
    return wrong == 0;
}

}  // namespace portable

#if defined(__SSE2__)
// ---- sixteen digits in a register ----
namespace sse2 {

inline __m128i all(int byte) noexcept { return _mm_set1_epi8(static_cast<char>(byte)); }
inline __m128i at_most(__m128i bytes, int most) noexcept { return _mm_cmpeq_epi8(_mm_min_epu8(bytes, all(most)), bytes); }

inline __m128i hex_digits(__m128i numbers) noexcept {
    const __m128i is_letter = _mm_cmpgt_epi8(numbers, all(9));
    return _mm_add_epi8(_mm_add_epi8(numbers, all('0')), _mm_and_si128(is_letter, all('a' - '0' - 10)));
}

inline void put_uuid(char* to, const std::uint8_t* id) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(id));
    const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), all(15));
    const __m128i low = _mm_and_si128(bytes, all(15));
    const __m128i first = hex_digits(_mm_unpacklo_epi8(high, low));
    const __m128i second = hex_digits(_mm_unpackhi_epi8(high, low));
    std::uint64_t eight[4];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(eight), first);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(eight + 2), second);
    std::memcpy(to, eight, 8);
    std::memcpy(to + 9, eight + 1, 4);
    std::memcpy(to + 14, reinterpret_cast<const char*>(eight + 1) + 4, 4);
    std::memcpy(to + 19, eight + 2, 4);
    std::memcpy(to + 24, reinterpret_cast<const char*>(eight + 2) + 4, 4);
    std::memcpy(to + 28, eight + 3, 8);
}

// The numbers of sixteen digits, in pairs: the low byte of each 16 bits. `good` loses the bits of what is no digit.
inline __m128i hex_numbers(__m128i digits, __m128i& good) noexcept {
    const __m128i number = _mm_sub_epi8(digits, all('0'));
    const __m128i letter = _mm_sub_epi8(_mm_or_si128(digits, all(0x20)), all('a'));
    const __m128i is_number = at_most(number, 9), is_letter = at_most(letter, 5);
    good = _mm_and_si128(good, _mm_or_si128(is_number, is_letter));
    const __m128i value = _mm_or_si128(_mm_and_si128(number, is_number), _mm_and_si128(_mm_add_epi8(letter, all(10)), is_letter));
    return _mm_and_si128(_mm_or_si128(_mm_slli_epi16(value, 4), _mm_srli_epi16(value, 8)), _mm_set1_epi16(0xff));
}

// Four digits from each of two places, put together in a register: memory that was just written in parts is slow to read as a whole.
inline long long two_fours(const char* low, const char* high) noexcept {
    std::uint32_t four[2];
    std::memcpy(&four[0], low, 4);
    std::memcpy(&four[1], high, 4);
    return static_cast<long long>(std::uint64_t{four[1]} << 32 | four[0]);
}

inline bool get_uuid(const char* from, std::uint8_t* id) noexcept {
    __m128i good = all(0xff);
    const __m128i first = hex_numbers(_mm_set_epi64x(two_fours(from + 9, from + 14), two_fours(from, from + 4)), good);
    const __m128i second = hex_numbers(_mm_set_epi64x(two_fours(from + 28, from + 32), two_fours(from + 19, from + 24)), good);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(id), _mm_packus_epi16(first, second));
    return _mm_movemask_epi8(good) == 0xffff;
}

}  // namespace sse2
namespace uuid_digits = sse2;
#else
namespace uuid_digits = portable;
#endif

}  // namespace detail

// Writes 36 characters: 8-4-4-4-12 lower-case hex digits. The end of them.
inline char* put_uuid(char* to, const std::uint8_t* id) noexcept {
    detail::uuid_digits::put_uuid(to, id);
    to[8] = to[13] = to[18] = to[23] = '-';
    return to + uuid_text_size;
}

// Reads 36 characters of the form above, of either case, into 16 bytes. False: it is none; `id` is then anything.
inline bool get_uuid(const char* from, std::uint8_t* id) noexcept {
    return detail::uuid_digits::get_uuid(from, id) && detail::has_dashes(from);
}

}  // namespace mqb::sdk
