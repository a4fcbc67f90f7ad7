// sha256: the SHA-256 sum of a file, for the list of plugins and the allow-list.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mqb::loading {

// Lower-case hex.
[[nodiscard]] std::string sha256_of(std::string_view bytes);
// Empty if the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace mqb::loading
