// route_file: the routes and settings of one file, before its plugins are known.
#pragma once

#include "core/route.hpp"
#include "host/config/endpoint_shape.hpp"
#include "host/config/route_options.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mqb::config {

struct route_shape {
    core::route_definition definition;  // without its endpoints
    route_options options;
    endpoint_shape input;
    endpoint_shape output;
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

    // Adds the names that its routes use.
    void collect_names(std::set<std::string>& endpoints, std::set<std::string>& middlewares) const;
};

// Empty after errors that leave nothing to go on with; others are told and reading goes on.
[[nodiscard]] std::optional<route_file> read_route_file(const std::string& path, findings& to, std::vector<std::string>& secrets);
[[nodiscard]] std::optional<route_file> read_route_text(const std::string& name, const std::string& text, findings& to,
                                                        std::vector<std::string>& secrets);

}  // namespace mqb::config
