// client: asks the host that runs on a state directory.
#pragma once

#include "core/result.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::host::admin {

// Sends one request and waits for its answer, both without the line feed; `patience`: none: as long as it takes. Empty: no host runs there. Fails where one
// does and the answer does not come; then the text names the process.
[[nodiscard]] core::result<std::optional<std::string>> ask(const std::filesystem::path& socket_file, std::string_view request,
                                                           std::optional<std::chrono::milliseconds> patience = std::chrono::seconds{10});

}  // namespace mqb::host::admin
