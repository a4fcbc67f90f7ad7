// metadata_text: the one text form of every metadata value (metadata.h), for templates and transports that carry only text.
#pragma once

#include <mqb/sdk/metadata.hpp>

#include <charconv>
#include <cmath>

namespace mqb::sdk {

namespace detail {

inline void append_padded(std::string& to, std::uint64_t number, int width) {
    char digits[20];
    const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    for (int missing = width - static_cast<int>(end - digits); missing > 0; --missing) to += '0';
    to.append(digits, static_cast<std::size_t>(end - digits));
}

// Days since 1970-01-01 to year, month, day in the proleptic Gregorian calendar, for any int64 number of seconds.
inline void civil_from_days(std::int64_t days, std::int64_t& year, unsigned& month, unsigned& day) noexcept {
    days += 719468;  // 0000-03-01
    const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const unsigned of_era = static_cast<unsigned>(days - era * 146097);
    const unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted = (5 * of_year + 2) / 153;  // March is 0
    day = of_year - (153 * shifted + 2) / 5 + 1;
    month = shifted < 10 ? shifted + 3 : shifted - 9;
    year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2);
}

}  // namespace detail

inline void append_base64(std::string& to, std::string_view data) {
    static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t left = data.size() - i;
        std::uint32_t three = static_cast<std::uint32_t>(static_cast<std::uint8_t>(data[i])) << 16;
        if (left > 1) three |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(data[i + 1])) << 8;
        if (left > 2) three |= static_cast<std::uint8_t>(data[i + 2]);
        to += letters[three >> 18];
        to += letters[three >> 12 & 63];
        to += left > 1 ? letters[three >> 6 & 63] : '=';
        to += left > 2 ? letters[three & 63] : '=';
    }
}

// RFC 3339 in UTC with as many decimals as are not zero. Years outside 0000..9999 are written in full, with their sign.
inline void append_rfc3339(std::string& to, time_point time) {
    std::int64_t days = time.seconds / 86400, rest = time.seconds % 86400;
    if (rest < 0) --days, rest += 86400;
    std::int64_t year;
    unsigned month, day;
    detail::civil_from_days(days, year, month, day);
    if (year < 0) to += '-';
    detail::append_padded(to, static_cast<std::uint64_t>(year < 0 ? -year : year), 4);
    to += '-';
    detail::append_padded(to, month, 2);
    to += '-';
    detail::append_padded(to, day, 2);
    to += 'T';
    detail::append_padded(to, static_cast<std::uint64_t>(rest / 3600), 2);
    to += ':';
    detail::append_padded(to, static_cast<std::uint64_t>(rest / 60 % 60), 2);
    to += ':';
    detail::append_padded(to, static_cast<std::uint64_t>(rest % 60), 2);
    if (time.nanoseconds) {
        to += '.';
        detail::append_padded(to, time.nanoseconds, 9);
        while (to.back() == '0') to.pop_back();
    }
    to += 'Z';
}

inline void append_double(std::string& to, double value) {
    if (std::isnan(value)) {
        to += "nan";
    } else if (std::isinf(value)) {
        to += value < 0 ? "-inf" : "inf";
    } else {
        char digits[40];
        const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        to.append(digits, static_cast<std::size_t>(end - digits));
    }
}

inline void append_text_form(std::string& to, const metadata_entry& entry) {
    if (entry.is_null()) return;
    if (auto text = entry.as_text())
        to += *text;
    else if (auto json = entry.as_json())
        to += *json;
    else if (auto flag = entry.as_bool())
        to += *flag ? "true" : "false";
    else if (auto number = entry.as_int())
        to += std::to_string(*number);
    else if (auto real = entry.as_double())
        append_double(to, *real);
    else if (auto time = entry.as_time())
        append_rfc3339(to, *time);
    else
        append_base64(to, entry.value());
}

inline std::string text_form(const metadata_entry& entry) {
    std::string to;
    append_text_form(to, entry);
    return to;
}

}  // namespace mqb::sdk
