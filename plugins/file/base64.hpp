// Base64: the standard alphabet with padding, both ways.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mqb::file {

constexpr std::size_t base64_size(std::size_t bytes) noexcept { return (bytes + 2) / 3 * 4; }

// Writes base64_size(bytes.size()) characters and returns where the next one goes.
char* put_base64(char* to, std::string_view bytes) noexcept;

// Writes the bytes that the text means, at most 3 for each 4 characters; how many they are, or nothing: not base64.
std::optional<std::size_t> read_base64(char* to, std::string_view text) noexcept;

}  // namespace mqb::file
