#include "core/templates/text_forms.hpp"

#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace mqb::core::templates {

namespace {

// Numbers of the grammar in metadata_edit.hpp, and those of the ABI's metadata.h.
enum entry_type : int { type_null = 0, type_bytes, type_text, type_bool, type_int, type_double, type_time, type_json };

std::uint64_t little_endian(std::string_view bytes) noexcept {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) out |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
    return out;
}

template <class Number>
void append_number(std::string& to, Number n) {
    char digits[40];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

void append_padded(std::string& to, std::uint64_t number, int width) {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    for (auto missing = width - (end - digits); missing > 0; --missing) to += '0';
    to.append(static_cast<const char*>(digits), end);
}

void append_double(std::string& to, double value) {
    if (std::isnan(value)) {
        to += "nan";
    } else if (std::isinf(value)) {
        to += value < 0 ? "-inf" : "inf";
    } else {
        append_number(to, value);
    }
}

// In the proleptic Gregorian calendar, of any day that 64 bits of seconds can name.
struct civil_date {
    explicit civil_date(std::int64_t days) noexcept {
        days += 719'468;  // from 0000-03-01 on
        const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
        const auto of_era = static_cast<unsigned>(days - era * 146'097);
        const unsigned year_of_era = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
        const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        const unsigned from_march = (5 * of_year + 2) / 153;
        day = of_year - (153 * from_march + 2) / 5 + 1;
        month = from_march < 10 ? from_march + 3 : from_march - 9;
        year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0);
    }
    std::int64_t year;
    unsigned month, day;
};

// How many bytes at the beginning of a text that is not UTF-8 there are one U+FFFD: what may begin a character, as far as it goes.
std::size_t broken_size(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0xc2 || first > 0xf4) return 1;
    const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (text.size() < 2 || byte(1) < low || byte(1) > high) return 1;
    std::size_t size = 2;
    while (size <= more && size < text.size() && (byte(size) & 0xc0) == 0x80) ++size;
    return size;
}

// A character of more than one byte, or part of one.
std::size_t character_size(std::string_view text, bool& is_whole) noexcept {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = broken_size(text);
    is_whole = first >= 0xc2 && size == (first < 0xe0 ? 2u : first < 0xf0 ? 3u : 4u);
    return size;
}

}  // namespace

void append_base64(std::string& to, std::string_view bytes) {
    constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = bytes.size() - i;
        const auto byte = [&](std::size_t k) -> std::uint32_t { return k < left ? static_cast<std::uint8_t>(bytes[i + k]) : 0u; };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        const char four[] = {letters[three >> 18], letters[three >> 12 & 63], left > 1 ? letters[three >> 6 & 63] : '=',
                             left > 2 ? letters[three & 63] : '='};
        to.append(four, 4);
    }
}

void append_uuid(std::string& to, const std::array<std::uint8_t, 16>& id) {
    constexpr char digits[] = "0123456789abcdef";
    char text[36];
    char* at = text;
    for (std::size_t i = 0; i < id.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        *at++ = digits[id[i] >> 4];
        *at++ = digits[id[i] & 15];
    }
    to.append(text, sizeof text);
}

void append_time(std::string& to, std::int64_t seconds, std::uint32_t nanoseconds) {
    std::int64_t days = seconds / 86'400, rest = seconds % 86'400;
    if (rest < 0) --days, rest += 86'400;
    const civil_date date{days};
    if (date.year < 0) to += '-';
    append_padded(to, static_cast<std::uint64_t>(date.year < 0 ? -date.year : date.year), 4);
    to += '-';
    append_padded(to, date.month, 2);
    to += '-';
    append_padded(to, date.day, 2);
    to += 'T';
    append_padded(to, static_cast<std::uint64_t>(rest / 3'600), 2);
    to += ':';
    append_padded(to, static_cast<std::uint64_t>(rest / 60 % 60), 2);
    to += ':';
    append_padded(to, static_cast<std::uint64_t>(rest % 60), 2);
    if (nanoseconds != 0) {
        to += '.';
        append_padded(to, nanoseconds, 9);
        while (to.back() == '0') to.pop_back();
    }
    to += 'Z';
}

void append_metadata(std::string& to, const metadata_entry& entry) {
    const std::string_view value = entry.value;
    switch (entry.type) {
        case type_null: return;
        case type_bool:
            if (value.size() != 1) break;
            to += value[0] != 0 ? "true" : "false";
            return;
        case type_int:
            if (value.size() != 8) break;
            return append_number(to, static_cast<std::int64_t>(little_endian(value)));
        case type_double:
            if (value.size() != 8) break;
            return append_double(to, std::bit_cast<double>(little_endian(value)));
        case type_time: {
            if (value.size() != 12) break;
            const auto nanoseconds = static_cast<std::uint32_t>(little_endian(value.substr(8)));
            if (nanoseconds > 999'999'999) break;
            return append_time(to, static_cast<std::int64_t>(little_endian(value.substr(0, 8))), nanoseconds);
        }
        case type_text:
        case type_json:
            if (!simdjson::validate_utf8(value)) break;
            to += value;
            return;
        default: break;
    }
    append_base64(to, value);
}

void append_lossy(std::string& to, std::string_view text) {
    while (!text.empty()) {
        std::size_t plain = 0;
        while (plain < text.size() && static_cast<unsigned char>(text[plain]) < 0x80) ++plain;
        to.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) return;
        bool is_whole = false;
        const std::size_t size = character_size(text, is_whole);
        to.append(is_whole ? text.substr(0, size) : std::string_view{"\xef\xbf\xbd"});
        text.remove_prefix(size);
    }
}

}  // namespace mqb::core::templates
