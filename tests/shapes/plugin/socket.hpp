// socket: a connection to a Unix socket.
#pragma once

#include <string>

namespace mqb::shapes {

// A descriptor, or -1 with errno.
int connect_to(const std::string& path);

}  // namespace mqb::shapes
