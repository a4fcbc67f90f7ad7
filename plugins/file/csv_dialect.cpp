#include "csv_dialect.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace mqb::file {

std::optional<char> csv_byte(std::string_view text) noexcept {
    struct name {
        std::string_view text;
        char byte;
    };
    constexpr std::array names{name{"tab", '\t'},  name{"\\t", '\t'},      name{"space", ' '},
                               name{"comma", ','}, name{"semicolon", ';'}, name{"pipe", '|'}};
    for (const auto& known : names)
        if (text == known.text) return known.byte;
    unsigned byte = 0x80;
    if (text.size() == 1) {
        byte = static_cast<unsigned char>(text.front());
    } else if (text.size() == 4 && text.starts_with("0x")) {
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, byte, 16);
        if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
    }
    if (byte >= 0x80 || byte == '\n' || byte == '\r') return std::nullopt;
    return static_cast<char>(byte);
}

namespace {

std::optional<std::string> why_ambiguous(const csv_dialect& dialect) {
    const std::string_view separators = dialect.separator ? std::string_view(&*dialect.separator, 1) : guessed_separators;
    const auto separates = [separators](char byte) { return separators.find(byte) != std::string_view::npos; };
    if (dialect.quote && separates(*dialect.quote)) return "`separator` and `quote` must differ";
    if (separates(dialect.delimiter) || dialect.quote == dialect.delimiter)
        return "the record `delimiter` must be neither the `separator` nor the `quote`";
    for (auto name = dialect.columns.begin(); name != dialect.columns.end(); ++name)
        if (std::find(dialect.columns.begin(), name, *name) != name) return "`columns` repeats '" + *name + "'";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> why_unreadable(const csv_dialect& dialect) {
    if (auto why = why_ambiguous(dialect)) return why;
    if (!dialect.header && dialect.columns.empty()) return "an input with `header: false` needs `columns`";
    return std::nullopt;
}

std::optional<std::string> why_unwritable(const csv_dialect& dialect) {
    if (!dialect.separator) return "`separator: auto` is for inputs";
    if (auto why = why_ambiguous(dialect)) return why;
    if (dialect.quote || !dialect.header) return std::nullopt;
    const std::string syntax{*dialect.separator, dialect.delimiter, '\r', '\n'};
    for (const std::string& name : dialect.columns)
        if (name.find_first_of(syntax) != std::string::npos || (name.empty() && dialect.columns.size() == 1))
            return "the column '" + name + "' cannot be written without quotes, and `quote` is none";
    return std::nullopt;
}

char guess_separator(std::string_view first_record, std::optional<char> quote) noexcept {
    std::array<std::size_t, guessed_separators.size()> counts{};
    bool quoted = false;
    bool may_open = true;  // a quote opens a field only at its start, or doubled inside one
    for (const char byte : first_record) {
        if (byte == quote) {
            may_open = quoted || (may_open && !quoted);
            quoted = !quoted && may_open;
        } else if (!quoted) {
            const std::size_t which = guessed_separators.find(byte);
            may_open = which != std::string_view::npos;
            if (may_open) ++counts[which];
        }
    }
    const auto most = std::max_element(counts.begin(), counts.end());  // the first of equals
    return guessed_separators[static_cast<std::size_t>(most - counts.begin())];
}

}  // namespace mqb::file
