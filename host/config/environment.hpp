// environment: the variables that route files may name, and those that override what stands in them.
#pragma once

#include <map>
#include <string>

namespace mqb::config {

using environment = std::map<std::string, std::string, std::less<>>;

// A copy of the process's own.
[[nodiscard]] environment process_environment();

}  // namespace mqb::config
