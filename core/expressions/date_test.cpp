#include "core/expressions/dates.hpp"
#include "core/expressions/trial_test.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace mqb::core::expressions;

namespace {

std::string result(std::string_view expression) { return transformed(expression, "{}"); }

}  // namespace

TEST_CASE("dates as they were observed") {
    CHECK(result(R"(d("2026-01-31").add(1,"month").format("%Y-%m-%d"))") == R"("2026-02-28")");
    CHECK(result(R"(d("2026-01-31T10:00:00Z").timestamp())") == "1769853600000");
    CHECK(result(R"(date("2026-01-31"))") == "1769817600");
}

TEST_CASE("a date is read in the forms of RFC 3339 and shorter ones, and written as RFC 3339") {
    const std::pair<const char*, const char*> rows[] = {
        {R"(d("2026-01-31"))", R"("2026-01-31T00:00:00Z")"},
        {R"(d("2026-01-31 10:20"))", R"("2026-01-31T10:20:00Z")"},
        {R"(d("2026-01-31T10:20:30.5Z"))", R"("2026-01-31T10:20:30.500Z")"},
        {R"(d("2026-01-31T10:20:30+01:00"))", R"("2026-01-31T09:20:30Z")"},
        {R"(d("2026-01-01T00:30:00+0100"))", R"("2025-12-31T23:30:00Z")"},
        {R"(d(1769853600000))", R"("2026-01-31T10:00:00Z")"},
        {R"(d(-1))", R"("1969-12-31T23:59:59.999Z")"},
        {R"(d("2026-07-01", "Europe/Berlin"))", R"("2026-07-01T00:00:00+02:00")"},
        {R"(d("2026-01-01T00:00:00Z").tz("America/New_York"))", R"("2025-12-31T19:00:00-05:00")"},
        {R"(d("2026-01-31").isValid())", "true"},
        {R"(d("2026-02-30").isValid())", "false"},
        {R"(d("x").isValid())", "false"},
        {R"(d("2026-01-31T24:00").isValid())", "false"},
        {R"(d(99999999999999999).isValid())", "false"},
        {R"(type(d()))", R"("date")"},
        {R"(string(d("2026-01-31")))", R"("2026-01-31T00:00:00Z")"},
        {R"(`on ${d("2026-01-31").format("%F")}`)", R"("on 2026-01-31")"},
    };
    for (const auto& row : rows) CHECK_MESSAGE(result(row.first) == row.second, row.first);
}

TEST_CASE("dates are moved by the calendar of their zone") {
    const std::pair<const char*, const char*> rows[] = {
        {R"(d("2024-01-31").add(1, "month"))", R"("2024-02-29T00:00:00Z")"},
        {R"(d("2024-02-29").add(1, "year"))", R"("2025-02-28T00:00:00Z")"},
        {R"(d("2026-03-31").sub(1, "month"))", R"("2026-02-28T00:00:00Z")"},
        {R"(d("2026-01-15").sub(2, "quarters"))", R"("2025-07-15T00:00:00Z")"},
        {R"(d("2026-01-31").add("1d 2h 3m"))", R"("2026-02-01T02:03:00Z")"},
        {R"(d("2026-01-31").add("1M"))", R"("2026-02-28T00:00:00Z")"},
        // The night in which an hour is missing, and the one in which it comes twice.
        {R"(d("2026-03-28T02:30", "Europe/Berlin").add(1, "day"))", R"("2026-03-29T03:30:00+02:00")"},
        {R"(d("2026-03-28T12:00", "Europe/Berlin").add(1, "day"))", R"("2026-03-29T12:00:00+02:00")"},
        {R"(d("2026-03-28T12:00", "Europe/Berlin").add(24, "hours"))", R"("2026-03-29T13:00:00+02:00")"},
        {R"(d("2026-10-25T02:30", "Europe/Berlin"))", R"("2026-10-25T02:30:00+02:00")"},
        {R"(d("2026-10-25", "Europe/Berlin").endOf("day").diff(d("2026-10-25", "Europe/Berlin"), "hour"))", "24"},
        {R"(d("2026-01-31").set("month", 2))", R"("2026-02-28T00:00:00Z")"},
        {R"(d("2026-01-31").set("year", 2028).set("hour", 5))", R"("2028-01-31T05:00:00Z")"},
        {R"(d("2026-05-20T10:11:12.5Z").startOf("hour"))", R"("2026-05-20T10:00:00Z")"},
        {R"(d("2026-05-20T10:11:12Z").startOf("week"))", R"("2026-05-18T00:00:00Z")"},
        {R"(d("2026-05-20T10:11:12Z").startOf("month"))", R"("2026-05-01T00:00:00Z")"},
        {R"(d("2026-05-20T10:11:12Z").startOf("quarter"))", R"("2026-04-01T00:00:00Z")"},
        {R"(d("2026-05-20T10:11:12Z").startOf("year"))", R"("2026-01-01T00:00:00Z")"},
        {R"(d("2026-05-20T10:11:12Z").endOf("month"))", R"("2026-05-31T23:59:59.999Z")"},
        {R"(d("2026-05-20T10:45Z", "Asia/Kolkata").startOf("hour"))", R"("2026-05-20T16:00:00+05:30")"},
    };
    for (const auto& row : rows) CHECK_MESSAGE(result(row.first) == row.second, row.first);
    CHECK(result(R"(d("9999-12-31").add(1, "day"))") == "error: the date would be outside of the years 0 to 9999");
    CHECK(result(R"(d("2026-01-31").add(9999999999999999, "year"))").starts_with("error: the date would be outside"));
    CHECK(result(R"(d("2026-01-31").add(1, "parsec"))").starts_with("error: \"parsec\" is no unit of time"));
    CHECK(result(R"(d("2026-01-31").tz("Mars/Base"))") == "error: the time zone \"Mars/Base\" is not known on this system");
    CHECK(result(R"(d("x").add(1, "day"))") == "error: the date is none: what d(x) was given cannot be read");
    CHECK(result(R"({a: d("x")})") == "error: a date in the result is none: what d(x) was given cannot be read");
    CHECK(result(R"("x".add(1, "day"))") == "error: the type string is no date; d(x) makes one of a text or of milliseconds");
    CHECK(result(R"(d().addd(1, "day"))") == "compile: there is no method \"addd\" (did you mean \"add\"?)");
}

TEST_CASE("dates are compared, and their parts are read") {
    const std::pair<const char*, const char*> rows[] = {
        {R"(d("2026-01-31") < d("2026-02-01"))", "true"},
        {R"(d("2026-01-31T01:00:00+01:00") == d("2026-01-31"))", "true"},
        {R"(d("2026-01-31") in [d("2026-01-01")..d("2026-01-31")])", "true"},
        {R"(d("2026-01-31").isSame(d("2026-01-01"), "month"))", "true"},
        {R"(d("2026-01-31").isBefore(d("2026-02-01")))", "true"},
        {R"(d("2026-01-31").isAfter(d("2026-01-01"), "month"))", "false"},
        {R"(d("2026-01-31").isSameOrAfter(d("2026-01-01"), "month"))", "true"},
        {R"(d("2026-01-31").isSameOrBefore(d("2026-01-01")))", "false"},
        {R"(d("2026-03-31").diff(d("2026-02-28"), "month"))", "1"},
        {R"(d("2026-02-28").diff(d("2026-01-31"), "month"))", "1"},
        {R"(d("2026-02-27").diff(d("2026-01-31"), "month"))", "0"},
        {R"(d("2026-01-01").diff(d("2026-01-03"), "day"))", "-2"},
        {R"(d("2026-01-01").diff(d("2025-12-31")))", "86400000"},
        {R"([d("2026-05-20T10:11:12Z").year(), d("2026-05-20").month(), d("2026-05-20").day(), d("2026-05-20").quarter()])",
         "[2026,5,20,2]"},
        {R"([d("2026-05-20T10:11:12Z").hour(), d("2026-05-20T10:11:12Z").minute(), d("2026-05-20T10:11:12Z").second()])", "[10,11,12]"},
        {R"([d("2026-05-20").weekday(), d("2026-05-20").week(), d("2026-05-20").dayOfYear()])", "[3,21,140]"},
        {R"([d("2027-01-01").week(), d("2024-01-01").isLeapYear(), d("2100-01-01").isLeapYear()])", "[53,true,false]"},
        {R"([d().isToday(), d().isTomorrow(), d().sub(1, "day").isYesterday(), d().add(1, "day").isTomorrow()])", "[true,false,true,true]"},
        {R"([d("2026-01-01").offsetName(), d("2026-01-01", "Europe/Berlin").offsetName()])", R"(["UTC","Europe/Berlin"])"},
        {R"(d("2026-05-02T03:04:05.006Z").format("%Y %y %m %d %e %b %B %a %A %j %H %I %p %M %S %L %V %G %u %w %s %z %:z %Z %% %F %T %R"))",
         R"("2026 26 05 02  2 May May Sat Saturday 122 03 03 AM 04 05 006 18 2026 6 6 1777691045 +0000 +00:00 UTC % 2026-05-02 03:04:05 03:04")"},
        {R"(d("2026-07-01", "Europe/Berlin").format("%Z %z"))", R"("CEST +0200")"},
    };
    for (const auto& row : rows) CHECK_MESSAGE(result(row.first) == row.second, row.first);
    CHECK(result(R"(d().format("%Q"))") == "error: the pattern has a letter behind % that means nothing");
    CHECK(result(R"(d().format("%"))") == "error: the pattern has a letter behind % that means nothing");
}

TEST_CASE("what would leave the calendar is an error, however far it goes") {
    // So many weeks lead around all the years that the calendar can count, and back into those it may have.
    for (const char* count : {"571428", "3420000", "3419632", "4000000", "1000000000"})
        for (const char* by : {"add", "sub"})
            for (const char* u : {"week", "day", "month", "year"}) {
                const std::string expression = std::string{"d(\"2026-01-31\")."} + by + '(' + count + ", \"" + u + "\")";
                const std::string got = result(expression);
                const bool may_be = std::string_view{u} == "day" && std::string_view{count} == "571428";
                CHECK_MESSAGE((got == "error: the date would be outside of the years 0 to 9999") != may_be, expression << ": " << got);
            }
    CHECK(result(R"(d("2026-01-31").add(416058, "week"))") == R"("9999-12-25T00:00:00Z")");
    CHECK(result(R"(d("2026-01-31").add(416059, "week"))") == "error: the date would be outside of the years 0 to 9999");
}

TEST_CASE("functions of dates work with seconds") {
    const std::pair<const char*, const char*> rows[] = {
        {R"(time("10:20:30"))", "37230"},
        {R"(time("21:49"))", "78540"},
        {R"(duration("1h 30m"))", "5400"},
        {R"(duration("2 days"))", "172800"},
        {R"(year("2026-01-31"))", "2026"},
        {R"(year(1769817600))", "2026"},
        {R"(dayOfWeek("2026-01-31"))", "6"},
        {R"(dayOfMonth("2026-01-31"))", "31"},
        {R"(dayOfYear("2026-02-01"))", "32"},
        {R"(weekOfYear("2026-01-31"))", "5"},
        {R"(monthOfYear("2026-01-31"))", "1"},
        {R"(monthString("2026-01-31"))", R"("Jan")"},
        {R"(dateString("2026-01-31"))", R"("2026-01-31 00:00:00")"},
        {R"(weekdayString("2026-01-31"))", R"("Sat")"},
        {R"(startOf("2026-01-31T10:00:00Z", "day") == date("2026-01-31"))", "true"},
        {R"(endOf("2026-01-31", "d") - startOf("2026-01-31", "d"))", "86399"},
        {R"(date("now") > date("2026-01-01"))", "true"},
    };
    for (const auto& row : rows) CHECK_MESSAGE(result(row.first) == row.second, row.first);
    CHECK(result(R"(year("x"))").starts_with("error: \"year(\"x\")\" takes a date such as"));
    CHECK(result(R"(duration("1 month"))").starts_with("error: a duration is a text such as"));
}

TEST_CASE("moments and clocks on the wall are turned into each other without loss") {
    std::mt19937_64 dice{3};
    for (const char* name : {"UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kolkata"}) {
        const auto z = zone_named(name);
        REQUIRE(z.has_value());
        for (int i = 0; i < 2'000; ++i) {
            const auto at =
                static_cast<milliseconds_utc>(dice() % static_cast<std::uint64_t>(end_of_moments - first_moment - 172'800'000)) +
                first_moment + 86'400'000;
            const auto back = moment_of(wall_of(at, *z), *z);
            REQUIRE(back.has_value());
            // Of an hour that comes twice the earlier one is meant.
            CHECK((*back == at || (*back < at && at - *back <= 86'400'000)));
            const std::string text = date_text(at, *z);
            if (*back == at) CHECK_MESSAGE((zone_offset(*z, at) % 60 != 0 || read_date(text, nullptr) == at), text);
            for (const unit u : {unit::second, unit::hour, unit::day, unit::week, unit::month, unit::quarter, unit::year}) {
                const auto from = start_of(at, *z, u), to = end_of(at, *z, u);
                CHECK(from <= at);
                CHECK(to >= at);
            }
        }
    }
}
