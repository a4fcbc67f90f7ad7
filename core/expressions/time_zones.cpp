// The zones of the system's own database, by the date library.
#include "core/expressions/dates.hpp"

#include <date/tz.h>

#include <chrono>
#include <exception>

namespace mqb::core::expressions {

namespace {

const date::time_zone& of(zone z) noexcept { return *static_cast<const date::time_zone*>(z); }

std::int64_t seconds_of(milliseconds_utc at) noexcept { return at >= 0 ? at / 1000 : -((-at + 999) / 1000); }

date::sys_seconds moment(milliseconds_utc at) noexcept { return date::sys_seconds{std::chrono::seconds{seconds_of(at)}}; }

}  // namespace

std::optional<zone> zone_named(std::string_view name) {
    if (name == "UTC" || name == "Z" || name == "Etc/UTC") return nullptr;
    try {
        const date::time_zone* const found = date::locate_zone(std::string{name});
        (void)found->get_info(moment(0));  // its file is read here for the first time, and throws where it is damaged
        return found;
    } catch (const std::exception&) { return std::nullopt; }
}

std::string zone_name(zone z) { return z ? of(z).name() : "UTC"; }
std::string zone_letters(zone z, milliseconds_utc at) { return z ? of(z).get_info(moment(at)).abbrev : "UTC"; }
int zone_offset(zone z, milliseconds_utc at) { return z ? static_cast<int>(of(z).get_info(moment(at)).offset.count()) : 0; }

std::optional<milliseconds_utc> moment_of(const wall_clock& w, zone z) {
    using std::chrono::seconds;
    const std::chrono::sys_days day = std::chrono::year{w.year} / std::chrono::month{w.month} / std::chrono::day{w.day};
    std::int64_t second = std::int64_t{day.time_since_epoch().count()} * 86'400 + w.hour * 3600 + w.minute * 60 + w.second;
    if (z) {
        const date::local_info info = of(z).get_info(date::local_seconds{seconds{second}});
        second -= info.first.offset.count();  // of what is skipped the offset before: that much later
    }
    const std::int64_t out = second * 1000 + w.millisecond;
    return out >= first_moment && out < end_of_moments ? std::optional{out} : std::nullopt;
}

}  // namespace mqb::core::expressions
