// file_fault: what the system said about a file, as a text for people.
#pragma once

#include "core/result.hpp"

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace mqb::state {

// "PATH: cannot be made: Read-only file system"
[[nodiscard]] inline core::failure file_fault(const std::filesystem::path& path, std::string_view what, int error = errno) {
    return {core::status::bad_config, path.string() + ": " + std::string{what} + ": " + std::generic_category().message(error)};
}

}  // namespace mqb::state
