// route_options: the keys of a route beside its two endpoints.
#pragma once

#include "core/route.hpp"
#include "host/config/validation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mqb::config {

// One guarantee that a route asks for.
struct requirement {
    std::string what;  // at_least_once, ordered, effectively_once; at_most_once asks for nothing
    position at;
    std::string path;
};

struct route_options {
    bool enabled = true;
    std::string description;
    std::vector<requirement> require;
    std::optional<requirement> reject;    // `on_error: reject`, which needs an input that can
    std::vector<nested_value> endpoints;  // at "/input", "/output" and "/dead_letters/endpoint"
    bool has_shutdown_timeout = false;
};

[[nodiscard]] const schema& route_schema();
// Fills `definition` and answers the rest. `value` is a map.
[[nodiscard]] route_options read_route_options(const node& value, const place& where, core::route_definition& definition,
                                               validation& checks, findings& to);

}  // namespace mqb::config
