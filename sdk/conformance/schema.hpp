// Schema: what the kit needs of a factory's JSON Schema: faults in it, defaults filled in, a smallest configuration derived from it.
#pragma once
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace mqb::conformance {

struct schema_findings {
    std::vector<std::string> faults;    // break the case
    std::vector<std::string> warnings;  // words the kit does not know
};
schema_findings inspect_schema(const boost::json::value& schema);

// Puts the defaults of absent properties into the configuration of a side ("consumer", "publisher" or ""), as a host does, and takes
// out what this side does not have (x-mqb-sides).
void fill_defaults(const boost::json::object& schema, boost::json::object& config, std::string_view side);
// The smallest object that the schema asks for.
boost::json::object smallest(const boost::json::object& schema, std::string_view side);
// Configurations that break the schema or make no sense: wrong types, extremes, unknown keys. Each with what it is.
std::vector<std::pair<std::string, std::string>> garbage(const boost::json::object& schema, const boost::json::object& good);

}  // namespace mqb::conformance
