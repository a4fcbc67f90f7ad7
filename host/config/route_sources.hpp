// route_sources: the files that the names on a command line stand for.
#pragma once

#include "host/config/finding.hpp"

#include <string>
#include <vector>

namespace mqb::config {

// A directory stands for its *.yaml, *.yml, *.json (and *.toml, to be refused by name) in the order of their names, without hidden
// ones and without those of directories in it. A directory that holds none, or cannot be read, is an error.
[[nodiscard]] std::vector<std::string> list_route_files(const std::vector<std::string>& names, findings& to);

}  // namespace mqb::config
