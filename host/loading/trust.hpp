// trust: who could have changed a library that was found by searching.
#pragma once

#include <filesystem>
#include <string>

namespace mqb::loading {

// Why a found file is not loaded: it, or a directory above it, belongs to or may be written by somebody who is neither root nor the
// running user. Empty: nothing. beside_binary: it stands beside the program, whose owner is trusted too.
[[nodiscard]] std::string fault_in_owners(const std::filesystem::path& file, const std::filesystem::path& binary, bool beside_binary);

}  // namespace mqb::loading
