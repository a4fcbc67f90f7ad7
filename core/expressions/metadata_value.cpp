#include "core/expressions/metadata_value.hpp"

#include "core/middlewares/metadata_edit.hpp"

#include <simdjson.h>

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace mqb::core::expressions {

namespace {

enum entry_type : int { type_none = -1, type_null = 0, type_bytes, type_text, type_bool, type_int, type_double, type_time, type_json };

std::uint64_t little_endian(std::string_view bytes) noexcept {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) out |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
    return out;
}

// The shortest digits that are read back as the same double.
value of_double(double d, arena& memory) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), d).ptr;
    const std::string_view digits{text.data(), static_cast<std::size_t>(end - text.data())};
    decimal out;
    return read_decimal(digits, out) == reading::number ? value::of(out) : value::of(memory.copy(digits));
}

// Of 12 bytes; far outside of the calendar the seconds alone.
std::string_view time_text(std::string_view bytes, arena& memory) {
    using namespace std::chrono;
    const auto second = static_cast<std::int64_t>(little_endian(bytes.substr(0, 8)));
    const auto fraction = static_cast<unsigned>(little_endian(bytes.substr(8, 4)));
    std::array<char, 64> text;
    constexpr std::int64_t year_zero = -62'167'219'200, year_ten_thousand = 253'402'300'800;
    if (second < year_zero || second >= year_ten_thousand)
        return memory.copy(
            {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%lld", static_cast<long long>(second)))});
    const sys_seconds at{seconds{second}};
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const auto left = static_cast<int>((at - day).count());
    int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09u", static_cast<int>(date.year()),
                             static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), left / 3600, left / 60 % 60, left % 60,
                             fraction);
    while (text[static_cast<std::size_t>(size) - 1] == '0') --size;
    if (text[static_cast<std::size_t>(size) - 1] == '.') --size;
    text[static_cast<std::size_t>(size)] = 'Z';
    return memory.copy({text.data(), static_cast<std::size_t>(size) + 1});
}

}  // namespace

value metadata_value(const buffer& block, std::string_view key, arena& memory, bool& is_text) {
    const metadata_entry e = last_entry(block, key);
    is_text = true;
    switch (e.type) {
        case type_none:
        case type_null: return {};
        case type_bool:
            if (e.value.size() == 1) return value::of(e.value[0] != 0);
            break;
        case type_int:
            if (e.value.size() == 8) return value::of(decimal::of(static_cast<std::int64_t>(little_endian(e.value))));
            break;
        case type_double:
            if (e.value.size() == 8) return of_double(std::bit_cast<double>(little_endian(e.value)), memory);
            break;
        case type_time:
            if (e.value.size() == 12) return value::of(time_text(e.value, memory));
            break;
        case type_bytes:
        case type_text:
        case type_json:
            if (simdjson::validate_utf8(e.value.data(), e.value.size())) return value::of(e.value);
            break;
        default: break;
    }
    is_text = false;
    return {};
}

}  // namespace mqb::core::expressions
