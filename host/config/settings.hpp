// settings: the keys of a route file beside its routes.
#pragma once

#include "host/config/route_file.hpp"

namespace mqb::config {

// True for keys that are never the name of a route in the bare form of a file.
[[nodiscard]] bool is_setting(std::string_view key);
[[nodiscard]] std::vector<std::string> setting_names();
// Those that load with a warning, and those that have to be empty until a later version.
[[nodiscard]] std::vector<std::string> ignored_setting_names();
[[nodiscard]] std::vector<std::string> later_setting_names();
// `endpoints`, `env_vars` and `shutdown_timeout_ms` are read by whoever reads the routes.
void read_setting(const entry& from, const std::string& path, settings& into, findings& to);

}  // namespace mqb::config
