#include "host/config/scalar.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>

#include <charconv>
#include <sstream>

namespace mqb::config {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Takes [0-9]+ off the front.
bool take_digits(std::string_view& text) noexcept {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    text.remove_prefix(n);
    return n > 0;
}

bool take_integer(std::string_view& text) noexcept {
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.starts_with('0')) {
        text.remove_prefix(1);
        return true;
    }
    return take_digits(text);
}

}  // namespace

bool is_json_integer(std::string_view text) noexcept { return take_integer(text) && text.empty(); }

bool is_json_number(std::string_view text) noexcept {
    if (!take_integer(text)) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!take_digits(text)) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
        if (!take_digits(text)) return false;
    }
    return text.empty();
}

std::optional<bool> read_bool(std::string_view text) noexcept {
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    return std::nullopt;
}

std::optional<std::uint64_t> read_size(std::string_view text) noexcept {
    std::uint64_t number = 0;
    const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{}) return std::nullopt;
    std::string_view unit{rest, static_cast<std::size_t>(text.data() + text.size() - rest)};
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    struct factor {
        std::string_view name;
        std::uint64_t bytes;
    };
    constexpr factor factors[] = {{"", 1},       {"k", 1'000},      {"M", 1'000'000}, {"G", 1'000'000'000},
                                  {"KiB", 1024}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    for (const factor& f : factors) {
        std::uint64_t bytes = 0;
        if (unit == f.name && !__builtin_mul_overflow(number, f.bytes, &bytes)) return bytes;
    }
    return std::nullopt;
}

std::string fault_in_name(std::string_view text) {
    return text.find('\0') == std::string_view::npos ? "" : "holds U+0000, which would cut the name short";
}

std::string json_string(std::string_view text) { return boost::json::serialize(boost::json::string_view{text.data(), text.size()}); }

}  // namespace mqb::config
