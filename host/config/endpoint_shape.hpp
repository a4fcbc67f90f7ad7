// endpoint_shape: what an endpoint in a route file says, before its plugin is known.
#pragma once

#include "host/config/finding.hpp"
#include "host/config/node.hpp"

#include <string>
#include <vector>

namespace mqb::config {

// One key that names a type, and the configuration of that type.
struct typed_config {
    std::string type;        // empty: an error was told
    position at;             // of the key
    node_ptr config;         // null: nothing was said
    std::string path;        // in the file: "orders.input.file"
    std::string place = {};  // of a middleware, as its list is written: "orders.input.middlewares[0]"
};

struct endpoint_shape {
    typed_config what;
    std::vector<typed_config> middlewares;
    std::string path;             // in the file: "orders.input"
    std::string referrer = {};    // who refers to it: "routes.yaml:3:12: orders.input.ref"; empty: it stands where it is used
    bool is_empty = false;        // nothing was said, which is the endpoint "null"
    bool has_to_be_said = false;  // set by who reads it: to discard by being empty would be a mistake here
};

// Reads the value of `input` or `output`. `key_at` is the place of that key.
[[nodiscard]] endpoint_shape read_endpoint(const node& value, position key_at, std::string path, findings& to);

}  // namespace mqb::config
