// manual: the commands as man pages and as the reference part of docs/command-line.md.
#pragma once

#include "host/completion/command_tree.hpp"

#include <string>

namespace mqb::host {

// "mqbridge.1", "mqbridge-new-plugin.1"
[[nodiscard]] std::string man_page_name(const command_node& of);
// `version`: "0.1.0"
[[nodiscard]] std::string man_page(const command_node& of, const command_node& root, const std::string& version);
[[nodiscard]] std::string markdown(const command_node& root);

}  // namespace mqb::host
