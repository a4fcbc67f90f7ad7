#include "core/expressions/dates.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace mqb::core::expressions {

namespace {

constexpr std::array<const char*, 12> months = {"January", "February", "March",     "April",   "May",      "June",
                                                "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<const char*, 7> weekdays = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

// Takes what is read off the front of the text.
struct reader {
    std::string_view left;

    bool digits(std::size_t count, int& out) noexcept {
        if (left.size() < count) return false;
        out = 0;
        for (const char c : left.substr(0, count)) {
            if (c < '0' || c > '9') return false;
            out = out * 10 + (c - '0');
        }
        left.remove_prefix(count);
        return true;
    }
    bool sign(char c) noexcept {
        if (!left.starts_with(c)) return false;
        left.remove_prefix(1);
        return true;
    }
    // Digits of a second, beyond thousandths without effect.
    bool fraction(int& out) noexcept {
        int place = 100;
        std::size_t count = 0;
        for (; !left.empty() && left[0] >= '0' && left[0] <= '9'; left.remove_prefix(1), ++count, place /= 10)
            out += (left[0] - '0') * place;
        return count > 0 && count <= 9;
    }
    bool clock(wall_clock& w) noexcept {
        if (!digits(2, w.hour) || !sign(':') || !digits(2, w.minute) || w.hour > 23 || w.minute > 59) return false;
        if (!sign(':')) return true;
        if (!digits(2, w.second) || w.second > 59) return false;
        return !sign('.') || fraction(w.millisecond);
    }
    bool offset(int& seconds) noexcept {
        if (sign('Z') || sign('z')) return true;
        const bool is_west = left.starts_with('-');
        int hours = 0, minutes = 0;
        if (!sign('+') && !sign('-')) return false;
        if (!digits(2, hours) || (sign(':'), !digits(2, minutes)) || hours > 23 || minutes > 59) return false;
        seconds = (is_west ? -1 : 1) * (hours * 3600 + minutes * 60);
        return true;
    }
};

std::string padded(const char* form, int n) {
    char text[24];
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, form, n))};
}

std::string offset_text(int seconds, const char* between) {
    const int minutes = (seconds < 0 ? -seconds : seconds) / 60;
    return (seconds < 0 ? "-" : "+") + padded("%02d", minutes / 60) + between + padded("%02d", minutes % 60);
}

struct formatter {
    milliseconds_utc at;
    zone z;
    wall_clock w = wall_of(at, z);

    [[nodiscard]] std::string clock(bool has_seconds) const {
        return padded("%02d", w.hour) + ":" + padded("%02d", w.minute) + (has_seconds ? ":" + padded("%02d", w.second) : "");
    }
    [[nodiscard]] std::string date() const {
        return padded("%04d", w.year) + "-" + padded("%02d", static_cast<int>(w.month)) + "-" + padded("%02d", static_cast<int>(w.day));
    }
    // False: there is no such letter.
    bool put(char letter, std::string& to) const {
        const int hour12 = w.hour % 12 == 0 ? 12 : w.hour % 12;
        const int milliseconds = w.millisecond;
        switch (letter) {
            case 'Y': to += padded("%04d", w.year); return true;
            case 'y': to += padded("%02d", w.year % 100); return true;
            case 'm': to += padded("%02d", static_cast<int>(w.month)); return true;
            case 'd': to += padded("%02d", static_cast<int>(w.day)); return true;
            case 'e': to += padded("%2d", static_cast<int>(w.day)); return true;
            case 'B': to += months[w.month - 1]; return true;
            case 'b':
            case 'h': to.append(months[w.month - 1], 3); return true;
            case 'A': to += weekdays[weekday_of(w) - 1]; return true;
            case 'a': to.append(weekdays[weekday_of(w) - 1], 3); return true;
            case 'j': to += padded("%03d", static_cast<int>(day_of_year(w))); return true;
            case 'u': to += std::to_string(weekday_of(w)); return true;
            case 'w': to += std::to_string(weekday_of(w) % 7); return true;
            case 'V': to += padded("%02d", static_cast<int>(week_of(w).number)); return true;
            case 'G': to += padded("%04d", week_of(w).year); return true;
            case 'H': to += padded("%02d", w.hour); return true;
            case 'I': to += padded("%02d", hour12); return true;
            case 'p': to += w.hour < 12 ? "AM" : "PM"; return true;
            case 'M': to += padded("%02d", w.minute); return true;
            case 'S': to += padded("%02d", w.second); return true;
            case 'L': to += padded("%03d", milliseconds); return true;
            case 'F': to += date(); return true;
            case 'T': to += clock(true); return true;
            case 'R': to += clock(false); return true;
            case 's': to += std::to_string((at - milliseconds) / 1000); return true;
            case 'z': to += offset_text(zone_offset(z, at), ""); return true;
            case 'Z': to += zone_letters(z, at); return true;
            case '%': to += '%'; return true;
            default: return false;
        }
    }
};

}  // namespace

std::optional<milliseconds_utc> read_date(std::string_view text, zone z) {
    reader r{text};
    wall_clock w;
    int month = 0, day = 0;
    if (!r.digits(4, w.year) || !r.sign('-') || !r.digits(2, month) || !r.sign('-') || !r.digits(2, day)) return std::nullopt;
    w.month = static_cast<unsigned>(month);
    w.day = static_cast<unsigned>(day);
    if (!std::chrono::year_month_day{std::chrono::year{w.year}, std::chrono::month{w.month}, std::chrono::day{w.day}}.ok())
        return std::nullopt;
    if (r.left.empty()) return moment_of(w, z);
    if ((!r.sign('T') && !r.sign(' ')) || !r.clock(w)) return std::nullopt;
    if (r.left.empty()) return moment_of(w, z);
    (void)r.sign(' ');
    int offset = 0;
    if (!r.offset(offset) || !r.left.empty()) return std::nullopt;
    const auto local = moment_of(w, nullptr);
    return local ? moved(*local, nullptr, -offset, unit::second) : local;
}

std::optional<std::string> formatted(milliseconds_utc at, zone z, std::string_view pattern) {
    const formatter f{at, z};
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
        } else if (pattern.substr(i).starts_with("%:z")) {
            out += offset_text(zone_offset(z, at), ":");
            i += 2;
        } else if (++i == pattern.size() || !f.put(pattern[i], out)) {
            return std::nullopt;
        }
    }
    return out;
}

std::string date_text(milliseconds_utc at, zone z) {
    const formatter f{at, z};
    std::string out = f.date() + "T" + f.clock(true);
    if (f.w.millisecond != 0) out += "." + padded("%03d", f.w.millisecond);
    const int offset = zone_offset(z, at);
    return out + (offset == 0 && !z ? "Z" : offset_text(offset, ":"));
}

}  // namespace mqb::core::expressions
