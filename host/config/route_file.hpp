// route_file: the routes and settings of one file, before its plugins are known.
#pragma once

#include "core/route.hpp"
#include "host/config/endpoint_shape.hpp"
#include "host/config/references.hpp"
#include "host/config/route_options.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace mqb::config {

struct route_shape {
    core::route_definition definition;  // without its endpoints
    route_options options;
    endpoint_shape input;
    endpoint_shape output;
    std::optional<endpoint_shape> dead_letters;
    position at;       // of its name
    std::string path;  // "orders", "routes.orders", or empty for a lone route
};

// The keys beside the routes.
struct settings {
    std::vector<std::string> plugins;  // files, as with --plugin
    std::string state_dir;
    std::string log_level;
    std::string log_format;
};

struct route_file {
    std::string name;
    settings set;
    std::vector<route_shape> routes;
};

// The tree of a file without the wrapper `{config: {…}}`, and the path of what is left: "config" or empty.
struct unwrapped {
    node_ptr root;
    std::string path;
};
[[nodiscard]] unwrapped unwrap(const node_ptr& root);

// Tells every error that needs no plugin. Names under `endpoints` go to `names`.
[[nodiscard]] route_file read_route_tree(std::string name, const node& root, const std::string& path, references& names, findings& to,
                                         std::vector<std::string>& secrets);

}  // namespace mqb::config
