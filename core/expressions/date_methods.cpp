// Methods of dates: d(x).add(1, "month") and the like.
#include "core/expressions/date_argument.hpp"

#include <algorithm>
#include <array>

namespace mqb::core::expressions {

namespace {

value::moment moment_of_call(const call& c, std::size_t i) {
    if (c[i].what != kind::date)
        c.by.fail(c.at, "the type " + std::string{type_name(c[i].what)} + " is no date; d(x) makes one of a text or of milliseconds");
    if (!c[i].flag) c.by.fail(c.at, "the date is none: what d(x) was given cannot be read");
    return c[i].date;
}
value::moment self(const call& c) { return moment_of_call(c, 0); }

wall_clock wall(const call& c) {
    const value::moment m = self(c);
    return wall_of(m.time, m.zone);
}

value number(std::int64_t n) { return value::of(decimal::of(n)); }

value at(const call& c, std::optional<milliseconds_utc> time, zone z) {
    if (!time) c.by.fail(c.at, "the date would be outside of the years 0 to 9999");
    return value::of(value::moment{*time, z});
}

template <int Sign>
value move(const call& c) {
    const value::moment m = self(c);
    if (c.size() == 3)
        return at(c, moved(m.time, m.zone, Sign * std::clamp(whole_argument(c, 1), -INT64_MAX, INT64_MAX), unit_argument(c, 2)), m.zone);
    std::optional<milliseconds_utc> time = m.time;
    const bool is_good = each_part_of_duration(text_argument(c, 1), [&](std::int64_t count, unit u) {
        if (time) time = moved(*time, m.zone, Sign * count, u);
        return true;
    });
    if (!is_good) c.by.fail(c.at, "\"add\" and \"sub\" take a number and a unit, or a text such as \"1d 2h\"");
    return at(c, time, m.zone);
}

value set(const call& c) {
    const value::moment m = self(c);
    wall_clock w = wall_of(m.time, m.zone);
    const unit u = unit_argument(c, 1);
    const std::int64_t n = whole_argument(c, 2);
    const auto between = [&](std::int64_t least, std::int64_t most) {
        if (n < least || n > most) c.by.fail(c.at, "the number is not one from " + std::to_string(least) + " to " + std::to_string(most));
        return static_cast<int>(n);
    };
    switch (u) {
        case unit::year: w.year = between(0, 9999); break;
        case unit::quarter: w.month = static_cast<unsigned>(between(1, 4) - 1) * 3 + (w.month - 1) % 3 + 1; break;
        case unit::month: w.month = static_cast<unsigned>(between(1, 12)); break;
        case unit::day: w.day = static_cast<unsigned>(between(1, 31)); break;
        case unit::hour: w.hour = between(0, 23); break;
        case unit::minute: w.minute = between(0, 59); break;
        case unit::second: w.second = between(0, 59); break;
        case unit::millisecond: w.millisecond = between(0, 999); break;
        case unit::week: c.by.fail(c.at, "a week cannot be set");
    }
    // A day that the month does not have is its last one.
    wall_clock first = w;
    first.day = 1;
    const auto start = moment_of(first, m.zone);
    if (start) w.day = std::min(w.day, wall_of(end_of(*start, m.zone, unit::month), m.zone).day);
    return at(c, moment_of(w, m.zone), m.zone);
}

value format(const call& c) {
    const value::moment m = self(c);
    if (c.size() == 1) return value::of(c.by.memory().copy(date_text(m.time, m.zone)));
    const std::string_view pattern = text_argument(c, 1);
    c.by.spend(c.at, pattern.size());
    const auto text = formatted(m.time, m.zone, pattern);
    if (!text) c.by.fail(c.at, "the pattern has a letter behind % that means nothing");
    return value::of(c.by.memory().copy(*text));
}

value start(const call& c) {
    const value::moment m = self(c);
    return at(c, start_of(m.time, m.zone, unit_argument(c, 1)), m.zone);
}
value end(const call& c) {
    const value::moment m = self(c);
    return at(c, end_of(m.time, m.zone, unit_argument(c, 1)), m.zone);
}

value diff(const call& c) {
    const value::moment m = self(c), other = moment_of_call(c, 1);
    return number(units_between(m.time, other.time, m.zone, c.size() > 2 ? unit_argument(c, 2) : unit::millisecond));
}

value tz(const call& c) { return value::of(value::moment{self(c).time, zone_argument(c, 1)}); }

// Below 0, 0, above 0; with a unit by the beginnings of both.
int order(const call& c) {
    const value::moment m = self(c), other = moment_of_call(c, 1);
    milliseconds_utc a = m.time, b = other.time;
    if (c.size() > 2) {
        const unit u = unit_argument(c, 2);
        a = start_of(a, m.zone, u);
        b = start_of(b, m.zone, u);
    }
    return (a > b) - (a < b);
}
value is_same(const call& c) { return value::of(order(c) == 0); }
value is_before(const call& c) { return value::of(order(c) < 0); }
value is_after(const call& c) { return value::of(order(c) > 0); }
value is_same_or_before(const call& c) { return value::of(order(c) <= 0); }
value is_same_or_after(const call& c) { return value::of(order(c) >= 0); }

value second(const call& c) { return number(wall(c).second); }
value minute(const call& c) { return number(wall(c).minute); }
value hour(const call& c) { return number(wall(c).hour); }
value day(const call& c) { return number(wall(c).day); }
value day_in_year(const call& c) { return number(day_of_year(wall(c))); }
value week_number(const call& c) { return number(week_of(wall(c)).number); }
value weekday(const call& c) { return number(weekday_of(wall(c))); }
value month(const call& c) { return number(wall(c).month); }
value quarter(const call& c) { return number((wall(c).month - 1) / 3 + 1); }
value year(const call& c) { return number(wall(c).year); }
value timestamp(const call& c) { return number(self(c).time); }
value offset_name(const call& c) { return value::of(c.by.memory().copy(zone_name(self(c).zone))); }
value is_valid(const call& c) { return value::of(c[0].what == kind::date && c[0].flag); }
value is_leap(const call& c) { return value::of(is_leap_year(wall(c).year)); }

template <int Days>
value is_day_from_now(const call& c) {
    const value::moment m = self(c);
    const auto other = moved(now(), m.zone, Days, unit::day);
    return value::of(other && start_of(m.time, m.zone, unit::day) == start_of(*other, m.zone, unit::day));
}

constexpr std::array<function, 30> all = {{{"add", 1, 2, false, false, &move<1>},
                                           {"sub", 1, 2, false, false, &move<-1>},
                                           {"set", 2, 2, false, false, &set},
                                           {"format", 0, 1, false, false, &format},
                                           {"startOf", 1, 1, false, false, &start},
                                           {"endOf", 1, 1, false, false, &end},
                                           {"diff", 1, 2, false, false, &diff},
                                           {"tz", 1, 1, false, false, &tz},
                                           {"isSame", 1, 2, false, false, &is_same},
                                           {"isBefore", 1, 2, false, false, &is_before},
                                           {"isAfter", 1, 2, false, false, &is_after},
                                           {"isSameOrBefore", 1, 2, false, false, &is_same_or_before},
                                           {"isSameOrAfter", 1, 2, false, false, &is_same_or_after},
                                           {"second", 0, 0, false, false, &second},
                                           {"minute", 0, 0, false, false, &minute},
                                           {"hour", 0, 0, false, false, &hour},
                                           {"day", 0, 0, false, false, &day},
                                           {"dayOfYear", 0, 0, false, false, &day_in_year},
                                           {"week", 0, 0, false, false, &week_number},
                                           {"weekday", 0, 0, false, false, &weekday},
                                           {"month", 0, 0, false, false, &month},
                                           {"quarter", 0, 0, false, false, &quarter},
                                           {"year", 0, 0, false, false, &year},
                                           {"timestamp", 0, 0, false, false, &timestamp},
                                           {"offsetName", 0, 0, false, false, &offset_name},
                                           {"isValid", 0, 0, false, false, &is_valid},
                                           {"isYesterday", 0, 0, false, false, &is_day_from_now<-1>},
                                           {"isToday", 0, 0, false, false, &is_day_from_now<0>},
                                           {"isTomorrow", 0, 0, false, false, &is_day_from_now<1>},
                                           {"isLeapYear", 0, 0, false, false, &is_leap}}};

}  // namespace

std::span<const function> date_methods() noexcept { return all; }

}  // namespace mqb::core::expressions
