// decimal_digits: what arithmetic and text of decimals need to know about 128-bit numbers.
#pragma once

#include "core/expressions/decimal.hpp"

#include <array>

namespace mqb::core::expressions {

inline constexpr std::array<u128, 39> powers_of_ten = [] {
    std::array<u128, 39> out{};
    out[0] = 1;
    for (std::size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * 10;
    return out;
}();
inline constexpr u128 coefficient_end = powers_of_ten[38];

// 0 of 0.
[[nodiscard]] inline int digits_of(u128 n) noexcept {
    int count = 0;
    if (n >= powers_of_ten[19]) count = 19;
    while (count < 39 && n >= powers_of_ten[static_cast<std::size_t>(count)]) ++count;
    return count;
}

// Takes trailing zeros off, at most `most`; answers how many.
inline std::int32_t strip_zeros(u128& n, std::int32_t most) noexcept {
    std::int32_t count = 0;
    while (count < most && n != 0 && n % 10 == 0) {
        n /= 10;
        ++count;
    }
    return count;
}

// n * 10^power, below 10^38; false: it is not.
[[nodiscard]] inline bool scale_up(u128& n, std::int64_t power) noexcept {
    if (n == 0 || power == 0) return true;
    if (power > 38 || n > (coefficient_end - 1) / powers_of_ten[static_cast<std::size_t>(power)]) return false;
    n *= powers_of_ten[static_cast<std::size_t>(power)];
    return true;
}

// The next digit of a long division: rest becomes rest * 10 mod by. rest < by < 10^38, so that no step passes 128 bits.
[[nodiscard]] inline unsigned next_digit(u128& rest, u128 by) noexcept {
    const u128 one = rest;
    unsigned digit = 0;
    const auto keep_below = [&] {
        if (rest < by) return;
        rest -= by;
        ++digit;
    };
    rest *= 2, keep_below();
    rest *= 2, digit *= 2, keep_below();
    rest += one, keep_below();
    rest *= 2, digit *= 2, keep_below();
    return digit;
}

}  // namespace mqb::core::expressions
