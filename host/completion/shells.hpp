// shells: completion scripts for bash, zsh and fish.
#pragma once

#include "host/completion/command_tree.hpp"

#include <string>

namespace mqb::host {

[[nodiscard]] std::string bash_completion(const command_node& root);
[[nodiscard]] std::string zsh_completion(const command_node& root);
[[nodiscard]] std::string fish_completion(const command_node& root);

}  // namespace mqb::host
