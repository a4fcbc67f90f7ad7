// Functions about dates: d, and those that work with seconds: date time duration year dayOfWeek … startOf endOf.
#include "core/expressions/date_argument.hpp"

#include <array>
#include <chrono>

namespace mqb::core::expressions {

milliseconds_utc now() noexcept {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string_view text_argument(const call& c, std::size_t i) {
    if (!c[i].is_text())
        c.by.fail(c.at, "\"" + c.by.described(c.at) + "\" takes a text, not the type " + std::string{type_name(c[i].what)});
    return c.by.text_of(c[i]);
}

unit unit_argument(const call& c, std::size_t i) {
    const std::string_view name = text_argument(c, i);
    const auto u = unit_named(name);
    if (!u)
        c.by.fail(c.at,
                  "\"" + std::string{name.substr(0, 40)} + "\" is no unit of time: year, quarter, month, week, day, hour, minute, second");
    return *u;
}

std::int64_t whole_argument(const call& c, std::size_t i) {
    const auto n = c[i].is_number() ? whole(c.by.number_of(c.at, c[i])) : std::nullopt;
    if (!n) c.by.fail(c.at, "\"" + c.by.described(c.at) + "\" takes a whole number");
    return *n;
}

zone zone_argument(const call& c, std::size_t i) {
    const std::string_view name = text_argument(c, i);
    const auto z = zone_named(name);
    if (!z) c.by.fail(c.at, "the time zone \"" + std::string{name.substr(0, 60)} + "\" is not known on this system");
    return *z;
}

namespace {

std::optional<milliseconds_utc> in_range(std::int64_t count, std::int64_t length) {
    std::int64_t out = 0;
    if (__builtin_mul_overflow(count, length, &out) || out < first_moment || out >= end_of_moments) return std::nullopt;
    return out;
}

// d(), d(x), d(x, zone): a text, milliseconds, or a date. What cannot be read is a date that is none.
value d(const call& c) {
    if (c.size() == 0) return value::of(value::moment{now(), nullptr});
    const zone z = c.size() > 1 ? zone_argument(c, 1) : nullptr;
    if (c[0].what == kind::date) return value::of(value::moment{c[0].date.time, c.size() > 1 ? z : c[0].date.zone}, c[0].flag);
    if (c[0].is_number()) {
        const auto at = in_range(whole_argument(c, 0), 1);
        return value::of(value::moment{at.value_or(0), z}, at.has_value());
    }
    const std::string_view text = text_argument(c, 0);
    const auto at = text == "now" ? std::optional{now()} : read_date(text, z);
    return value::of(value::moment{at.value_or(0), z}, at.has_value());
}

// What the functions without `d` work with: a text, seconds since 1970, or a date.
value::moment moment_argument(const call& c) {
    if (c[0].what == kind::date && c[0].flag) return c[0].date;
    std::optional<milliseconds_utc> at;
    if (c[0].is_number()) {
        at = in_range(whole_argument(c, 0), 1000);
    } else if (c[0].is_text()) {
        const std::string_view text = c.by.text_of(c[0]);
        at = text == "now" ? std::optional{now()} : read_date(text, nullptr);
    }
    if (!at)
        c.by.fail(c.at, "\"" + c.by.described(c.at) +
                            "\" takes a date such as \"2026-01-31\" or \"2026-01-31T10:00:00Z\", or seconds since 1970");
    return {*at, nullptr};
}

wall_clock wall_argument(const call& c) {
    const value::moment m = moment_argument(c);
    return wall_of(m.time, m.zone);
}

value number(std::int64_t n) { return value::of(decimal::of(n)); }
value seconds(milliseconds_utc at) { return number(at >= 0 ? at / 1000 : -((-at + 999) / 1000)); }
value text(const call& c, std::string_view pattern) {
    const value::moment m = moment_argument(c);
    return value::of(c.by.memory().copy(*formatted(m.time, m.zone, pattern)));
}

value date(const call& c) { return seconds(moment_argument(c).time); }

// Seconds since midnight.
value time(const call& c) {
    if (c[0].is_text()) {
        const auto at = read_date("1970-01-01T" + std::string{c.by.text_of(c[0]).substr(0, 40)}, nullptr);
        if (at && *at >= 0 && *at < 86'400'000) return seconds(*at);
    }
    const wall_clock w = wall_argument(c);
    return number(w.hour * 3600 + w.minute * 60 + w.second);
}

value duration(const call& c) {
    if (c[0].is_number()) return c[0];
    std::int64_t total = 0;
    const bool is_good = each_part_of_duration(text_argument(c, 0), [&](std::int64_t count, unit u) {
        if (u > unit::week) return false;
        const auto moved_by = moved(0, nullptr, count, u);
        total += moved_by.value_or(0);
        return moved_by.has_value();
    });
    if (!is_good) c.by.fail(c.at, "a duration is a text such as \"1h 30m\" or \"2 days\", of weeks and what is shorter");
    return seconds(total);
}

value year(const call& c) { return number(wall_argument(c).year); }
value month_of_year(const call& c) { return number(wall_argument(c).month); }
value day_of_month(const call& c) { return number(wall_argument(c).day); }
value day_of_week(const call& c) { return number(weekday_of(wall_argument(c))); }
value day_in_year(const call& c) { return number(day_of_year(wall_argument(c))); }
value week_of_year(const call& c) { return number(week_of(wall_argument(c)).number); }
value month_string(const call& c) { return text(c, "%b"); }
value weekday_string(const call& c) { return text(c, "%a"); }
value date_string(const call& c) { return text(c, "%F %T"); }

value start(const call& c) {
    const value::moment m = moment_argument(c);
    return seconds(start_of(m.time, m.zone, unit_argument(c, 1)));
}
value end(const call& c) {
    const value::moment m = moment_argument(c);
    return seconds(end_of(m.time, m.zone, unit_argument(c, 1)));
}

constexpr std::array<function, 15> all = {{{"d", 0, 2, false, false, &d},
                                           {"date", 1, 1, false, false, &date},
                                           {"time", 1, 1, false, false, &time},
                                           {"duration", 1, 1, false, true, &duration},
                                           {"year", 1, 1, false, false, &year},
                                           {"dayOfWeek", 1, 1, false, false, &day_of_week},
                                           {"dayOfMonth", 1, 1, false, false, &day_of_month},
                                           {"dayOfYear", 1, 1, false, false, &day_in_year},
                                           {"weekOfYear", 1, 1, false, false, &week_of_year},
                                           {"monthOfYear", 1, 1, false, false, &month_of_year},
                                           {"monthString", 1, 1, false, false, &month_string},
                                           {"dateString", 1, 1, false, false, &date_string},
                                           {"weekdayString", 1, 1, false, false, &weekday_string},
                                           {"startOf", 2, 2, false, false, &start},
                                           {"endOf", 2, 2, false, false, &end}}};

}  // namespace

std::span<const function> functions::of_dates() noexcept { return all; }

}  // namespace mqb::core::expressions
