// Small file: what is kept beside a file in one short text, read whole and replaced whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::file {

// Whether what failed with this errno may work later, without somebody who changes the configuration.
bool may_pass(int error) noexcept;

// None: not there. Throws sdk::failure where it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

// Through a temporary file beside it and a rename: at every moment the old text or the new one is there. synced: after a power
// cut too. 0, or errno; then the old text stays.
int replace_small_file(const std::string& path, std::string_view text, bool synced);

// All of it: 0, or errno.
int write_whole(int to, std::string_view text);

// A file that was made or renamed is there after a power cut only when its directory was synchronised. 0, or errno.
int sync_directory_of(const std::string& path);

// FNV-1a, 64 bits: finds damage and replacement, not malice.
std::uint64_t checksum(std::string_view bytes) noexcept;

// Twenty decimal digits; the other way any number of digits, with white space behind them.
std::string position_text(std::uint64_t position);
std::optional<std::uint64_t> position_from(std::string_view text);

}  // namespace mqb::file
