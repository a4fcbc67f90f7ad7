// settings: the keys of a route file beside its routes.
#pragma once

#include "host/config/route_file.hpp"

namespace mqb::config {

// True for keys that are never the name of a route in the bare form of a file.
[[nodiscard]] bool is_setting(std::string_view key);
[[nodiscard]] std::vector<std::string> setting_names();
void read_setting(const entry& from, settings& into, findings& to);

}  // namespace mqb::config
