// json_reader: the events of one JSON text, to the letter of the standard.
#pragma once

#include "host/config/tree_builder.hpp"

#include <string>

namespace mqb::config {

// Throws `unreadable`. An empty text makes a null.
void read_json(const std::string& text, tree_builder& to);

}  // namespace mqb::config
