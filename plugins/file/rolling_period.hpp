// Rolling period: when a file that is begun anew every hour, or day, is to be left.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mqb::file {

// 30s, 15m, 1h or 7d, at least one second; nothing where it is none of these.
inline std::optional<std::chrono::milliseconds> duration_of(std::string_view text) noexcept {
    using namespace std::chrono;
    std::uint32_t count = 0;
    const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || unit + 1 != text.data() + text.size() || count == 0) return std::nullopt;
    switch (*unit) {
        case 's': return seconds(count);
        case 'm': return minutes(count);
        case 'h': return hours(count);
        case 'd': return hours(24 * std::int64_t{count});
        default: return std::nullopt;
    }
}

// Periods follow each other since 1970 in UTC, so that those of a day begin at midnight, whenever the program was started.
class rolling_period {
public:
    explicit rolling_period(std::chrono::milliseconds length) noexcept : length_ms_(length.count()) {}

    // The first record of the file is of this time, and another one.
    void begin(std::int64_t at_ms) noexcept { of_file_ = number(at_ms); }
    void wrote(std::int64_t at_ms) noexcept {
        if (is_over(at_ms)) of_file_ = number(at_ms);
    }
    // A clock that is set back a little does not leave the file for the period before it; one that is set to another day does.
    bool is_over(std::int64_t now_ms) const noexcept {
        const std::int64_t now = number(now_ms);
        return now != of_file_ && now != of_file_ - 1;
    }

private:
    std::int64_t number(std::int64_t at_ms) const noexcept { return at_ms / length_ms_ - (at_ms % length_ms_ < 0 ? 1 : 0); }

    std::int64_t length_ms_;
    std::int64_t of_file_ = 0;
};

}  // namespace mqb::file
