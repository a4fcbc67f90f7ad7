#include "core/expressions/decimal_digits.hpp"

#include <algorithm>

namespace mqb::core::expressions {

namespace {

// a and b with one exponent, the smaller one; none: the digits between them do not fit.
struct aligned {
    u128 a = 0, b = 0;
    std::int32_t exponent = 0;
};

std::optional<aligned> align(const decimal& a, const decimal& b) noexcept {
    if (a.exponent == b.exponent) return aligned{a.coefficient(), b.coefficient(), a.exponent};
    if (a.exponent < b.exponent) {
        const auto turned = align(b, a);
        return turned ? std::optional{aligned{turned->b, turned->a, turned->exponent}} : turned;
    }
    u128 upper = a.coefficient(), lower = b.coefficient();
    std::int32_t exponent = b.exponent;
    if (!scale_up(upper, std::int64_t{a.exponent} - exponent)) {
        // Zeros at the end of b may go.
        exponent = lower == 0 ? a.exponent : exponent + strip_zeros(lower, a.exponent - exponent);
        if (!scale_up(upper, std::int64_t{a.exponent} - exponent)) return std::nullopt;
    }
    return aligned{upper, lower, exponent};
}

std::optional<decimal> made(u128 coefficient, std::int64_t exponent, bool is_negative) noexcept {
    if (coefficient >= coefficient_end) {
        exponent += strip_zeros(coefficient, 39);
        if (coefficient >= coefficient_end) return std::nullopt;
    }
    if (coefficient == 0) exponent = std::clamp<std::int64_t>(exponent, -decimal::most_digits, 0);
    if (exponent > decimal::largest_exponent || exponent < -decimal::largest_exponent) return std::nullopt;
    return decimal::of(coefficient, static_cast<std::int32_t>(exponent), is_negative);
}

std::optional<u128> multiplied(u128 a, u128 b) noexcept {
    if ((a | b) >> 64 == 0) return a * b;
    if (a != 0 && b > static_cast<u128>(-1) / a) return std::nullopt;
    return a * b;
}

}  // namespace

decimal decimal::of(std::int64_t n) noexcept {
    const auto bits = static_cast<std::uint64_t>(n);
    return {n < 0 ? 0 - bits : bits, 0, 0, n < 0};
}

decimal decimal::of(u128 coefficient, std::int32_t exponent, bool is_negative) noexcept {
    return {static_cast<std::uint64_t>(coefficient), static_cast<std::uint64_t>(coefficient >> 64), exponent,
            is_negative && coefficient != 0};
}

int compare(const decimal& a, const decimal& b) noexcept {
    if (a.is_zero() || b.is_zero() || a.is_negative != b.is_negative) {
        const auto sign = [](const decimal& d) { return d.is_zero() ? 0 : d.is_negative ? -1 : 1; };
        return (sign(a) > sign(b)) - (sign(a) < sign(b));
    }
    const int larger = a.is_negative ? -1 : 1;
    u128 left = a.coefficient(), right = b.coefficient();
    const std::int64_t apart = std::int64_t{a.exponent} - b.exponent;
    if (apart != 0 && (a.high | b.high) == 0 && apart <= 18 && apart >= -18) {
        // 64 bits and 18 digits more are below 128 bits.
        if (apart > 0) left *= powers_of_ten[static_cast<std::size_t>(apart)];
        if (apart < 0) right *= powers_of_ten[static_cast<std::size_t>(-apart)];
    } else if (apart != 0) {
        const int a_digits = digits_of(left), b_digits = digits_of(right);
        const std::int64_t a_size = std::int64_t{a_digits} + a.exponent, b_size = std::int64_t{b_digits} + b.exponent;
        if (a_size != b_size) return a_size > b_size ? larger : -larger;
        // Both have as many digits before the point: the shorter one fits when it is made as long as the other.
        if (a_digits < b_digits) left *= powers_of_ten[static_cast<std::size_t>(b_digits - a_digits)];
        if (b_digits < a_digits) right *= powers_of_ten[static_cast<std::size_t>(a_digits - b_digits)];
    }
    return left == right ? 0 : left > right ? larger : -larger;
}

std::optional<decimal> sum(const decimal& a, const decimal& b) noexcept {
    const auto both = align(a, b);
    if (!both) return std::nullopt;
    if (a.is_negative == b.is_negative) return made(both->a + both->b, both->exponent, a.is_negative);
    if (both->a >= both->b) return made(both->a - both->b, both->exponent, a.is_negative);
    return made(both->b - both->a, both->exponent, b.is_negative);
}

std::optional<decimal> difference(const decimal& a, const decimal& b) noexcept { return sum(a, negated(b)); }

std::optional<decimal> product(const decimal& a, const decimal& b) noexcept {
    u128 left = a.coefficient(), right = b.coefficient();
    std::int64_t exponent = std::int64_t{a.exponent} + b.exponent;
    auto exact = multiplied(left, right);
    if (!exact) {
        exponent += strip_zeros(left, 38);
        exponent += strip_zeros(right, 38);
        exact = multiplied(left, right);
    }
    return exact ? made(*exact, exponent, a.is_negative != b.is_negative) : std::nullopt;
}

std::optional<decimal> quotient(const decimal& a, const decimal& b) noexcept {
    const u128 by = b.coefficient();
    u128 whole = a.coefficient() / by, rest = a.coefficient() % by;
    std::int64_t exponent = std::int64_t{a.exponent} - b.exponent;
    for (int digits = digits_of(whole); rest != 0 && digits < decimal::quotient_digits; --exponent) {
        whole = whole * 10 + next_digit(rest, by);
        if (whole != 0) ++digits;
    }
    if (rest != 0 && rest * 2 >= by) ++whole;
    return made(whole, exponent, a.is_negative != b.is_negative);
}

std::optional<decimal> remainder(const decimal& a, const decimal& b) noexcept {
    u128 left = a.coefficient(), by = b.coefficient();
    if (a.exponent >= b.exponent) {
        constexpr std::int32_t longest = 1000;
        left %= by;
        const std::int32_t power = a.exponent - b.exponent;
        if (left != 0 && power > longest) return std::nullopt;
        for (std::int32_t i = 0; i < power && left != 0; ++i) (void)next_digit(left, by);
        return made(left, b.exponent, a.is_negative);
    }
    // A divisor that does not fit is larger than a.
    if (!scale_up(by, std::int64_t{b.exponent} - a.exponent)) return a;
    return made(left % by, a.exponent, a.is_negative);
}

std::optional<decimal> power(const decimal& a, int n) noexcept {
    decimal result = decimal::of(1), base = a;
    for (int left = n < 0 ? -n : n; left != 0; left /= 2) {
        if (left % 2 != 0) {
            const auto next = product(result, base);
            if (!next) return std::nullopt;
            result = *next;
        }
        if (left == 1) break;
        const auto squared = product(base, base);
        if (!squared) return std::nullopt;
        base = *squared;
    }
    return n < 0 ? quotient(decimal::of(1), result) : std::optional{result};
}

decimal negated(decimal d) noexcept {
    d.is_negative = !d.is_negative && !d.is_zero();
    return d;
}

std::optional<decimal> rounded(const decimal& d, int digits, rounding how) noexcept {
    if (d.exponent >= -digits) return d;
    const std::int64_t cut = -std::int64_t{digits} - d.exponent;
    u128 kept = 0, rest = d.coefficient(), unit = coefficient_end;
    if (cut <= decimal::most_digits) {
        unit = powers_of_ten[static_cast<std::size_t>(cut)];
        kept = d.coefficient() / unit;
        rest = d.coefficient() % unit;
    }
    bool grows = false;
    switch (how) {
        case rounding::half_away: grows = cut <= decimal::most_digits && rest * 2 >= unit; break;
        case rounding::down: grows = rest != 0 && d.is_negative; break;
        case rounding::up: grows = rest != 0 && !d.is_negative; break;
        case rounding::to_zero: break;
    }
    return made(kept + (grows ? 1 : 0), -digits, d.is_negative);
}

std::optional<std::int64_t> whole(const decimal& d) noexcept {
    if (d.is_zero()) return 0;
    u128 n = d.coefficient();
    if (d.exponent < 0) {
        if (strip_zeros(n, -d.exponent) != -d.exponent) return std::nullopt;
    } else if (!scale_up(n, d.exponent)) {
        return std::nullopt;
    }
    constexpr u128 end = static_cast<u128>(1) << 63;
    if (n >= end) return std::nullopt;
    const auto value = static_cast<std::int64_t>(n);
    return d.is_negative ? -value : value;
}

}  // namespace mqb::core::expressions
