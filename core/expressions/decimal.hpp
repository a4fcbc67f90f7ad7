// decimal: exact numbers of up to 38 digits that keep their scale: 1.50 stays 1.50, and 0.1 + 0.2 is 0.3.
//
// A result that does not fit is none: nothing is rounded but a quotient, and what round() and its like are asked to round. Half is
// rounded away from zero. Values without state; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mqb::core::expressions {

__extension__ typedef unsigned __int128 u128;

// coefficient * 10^exponent; the coefficient is below 10^38, and zero is never negative.
struct decimal {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::int32_t exponent = 0;
    bool is_negative = false;

    static constexpr int most_digits = 38;
    static constexpr int quotient_digits = 28;
    static constexpr std::int32_t largest_exponent = 1'000'000;

    [[nodiscard]] u128 coefficient() const noexcept { return static_cast<u128>(high) << 64 | low; }
    [[nodiscard]] bool is_zero() const noexcept { return (low | high) == 0; }
    [[nodiscard]] static decimal of(std::int64_t n) noexcept;
    [[nodiscard]] static decimal of(u128 coefficient, std::int32_t exponent, bool is_negative) noexcept;
};

// What a text says: a number, one of more than 38 digits or with an exponent beyond a million, or none.
enum class reading { number, too_long, not_a_number };
// As in JSON, and with a sign `+` or leading zeros in front too; no blanks.
[[nodiscard]] reading read_decimal(std::string_view text, decimal& out) noexcept;

// Plain digits where these are no more than a person would write; else 1.5e400. The answer is how much of `to` is written.
constexpr std::size_t decimal_text_size = 96;
[[nodiscard]] std::size_t write_decimal(const decimal& d, char (&to)[decimal_text_size]) noexcept;

// Below 0, 0, above 0; always exact.
[[nodiscard]] int compare(const decimal& a, const decimal& b) noexcept;

// None: the exact result has more digits than 38.
[[nodiscard]] std::optional<decimal> sum(const decimal& a, const decimal& b) noexcept;
[[nodiscard]] std::optional<decimal> difference(const decimal& a, const decimal& b) noexcept;
[[nodiscard]] std::optional<decimal> product(const decimal& a, const decimal& b) noexcept;
// Exact where it can be; else of 28 digits, or a whole number where that is longer. b is not zero.
[[nodiscard]] std::optional<decimal> quotient(const decimal& a, const decimal& b) noexcept;
// Has the sign of a. b is not zero.
[[nodiscard]] std::optional<decimal> remainder(const decimal& a, const decimal& b) noexcept;
// n is in -9999 … 9999; a is not zero where n is below zero.
[[nodiscard]] std::optional<decimal> power(const decimal& a, int n) noexcept;

[[nodiscard]] decimal negated(decimal d) noexcept;
enum class rounding { half_away, down, up, to_zero };
// To `digits` behind the point, 0 … 38; fewer digits stay as they are.
[[nodiscard]] std::optional<decimal> rounded(const decimal& d, int digits, rounding how) noexcept;
// The whole number that d is; none: it has a fraction, or does not fit.
[[nodiscard]] std::optional<std::int64_t> whole(const decimal& d) noexcept;

}  // namespace mqb::core::expressions
