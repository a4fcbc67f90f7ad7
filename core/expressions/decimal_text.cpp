#include "core/expressions/decimal_digits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace mqb::core::expressions {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The digits read so far. A zero that no longer fits is kept as a power of ten; another digit that does not is an error.
struct coefficient_reader {
    std::uint64_t small = 0;
    u128 large = 0;
    int digits = 0;
    std::int64_t exponent = 0;
    bool fits = true;

    void add(char c, bool is_fraction) noexcept {
        const auto digit = static_cast<unsigned>(c - '0');
        if (digits < 19) {
            small = small * 10 + digit;
        } else if (digits < decimal::most_digits) {
            if (digits == 19) large = small;
            large = large * 10 + digit;
        } else {
            if (digit != 0) fits = false;
            if (!is_fraction) ++exponent;
            return;
        }
        if (digits != 0 || digit != 0) ++digits;
        if (is_fraction) --exponent;
    }
    [[nodiscard]] u128 value() const noexcept { return digits > 19 ? large : small; }
};

// Most numbers: a few digits, perhaps with a point. False: read it the long way.
bool read_short(const char* at, const char* end, decimal& out) noexcept {
    constexpr std::ptrdiff_t longest = 19;  // so many digits are below 64 bits
    if (end - at > longest) return false;
    const bool is_negative = at != end && *at == '-';
    if (is_negative) ++at;
    std::uint64_t n = 0;
    const char* const first = at;
    for (; at != end && is_digit(*at); ++at) n = n * 10 + static_cast<unsigned>(*at - '0');
    if (at == first) return false;
    std::ptrdiff_t scale = 0;
    if (at != end && *at == '.') {
        const char* const fraction = ++at;
        for (; at != end && is_digit(*at); ++at) n = n * 10 + static_cast<unsigned>(*at - '0');
        scale = at - fraction;
        if (scale == 0) return false;
    }
    if (at != end) return false;
    out = {n, 0, -static_cast<std::int32_t>(scale), is_negative && n != 0};
    return true;
}

constexpr std::int64_t far_too_large = 4'000'000'000;

std::size_t put_digits(u128 n, char* to) noexcept {
    char back[40];
    std::size_t count = 0;
    do {
        back[count++] = static_cast<char>('0' + static_cast<int>(n % 10));
        n /= 10;
    } while (n != 0);
    std::reverse_copy(back, back + count, to);
    return count;
}

}  // namespace

reading read_decimal(std::string_view text, decimal& out) noexcept {
    const char* at = text.data();
    const char* const end = at + text.size();
    if (read_short(at, end, out)) return reading::number;
    const bool is_negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    coefficient_reader all;
    const char* const first = at;
    for (; at != end && is_digit(*at); ++at) all.add(*at, false);
    if (at == first) return reading::not_a_number;
    if (at != end && *at == '.') {
        const char* const fraction = ++at;
        for (; at != end && is_digit(*at); ++at) all.add(*at, true);
        if (at == fraction) return reading::not_a_number;
    }
    std::int64_t exponent = 0;
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        const bool is_down = at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) ++at;
        const char* const power = at;
        for (; at != end && is_digit(*at); ++at) exponent = std::min(exponent * 10 + (*at - '0'), far_too_large);
        if (at == power) return reading::not_a_number;
        if (is_down) exponent = -exponent;
    }
    if (at != end) return reading::not_a_number;
    exponent += all.exponent;
    const u128 value = all.value();
    if (value == 0) exponent = std::clamp<std::int64_t>(exponent, -decimal::most_digits, 0);
    if (!all.fits || exponent > decimal::largest_exponent || exponent < -decimal::largest_exponent) return reading::too_long;
    out = decimal::of(value, static_cast<std::int32_t>(exponent), is_negative);
    return reading::number;
}

std::size_t write_decimal(const decimal& d, char (&to)[decimal_text_size]) noexcept {
    char digits[40];
    std::size_t count = put_digits(d.coefficient(), digits);
    const std::int64_t exponent = d.exponent, before_point = static_cast<std::int64_t>(count) + exponent;
    char* out = to;
    if (d.is_negative) *out++ = '-';
    const auto put = [&](const char* from, std::size_t n) { out = std::copy_n(from, n, out); };
    const auto zeros = [&](std::int64_t n) { out = std::fill_n(out, n, '0'); };
    if (exponent >= 0 && (before_point <= decimal::most_digits || d.is_zero())) {
        put(digits, count);
        if (!d.is_zero()) zeros(exponent);
    } else if (exponent < 0 && before_point > 0) {
        const auto whole = static_cast<std::size_t>(before_point);
        put(digits, whole);
        *out++ = '.';
        put(digits + whole, count - whole);
    } else if (exponent < 0 && before_point > -decimal::most_digits) {
        put("0.", 2);
        zeros(-before_point);
        put(digits, count);
    } else {
        while (exponent > 0 && count > 1 && digits[count - 1] == '0') --count;  // zeros before the point are no scale
        put(digits, 1);
        if (count > 1) *out++ = '.';
        put(digits + 1, count - 1);
        *out++ = 'e';
        if (before_point < 1) *out++ = '-';
        const std::int64_t power = before_point - 1;
        out += put_digits(static_cast<u128>(power < 0 ? -power : power), out);
    }
    return static_cast<std::size_t>(out - to);
}

}  // namespace mqb::core::expressions
