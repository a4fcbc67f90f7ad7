// Functions about texts: upper lower trim startsWith endsWith split fuzzyMatch.
#include "core/expressions/functions.hpp"
#include "core/expressions/json_text.hpp"
#include "core/expressions/machine.hpp"
#include "core/expressions/text_case.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace mqb::core::expressions {

std::size_t place_of(std::string_view part, std::string_view text, std::size_t from) noexcept {
    if (from > text.size()) return std::string_view::npos;
    if (part.empty()) return from;
    const void* const found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

namespace {

std::string_view text(const call& c, std::size_t i) {
    if (!c[i].is_text())
        c.by.fail(c.at, "argument " + std::to_string(i + 1) + " of \"" + c.by.described(c.at) + "\" is a text, not of the type " +
                            std::string{type_name(c[i].what)});
    const std::string_view t = c.by.text_of(c[i]);
    c.by.spend(c.at, t.size() / 8);
    return t;
}

template <char32_t (*Change)(char32_t) noexcept>
value each_letter(const call& c) {
    const std::string_view from = text(c, 0);
    // A letter of the other case may take more bytes, at most 4 for 1.
    const std::span<char> to = c.by.memory().array<char>(from.size() * 4);
    std::size_t size = 0;
    for (std::size_t at = 0; at < from.size();) size += write_utf8(to.data() + size, Change(next_character(from, at)));
    return value::of(std::string_view{to.data(), size});
}

value trim(const call& c) {
    const std::string_view t = text(c, 0);
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t from = t.find_first_not_of(blanks);
    return value::of(from == std::string_view::npos ? std::string_view{} : t.substr(from, t.find_last_not_of(blanks) - from + 1));
}

value starts_with(const call& c) { return value::of(text(c, 0).starts_with(text(c, 1))); }
value ends_with(const call& c) { return value::of(text(c, 0).ends_with(text(c, 1))); }

value split(const call& c) {
    const std::string_view t = text(c, 0), by = text(c, 1);
    if (by.empty()) c.by.fail(c.at, "an empty text separates nothing");
    std::size_t count = 1;
    for (std::size_t at = place_of(by, t); at != std::string_view::npos; at = place_of(by, t, at + by.size())) ++count;
    const std::span<value> out = c.by.memory().array<value>(count);
    std::size_t from = 0;
    for (value& v : out) {
        const std::size_t to = place_of(by, t, from);
        v = value::of(t.substr(from, to - from));
        from = to + by.size();
    }
    return value::of(std::span<const value>{out});
}

constexpr std::size_t longest_compared = 1000;

std::u32string letters(const call& c, std::string_view t) {
    std::u32string out;
    for (std::size_t at = 0; at < t.size();) out += next_character(t, at);
    if (out.size() > longest_compared)
        c.by.fail(c.at, "\"fuzzyMatch\" compares texts of at most " + std::to_string(longest_compared) + " characters");
    return out;
}

// Damerau and Levenshtein: how many letters to add, drop, change or swap with their neighbour, also across what is added between.
std::size_t distance(const std::u32string& a, const std::u32string& b) {
    const std::size_t width = b.size() + 2, far = a.size() + b.size();
    std::vector<std::size_t> table((a.size() + 2) * width);
    const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
    std::unordered_map<char32_t, std::size_t> last_row;
    cell(0, 0) = far;
    for (std::size_t i = 0; i <= a.size(); ++i) cell(i + 1, 0) = far, cell(i + 1, 1) = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j + 1) = far, cell(1, j + 1) = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t last_column = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto found = last_row.find(b[j - 1]);
            const std::size_t row = found == last_row.end() ? 0 : found->second, column = last_column;
            const bool is_same = a[i - 1] == b[j - 1];
            if (is_same) last_column = j;
            cell(i + 1, j + 1) = std::min({cell(i, j) + (is_same ? 0 : 1), cell(i + 1, j) + 1, cell(i, j + 1) + 1,
                                           cell(row, column) + (i - row - 1) + 1 + (j - column - 1)});
        }
        last_row[a[i - 1]] = i;
    }
    return cell(a.size() + 1, b.size() + 1);
}

value likeness(const call& c, std::string_view t, const std::u32string& other) {
    const std::u32string one = letters(c, t);
    c.by.spend(c.at, one.size() * other.size() / 4);
    const auto longest = static_cast<std::int64_t>(std::max(one.size(), other.size()));
    if (longest == 0) return value::of(decimal::of(1));
    const auto same = decimal::of(longest - static_cast<std::int64_t>(distance(one, other)));
    const auto q = quotient(same, decimal::of(longest));
    constexpr int digits = 15;
    return value::of(*rounded(*q, digits, rounding::half_away));
}

value fuzzy_match(const call& c) {
    const std::u32string other = letters(c, text(c, 1));
    if (!c[0].is_list()) return likeness(c, text(c, 0), other);
    const auto all = c.by.elements_of(c.at, c[0]);
    const std::span<value> out = c.by.memory().array<value>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].is_text()) c.by.fail(c.at, "\"fuzzyMatch\" compares texts, not the type " + std::string{type_name(all[i].what)});
        out[i] = likeness(c, c.by.text_of(all[i]), other);
    }
    return value::of(std::span<const value>{out});
}

constexpr std::array<function, 7> all = {{{"upper", 1, 1, false, true, &each_letter<&upper_case>},
                                          {"lower", 1, 1, false, true, &each_letter<&lower_case>},
                                          {"trim", 1, 1, false, true, &trim},
                                          {"startsWith", 2, 2, false, true, &starts_with},
                                          {"endsWith", 2, 2, false, true, &ends_with},
                                          {"split", 2, 2, false, true, &split},
                                          {"fuzzyMatch", 2, 2, false, true, &fuzzy_match}}};

}  // namespace

std::span<const function> functions::of_texts() noexcept { return all; }

}  // namespace mqb::core::expressions
