#include "host/commands/dlq_selection.hpp"

#include "host/commands/state_option.hpp"
#include "host/state/state_directory.hpp"

#include <charconv>
#include <chrono>

namespace mqb::host {

namespace {

using core::failure;
using core::status;

constexpr std::uint64_t second_ns = 1'000'000'000;

// Takes exactly `digits` digits, or any number of them (0), from the front.
std::optional<std::uint64_t> take_number(std::string_view& from, std::size_t digits) {
    const std::size_t end = std::min(from.find_first_not_of("0123456789"), from.size());
    if (end == 0 || (digits != 0 && end < digits)) return std::nullopt;
    const std::size_t size = digits != 0 ? digits : end;
    std::uint64_t out = 0;
    if (std::from_chars(from.data(), from.data() + size, out).ec != std::errc{}) return std::nullopt;
    from.remove_prefix(size);
    return out;
}

bool take(std::string_view& from, std::string_view any_of) {
    if (from.empty() || any_of.find(from.front()) == std::string_view::npos) return false;
    from.remove_prefix(1);
    return true;
}

std::optional<std::uint64_t> read_ago(std::string_view text, std::uint64_t now_ns) {
    const auto count = take_number(text, 0);
    if (!count || text.size() != 1) return std::nullopt;
    const std::uint64_t unit = text == "s" ? 1 : text == "m" ? 60 : text == "h" ? 3600 : text == "d" ? 86400 : 0;
    if (unit == 0 || *count > now_ns / second_ns / unit) return std::nullopt;
    return now_ns - *count * unit * second_ns;
}

// ns into the day; the rest of `text` is the zone.
std::optional<std::uint64_t> take_time(std::string_view& text) {
    const auto hour = take_number(text, 2);
    const auto minute = hour && take(text, ":") ? take_number(text, 2) : std::nullopt;
    if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
    std::uint64_t ns = (*hour * 3600 + *minute * 60) * second_ns;
    if (!take(text, ":")) return ns;
    const auto second = take_number(text, 2);
    if (!second || *second > 60) return std::nullopt;
    ns += *second * second_ns;
    if (!take(text, ".")) return ns;
    std::uint64_t unit = second_ns / 10;
    std::size_t digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits, text.remove_prefix(1), unit /= 10)
        ns += unit * static_cast<std::uint64_t>(text.front() - '0');
    return digits == 0 ? std::nullopt : std::optional{ns};
}

// Seconds east of UTC.
std::optional<std::int64_t> read_zone(std::string_view text) {
    if (text.empty() || text == "Z" || text == "z") return 0;
    const bool is_east = text.front() == '+';
    if (!take(text, "+-")) return std::nullopt;
    const auto hours = take_number(text, 2);
    const auto minutes = hours && take(text, ":") ? take_number(text, 2) : std::nullopt;
    if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
    const auto seconds = static_cast<std::int64_t>(*hours * 3600 + *minutes * 60);
    return is_east ? seconds : -seconds;
}

std::optional<std::uint64_t> read_date(std::string_view text) {
    using namespace std::chrono;
    const auto y = take_number(text, 4);
    const auto m = y && take(text, "-") ? take_number(text, 2) : std::nullopt;
    const auto d = m && take(text, "-") ? take_number(text, 2) : std::nullopt;
    if (!d) return std::nullopt;
    const year_month_day date{year{static_cast<int>(*y)}, month{static_cast<unsigned>(*m)}, day{static_cast<unsigned>(*d)}};
    if (!date.ok()) return std::nullopt;
    std::uint64_t in_day = 0;
    if (take(text, "Tt ")) {
        const auto time = take_time(text);
        if (!time) return std::nullopt;
        in_day = *time;
    }
    const auto zone = read_zone(text);
    const std::int64_t seconds = std::int64_t{sys_days{date}.time_since_epoch().count()} * 86400 - zone.value_or(0);
    if (!zone || seconds < 0 || static_cast<std::uint64_t>(seconds) > INT64_MAX / second_ns - 86400) return std::nullopt;
    return static_cast<std::uint64_t>(seconds) * second_ns + in_day;
}

}  // namespace

std::optional<std::uint64_t> read_moment(std::string_view text, std::uint64_t now_ns) {
    const auto ago = read_ago(text, now_ns);
    return ago ? ago : read_date(text);
}

core::result<state::letter_filter> read_selection(const letter_selection& which, std::uint64_t now_ns) {
    state::letter_filter out;
    out.ids = which.ids;
    out.route = which.route;
    out.endpoint = which.endpoint;
    out.error = which.error;
    out.limit = which.limit;
    if (!which.why.empty() && !(out.why = state::class_of(which.why)))
        return failure{status::bad_config, "--class " + which.why + ": is refused, exhausted or max_deliveries"};
    const auto moment = [&](const char* option, const std::string& text, std::optional<std::uint64_t>& to) {
        return text.empty() || (to = read_moment(text, now_ns))
                   ? std::string{}
                   : std::string{option} + ' ' + text + ": is a time as 2h, 7d or 2026-01-31T12:00:00Z";
    };
    std::string wrong = moment("--since", which.since, out.since);
    if (wrong.empty()) wrong = moment("--until", which.until, out.until);
    if (!wrong.empty()) return failure{status::bad_config, wrong};
    return out;
}

core::result<std::optional<state::letter_archive>> open_archive(const dlq_place& place) {
    const auto path = find_state_directory(place.state_dir, place.state_dir_of_file);
    if (!path) return path.error();
    const auto directory = state::state_directory::visit(*path);
    if (!directory) return directory.error();
    std::error_code fault;
    if (!std::filesystem::exists(directory->letters_file(), fault) && !fault) return std::optional<state::letter_archive>{};
    auto opened = state::letter_archive::open(directory->letters_file());
    if (!opened) return opened.error();
    return std::optional{std::move(*opened)};
}

state::text_filter cleaner(const dlq_place& place) {
    return [clean = scrubber{place.secrets}](std::string_view text) { return clean.clean(text); };
}

std::uint64_t wall_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

}  // namespace mqb::host
