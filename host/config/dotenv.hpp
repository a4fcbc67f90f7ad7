// dotenv: variables in a file `.env`, as people keep them beside their route files.
#pragma once

#include "host/config/environment.hpp"
#include "host/config/finding.hpp"

#include <string>
#include <string_view>

namespace mqb::config {

// Adds what `into` has not got yet. Lines are NAME=VALUE, with or without `export`; 'VALUE' is taken as it is, "VALUE" knows \n, \",
// \\ and \$; without quotes the value ends at ` #` or the end of the line. Nothing is expanded.
void read_dotenv(std::string_view text, std::string_view file_name, environment& into, findings& to);
// The same of a file; none is no finding.
void read_dotenv_file(const std::string& path, environment& into, findings& to);

}  // namespace mqb::config
