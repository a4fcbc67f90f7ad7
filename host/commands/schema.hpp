// schema: what `mqbridge schema` does: the JSON Schema of a whole route file, for editors.
#pragma once

#include "host/plugins/type_lookup.hpp"

#include <string>

namespace mqb::host {

struct schema_options {
    plugin_options plugins;
    std::string output;  // a file; empty or "-": standard output
};
[[nodiscard]] int print_schema(const schema_options& options);

}  // namespace mqb::host
