// json_schema: the JSON Schema (2020-12) of a whole route file, for editors: every key of ours and every known type.
#pragma once

#include "host/config/known_types.hpp"

#include <string>

namespace mqb::config {

// One line of JSON. Types whose schema cannot be read take anything.
[[nodiscard]] std::string json_schema(const known_types& types);

}  // namespace mqb::config
