// Path pattern: a path with `*`, `?` or `[…]`, or one that ends in `/`, stands for all files that match.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mqb::file {

// By its text alone.
bool is_pattern(std::string_view path) noexcept;

// The part before the first name that holds a wildcard.
std::string pattern_folder(const std::string& path);

// What matches now, by name, byte by byte: no hidden files, and none that we keep beside others. Throws sdk::failure where the folder is
// not there or cannot be read.
std::vector<std::string> matching_paths(const std::string& path, bool missing_is_final);

}  // namespace mqb::file
