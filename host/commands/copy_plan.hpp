// copy_plan: the route that two URIs stand for, checked like that of a route file.
#pragma once

#include "host/commands/copy.hpp"
#include "host/commands/loaded_routes.hpp"

namespace mqb::host {

// One route named "copy", or none where an error was told.
[[nodiscard]] loaded_routes plan_copy(const copy_options& options);
// The route writes to standard output.
[[nodiscard]] bool is_to_standard_output(const core::endpoint_definition& target);

}  // namespace mqb::host
