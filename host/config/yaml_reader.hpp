// yaml_reader: the events of one YAML document.
#pragma once

#include "host/config/tree_builder.hpp"

#include <string>

namespace mqb::config {

// Throws `unreadable`. An empty text makes a null.
void read_yaml(const std::string& text, tree_builder& to);

}  // namespace mqb::config
