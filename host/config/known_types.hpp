// known_types: what the endpoint and middleware names of route files stand for in this process.
#pragma once

#include "core/registry.hpp"

#include <map>
#include <string>
#include <vector>

namespace mqb::config {

// Filled before files are checked; outlives the routes.
struct known_types {
    core::CustomEndpointFactory endpoints;
    core::CustomMiddlewareFactory middlewares;
    // Offered by something that cannot be used: the routes that need it fail, the others run.
    std::map<std::string, std::string> broken_endpoints;  // name, why
    std::map<std::string, std::string> broken_middlewares;
    // Offered by nothing: an error of the file.
    std::map<std::string, std::string> missing_endpoints;  // name, where was looked and near matches
    std::map<std::string, std::string> missing_middlewares;
};

}  // namespace mqb::config
