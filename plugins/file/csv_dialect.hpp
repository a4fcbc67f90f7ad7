// Csv dialect: the bytes that carry CSV syntax, and what the first record is for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv_type.hpp"

namespace mqb::file {

struct csv_dialect {
    std::optional<char> separator = ',';  // none: guessed from the first record
    std::optional<char> quote = '"';      // none: quotes are ordinary characters
    char delimiter = '\n';
    bool header = true;
    std::vector<std::string> columns;       // instead of the names in the header
    std::map<std::string, csv_type> types;  // of columns of a file that is read; the others are texts
};

// What separators may be when they are guessed, in order of preference.
inline constexpr std::string_view guessed_separators = ",;\t|";

// The byte that a configured text means: one ASCII character, a name, or hex; nothing when it means none.
std::optional<char> csv_byte(std::string_view text) noexcept;

// Why this dialect cannot be read, or written, or nothing.
std::optional<std::string> why_unreadable(const csv_dialect& dialect);
std::optional<std::string> why_unwritable(const csv_dialect& dialect);

// The separator that occurs most often outside quotes in this record; `,` when none does.
char guess_separator(std::string_view first_record, std::optional<char> quote) noexcept;

}  // namespace mqb::file
