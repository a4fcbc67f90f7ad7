#include "core/expressions/dates.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>

namespace mqb::core::expressions {

namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::int64_t day_length = 86'400'000;

struct unit_word {
    std::string_view name;
    unit what;
};
constexpr std::array<unit_word, 33> unit_words = {{{"ms", unit::millisecond},
                                                   {"millisecond", unit::millisecond},
                                                   {"milliseconds", unit::millisecond},
                                                   {"s", unit::second},
                                                   {"sec", unit::second},
                                                   {"second", unit::second},
                                                   {"seconds", unit::second},
                                                   {"m", unit::minute},
                                                   {"min", unit::minute},
                                                   {"minute", unit::minute},
                                                   {"minutes", unit::minute},
                                                   {"h", unit::hour},
                                                   {"hour", unit::hour},
                                                   {"hours", unit::hour},
                                                   {"d", unit::day},
                                                   {"day", unit::day},
                                                   {"days", unit::day},
                                                   {"w", unit::week},
                                                   {"week", unit::week},
                                                   {"weeks", unit::week},
                                                   {"M", unit::month},
                                                   {"mo", unit::month},
                                                   {"month", unit::month},
                                                   {"months", unit::month},
                                                   {"q", unit::quarter},
                                                   {"Q", unit::quarter},
                                                   {"quarter", unit::quarter},
                                                   {"quarters", unit::quarter},
                                                   {"y", unit::year},
                                                   {"Y", unit::year},
                                                   {"year", unit::year},
                                                   {"years", unit::year},
                                                   {"yr", unit::year}}};

// 0: a matter of the calendar.
constexpr std::int64_t length_of(unit u) noexcept {
    switch (u) {
        case unit::millisecond: return 1;
        case unit::second: return 1'000;
        case unit::minute: return 60'000;
        case unit::hour: return 3'600'000;
        default: return 0;
    }
}

constexpr std::int64_t months_of(unit u) noexcept { return u == unit::year ? 12 : u == unit::quarter ? 3 : u == unit::month ? 1 : 0; }

sys_days day_of(const wall_clock& w) noexcept { return std::chrono::year{w.year} / std::chrono::month{w.month} / std::chrono::day{w.day}; }

void set_day(wall_clock& w, sys_days day) noexcept {
    const std::chrono::year_month_day date{day};
    w.year = static_cast<int>(date.year());
    w.month = static_cast<unsigned>(date.month());
    w.day = static_cast<unsigned>(date.day());
}

unsigned last_day(int year, unsigned month) noexcept {
    const std::chrono::year_month_day_last last{std::chrono::year{year} / std::chrono::month{month} / std::chrono::last};
    return static_cast<unsigned>(last.day());
}

// The first moment of a day where the clock is moved at midnight, too.
milliseconds_utc at_wall(const wall_clock& w, zone z) {
    return std::clamp(moment_of(w, z).value_or(first_moment), first_moment, end_of_moments - 1);
}

auto time_of_day(const wall_clock& w) noexcept { return std::tuple{w.day, w.hour, w.minute, w.second, w.millisecond}; }

}  // namespace

std::optional<unit> unit_named(std::string_view name) noexcept {
    const auto found = std::ranges::find(unit_words, name, &unit_word::name);
    return found == unit_words.end() ? std::nullopt : std::optional{found->what};
}

wall_clock wall_of(milliseconds_utc at, zone z) {
    const std::int64_t local = at + std::int64_t{zone_offset(z, at)} * 1000;
    const std::int64_t day = local >= 0 ? local / day_length : -((-local + day_length - 1) / day_length);
    auto left = static_cast<int>(local - day * day_length);
    wall_clock w;
    set_day(w, sys_days{days{day}});
    w.millisecond = left % 1000, left /= 1000;
    w.second = left % 60, left /= 60;
    w.minute = left % 60;
    w.hour = left / 60;
    return w;
}

std::optional<milliseconds_utc> moved(milliseconds_utc at, zone z, std::int64_t count, unit u) {
    constexpr std::int64_t most = 400'000'000'000'000;
    if (count > most || count < -most) return std::nullopt;
    if (const std::int64_t length = length_of(u); length != 0) {
        std::int64_t out = 0;
        if (__builtin_mul_overflow(count, length, &out) || __builtin_add_overflow(out, at, &out)) return std::nullopt;
        return out >= first_moment && out < end_of_moments ? std::optional{out} : std::nullopt;
    }
    wall_clock w = wall_of(at, z);
    constexpr std::int64_t most_months = 120'000, most_days = 4'000'000;
    if (const std::int64_t months = months_of(u); months != 0) {
        if (count > most_months || count < -most_months) return std::nullopt;
        const std::int64_t total = std::int64_t{w.year} * 12 + w.month - 1 + count * months;
        if (total < 0 || total >= 120'000) return std::nullopt;
        w.year = static_cast<int>(total / 12);
        w.month = static_cast<unsigned>(total % 12) + 1;
        w.day = std::min(w.day, last_day(w.year, w.month));
    } else {
        const std::int64_t by = count * (u == unit::week ? 7 : 1);
        if (by > most_days || by < -most_days) return std::nullopt;
        set_day(w, day_of(w) + days{by});
    }
    return moment_of(w, z);
}

milliseconds_utc start_of(milliseconds_utc at, zone z, unit u) {
    wall_clock w = wall_of(at, z);
    if (const std::int64_t length = length_of(u); length != 0) {
        // By the clock on the wall, whose hours need not begin with those of UTC.
        const int offset = zone_offset(z, at);
        const std::int64_t local = at + std::int64_t{offset} * 1000, over = ((local % length) + length) % length;
        return std::max(at - over, first_moment);
    }
    switch (u) {
        case unit::week: set_day(w, day_of(w) - days{weekday_of(w) - 1}); break;
        case unit::month: w.day = 1; break;
        case unit::quarter: w.month = (w.month - 1) / 3 * 3 + 1, w.day = 1; break;
        case unit::year: w.month = w.day = 1; break;
        default: break;
    }
    w.hour = w.minute = w.second = w.millisecond = 0;
    return at_wall(w, z);
}

milliseconds_utc end_of(milliseconds_utc at, zone z, unit u) {
    const auto next = moved(start_of(at, z, u), z, 1, u);
    return next ? *next - 1 : end_of_moments - 1;
}

std::int64_t units_between(milliseconds_utc a, milliseconds_utc b, zone z, unit u) {
    if (const std::int64_t length = length_of(u); length != 0) return (a - b) / length;
    if (a < b) return -units_between(b, a, z, u);
    const wall_clock to = wall_of(a, z), from = wall_of(b, z);
    if (const std::int64_t months = months_of(u); months != 0) {
        std::int64_t whole = (std::int64_t{to.year} - from.year) * 12 + to.month - from.month;
        const bool is_last = to.day == last_day(to.year, to.month) && from.day > to.day;
        auto end = time_of_day(to), start = time_of_day(from);
        if (is_last) std::get<0>(start) = to.day;
        if (end < start) --whole;
        return std::max<std::int64_t>(whole, 0) / months;
    }
    std::int64_t count = (day_of(to) - day_of(from)).count();
    auto end = time_of_day(to), start = time_of_day(from);
    std::get<0>(end) = std::get<0>(start) = 0;
    if (end < start) --count;
    return std::max<std::int64_t>(count, 0) / (u == unit::week ? 7 : 1);
}

bool is_leap_year(int year) noexcept { return std::chrono::year{year}.is_leap(); }

unsigned day_of_year(const wall_clock& w) noexcept {
    const sys_days first = std::chrono::year{w.year} / 1 / 1;
    return static_cast<unsigned>((day_of(w) - first).count()) + 1;
}

unsigned weekday_of(const wall_clock& w) noexcept { return std::chrono::weekday{day_of(w)}.iso_encoding(); }

week week_of(const wall_clock& w) noexcept {
    // The week is of the year that its Thursday is in.
    wall_clock thursday = w;
    set_day(thursday, day_of(w) + days{4 - static_cast<int>(weekday_of(w))});
    return {thursday.year, (day_of_year(thursday) - 1) / 7 + 1};
}

}  // namespace mqb::core::expressions
