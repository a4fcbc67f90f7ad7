// dates: moments with a time zone, and their arithmetic by the calendar. Functions without state; any thread.
#pragma once

#include "core/expressions/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::core::expressions {

enum class unit : std::uint8_t { millisecond, second, minute, hour, day, week, month, quarter, year };
// `day`, `days`, `d` and the like; `m` is a minute, `M` a month.
[[nodiscard]] std::optional<unit> unit_named(std::string_view name) noexcept;

// What the clock on the wall of a zone shows.
struct wall_clock {
    int year = 1970;
    unsigned month = 1, day = 1;
    int hour = 0, minute = 0, second = 0, millisecond = 0;
};

// Milliseconds since 1970 in UTC, in the years 0 … 9999.
using milliseconds_utc = std::int64_t;
constexpr milliseconds_utc first_moment = -62'167'219'200'000, end_of_moments = 253'402'300'800'000;

// Null: UTC. A zone lives as long as the program.
using zone = const void*;
// None: not known on this system.
[[nodiscard]] std::optional<zone> zone_named(std::string_view name);
[[nodiscard]] std::string zone_name(zone z);
[[nodiscard]] std::string zone_letters(zone z, milliseconds_utc at);
[[nodiscard]] int zone_offset(zone z, milliseconds_utc at);  // seconds east of UTC

[[nodiscard]] wall_clock wall_of(milliseconds_utc at, zone z);
// A time that the zone skips is that much later; of two the earlier one. None: out of range.
[[nodiscard]] std::optional<milliseconds_utc> moment_of(const wall_clock& w, zone z);

// None: out of range. A month keeps the day where it can, else it is the last one of the month.
[[nodiscard]] std::optional<milliseconds_utc> moved(milliseconds_utc at, zone z, std::int64_t count, unit u);
[[nodiscard]] milliseconds_utc start_of(milliseconds_utc at, zone z, unit u);
[[nodiscard]] milliseconds_utc end_of(milliseconds_utc at, zone z, unit u);
// Whole units from b to a, towards zero.
[[nodiscard]] std::int64_t units_between(milliseconds_utc a, milliseconds_utc b, zone z, unit u);

[[nodiscard]] bool is_leap_year(int year) noexcept;
[[nodiscard]] unsigned day_of_year(const wall_clock& w) noexcept;
[[nodiscard]] unsigned weekday_of(const wall_clock& w) noexcept;  // 1: Monday … 7: Sunday
struct week {
    int year;
    unsigned number;
};
[[nodiscard]] week week_of(const wall_clock& w) noexcept;  // ISO 8601

// `2026-01-31`, `2026-01-31T10:00[:00[.123]][Z|+01:00]`, a blank in place of T; without an offset it is of `z`.
[[nodiscard]] std::optional<milliseconds_utc> read_date(std::string_view text, zone z);
// `1h 30m`, `2 days`: each part is handed over; false: it is none, or the visitor refused one.
template <class Visit>
[[nodiscard]] bool each_part_of_duration(std::string_view text, Visit visit);
// As strftime has it: %Y %m %d %H %M %S and more; none: a letter that there is not.
[[nodiscard]] std::optional<std::string> formatted(milliseconds_utc at, zone z, std::string_view pattern);
// RFC 3339.
[[nodiscard]] std::string date_text(milliseconds_utc at, zone z);

template <class Visit>
bool each_part_of_duration(std::string_view text, Visit visit) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    bool is_any = false;
    std::size_t at = 0;
    const auto skip_blanks = [&] {
        while (at < text.size() && text[at] == ' ') ++at;
    };
    for (skip_blanks(); at < text.size(); skip_blanks()) {
        std::int64_t count = 0;
        const std::size_t first = at;
        for (; at < text.size() && is_digit(text[at]); ++at) {
            count = count * 10 + (text[at] - '0');
            if (at - first > 12) return false;
        }
        if (at == first) return false;
        skip_blanks();
        const std::size_t name = at;
        while (at < text.size() && is_letter(text[at])) ++at;
        const auto u = unit_named(text.substr(name, at - name));
        if (!u || !visit(count, *u)) return false;
        is_any = true;
    }
    return is_any;
}

}  // namespace mqb::core::expressions
