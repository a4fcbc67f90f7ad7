// document: reads one route file, YAML or JSON, into nodes.
#pragma once

#include "host/config/finding.hpp"
#include "host/config/node.hpp"

#include <string>
#include <string_view>

namespace mqb::config {

// The root of the text, or null after an error was told. `.json` is JSON to the letter, everything else YAML.
[[nodiscard]] node_ptr read_document(std::string_view file_name, const std::string& text, findings& to);
[[nodiscard]] node_ptr read_document_file(const std::string& path, findings& to);

}  // namespace mqb::config
