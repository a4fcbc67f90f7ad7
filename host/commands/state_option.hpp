// state_option: which state directory a command means.
#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <string>

namespace mqb::host {

// `option`: --state-dir; `from_file`: the key state_dir of a route file; empty: not given. After these come MQB_STATE_DIR and the default.
[[nodiscard]] core::result<std::filesystem::path> find_state_directory(const std::string& option, const std::string& from_file);

}  // namespace mqb::host
