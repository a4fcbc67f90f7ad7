// Functions about numbers: abs floor ceil round trunc rand, and of a list of them sum avg min max median mode.
#include "core/expressions/functions.hpp"
#include "core/expressions/machine.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace mqb::core::expressions {

namespace {

decimal number(const call& c, std::size_t i) {
    if (!c[i].is_number())
        c.by.fail(c.at, "argument " + std::to_string(i + 1) + " of \"" + c.by.described(c.at) + "\" is a number, not of the type " +
                            std::string{type_name(c[i].what)});
    return c.by.number_of(c.at, c[i]);
}

value result(const call& c, const std::optional<decimal>& d) {
    if (!d) c.by.fail(c.at, "the result needs more than " + std::to_string(decimal::most_digits) + " digits");
    return value::of(*d);
}

value abs(const call& c) {
    decimal d = number(c, 0);
    d.is_negative = false;
    return value::of(d);
}

template <rounding How>
value round_to(const call& c) {
    std::int64_t digits = 0;
    if (c.size() > 1) {
        const auto given = whole(number(c, 1));
        if (!given || *given < 0 || *given > decimal::most_digits) c.by.fail(c.at, "digits are a whole number from 0 to 38");
        digits = *given;
    }
    return result(c, rounded(number(c, 0), static_cast<int>(digits), How));
}

// 0 … n, both as likely as what lies between.
value rand(const call& c) {
    const auto most = whole(number(c, 0));
    if (!most || *most < 0) c.by.fail(c.at, "\"rand\" takes a whole number from 0 on");
    thread_local std::mt19937_64 dice{std::random_device{}()};
    return value::of(decimal::of(std::uniform_int_distribution<std::int64_t>{0, *most}(dice)));
}

// Of the one argument that is a list, or of all of them.
std::span<decimal> numbers(const call& c, bool may_be_empty) {
    const bool is_list = c.size() == 1 && !c[0].is_number();
    const std::span<const value> all = is_list ? c.by.elements_of(c.at, c[0]) : c.arguments;
    if (all.empty() && !may_be_empty) c.by.fail(c.at, "\"" + c.by.described(c.at) + "\" is asked of an empty list");
    const std::span<decimal> out = c.by.memory().array<decimal>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].is_number())
            c.by.fail(c.at,
                      "element " + std::to_string(i) + " of the list is no number, but of the type " + std::string{type_name(all[i].what)});
        out[i] = c.by.number_of(c.at, all[i]);
    }
    c.by.spend(c.at, out.size());
    return out;
}

std::optional<decimal> total(std::span<const decimal> all) {
    decimal t = decimal::of(0);
    for (const decimal& d : all) {
        const auto next = sum(t, d);
        if (!next) return std::nullopt;
        t = *next;
    }
    return t;
}

value sum_of(const call& c) { return result(c, total(numbers(c, true))); }

value avg(const call& c) {
    const auto all = numbers(c, false);
    const auto t = total(all);
    return result(c, t ? quotient(*t, decimal::of(static_cast<std::int64_t>(all.size()))) : t);
}

bool is_less(const decimal& a, const decimal& b) noexcept { return compare(a, b) < 0; }

value min(const call& c) { return value::of(*std::ranges::min_element(numbers(c, false), is_less)); }
value max(const call& c) { return value::of(*std::ranges::max_element(numbers(c, false), is_less)); }

value median(const call& c) {
    const auto all = numbers(c, false);
    std::ranges::sort(all, is_less);
    const std::size_t middle = all.size() / 2;
    if (all.size() % 2 != 0) return value::of(all[middle]);
    const auto both = sum(all[middle - 1], all[middle]);
    return result(c, both ? quotient(*both, decimal::of(2)) : both);
}

// The least of those that come most often.
value mode(const call& c) {
    const auto all = numbers(c, false);
    std::ranges::sort(all, is_less);
    std::size_t most = 0, best = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && compare(all[end], all[i]) == 0) ++end;
        if (end - i > most) {
            most = end - i;
            best = i;
        }
        i = end;
    }
    return value::of(all[best]);
}

constexpr std::uint8_t any = UINT8_MAX;
constexpr std::array<function, 12> all = {{{"abs", 1, 1, false, true, &abs},
                                           {"floor", 1, 1, false, true, &round_to<rounding::down>},
                                           {"ceil", 1, 1, false, true, &round_to<rounding::up>},
                                           {"round", 1, 2, false, true, &round_to<rounding::half_away>},
                                           {"trunc", 1, 2, false, true, &round_to<rounding::to_zero>},
                                           {"rand", 1, 1, false, false, &rand},
                                           {"sum", 1, any, false, true, &sum_of},
                                           {"avg", 1, any, false, true, &avg},
                                           {"min", 1, any, false, true, &min},
                                           {"max", 1, any, false, true, &max},
                                           {"median", 1, any, false, true, &median},
                                           {"mode", 1, any, false, true, &mode}}};

}  // namespace

std::span<const function> functions::of_numbers() noexcept { return all; }

}  // namespace mqb::core::expressions
