// check_connect: makes and connects the endpoints of routes, each for itself, and closes them; nothing is read and nothing is sent.
#pragma once

#include "host/commands/check_report.hpp"

#include <vector>

namespace mqb::host {

// Both ends of every enabled route and the endpoint of its dead letters, all at once, each for at most the route's startup timeout, or
// ten seconds. In the order of the files.
[[nodiscard]] std::vector<connect_result> connect_all(const loaded_routes& loaded);

}  // namespace mqb::host
