#include "csv_type.hpp"

#include <cstring>
#include <string_view>

namespace mqb::file {
namespace {

bool is_digit(char byte) noexcept { return static_cast<unsigned char>(byte - '0') < 10; }

const char* behind_digits(const char* at, const char* end) noexcept {
    while (at < end && is_digit(*at)) ++at;
    return at;
}

// As JSON writes a number.
bool is_number(const char* at, const char* end) noexcept {
    if (at < end && *at == '-') ++at;
    const char* const whole = at;
    at = behind_digits(at, end);
    if (at == whole || (*whole == '0' && at - whole > 1)) return false;
    if (at < end && *at == '.') {
        const char* const fraction = ++at;
        at = behind_digits(at, end);
        if (at == fraction) return false;
    }
    if (at < end && (*at | 0x20) == 'e') {
        if (++at < end && (*at == '+' || *at == '-')) ++at;
        const char* const exponent = at;
        at = behind_digits(at, end);
        if (at == exponent) return false;
    }
    return at == end;
}

char* put(char* to, std::string_view text) noexcept {
    std::memmove(to, text.data(), text.size());
    return to + text.size();
}

}  // namespace

char* make_value(char* const begin, char* end, csv_type type) noexcept {
    const char* from = begin;
    while (from < end && *from == ' ') ++from;
    while (from < end && end[-1] == ' ') --end;
    if (from == end) return put(begin, "null");
    std::string_view cell(from, static_cast<std::size_t>(end - from));
    if (type == csv_type::boolean) {
        if (cell == "true" || cell == "1") return put(begin, "true");
        return cell == "false" || cell == "0" ? put(begin, "false") : nullptr;
    }
    if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
    if (type == csv_type::number) return is_number(cell.data(), end) ? put(begin, cell) : nullptr;

    const bool is_negative = cell[0] == '-';
    if (is_negative) cell.remove_prefix(1);
    if (cell.empty() || behind_digits(cell.data(), end) != end) return nullptr;
    while (cell.size() > 1 && cell[0] == '0') cell.remove_prefix(1);
    if (!is_negative || cell == "0") return put(begin, cell);
    char* const made = put(begin + 1, cell);
    *begin = '-';
    return made;
}

}  // namespace mqb::file
