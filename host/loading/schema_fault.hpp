// schema_fault: what can be wrong with a plugin's configuration schema, as far as the loader must know.
#pragma once

#include <string>
#include <string_view>

namespace mqb::loading {

// Empty: it is a JSON object, and every default has the type of its field. The text continues "has a schema …".
[[nodiscard]] std::string fault_in_schema(std::string_view schema);

}  // namespace mqb::loading
