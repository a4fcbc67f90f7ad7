// letter_tables: the database of dead letters: its tables, their version, and opening it.
#pragma once

#include "host/state/database.hpp"

#include <chrono>
#include <filesystem>
#include <memory>

namespace mqb::state {

inline constexpr std::int64_t letters_version = 1;  // SQLite's user_version

// Opens the database, and makes its tables where there are none. Fails on a damaged file, on another program's database, on
// another version, and on what the file system refuses.
[[nodiscard]] core::result<std::unique_ptr<database>> open_letters(const std::filesystem::path& file,
                                                                   std::chrono::milliseconds patience = std::chrono::seconds{10});
// The same, and makes the file where there is none: for its one writer.
[[nodiscard]] core::result<std::unique_ptr<database>> make_letters(const std::filesystem::path& file,
                                                                   std::chrono::milliseconds patience = std::chrono::seconds{10});

}  // namespace mqb::state
