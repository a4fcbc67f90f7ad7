// Nested: the endpoints that a configuration nests, and what the kit lends for them.
#pragma once
#include "lent.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace mqb::conformance {

struct nested_place {
    std::string path;  // a JSON pointer into the configuration
    std::uint32_t side;
};
// Where the schema names an endpoint and the configuration has something. side: of the one around them.
std::vector<nested_place> nested_places(const boost::json::object& schema, const boost::json::object& config, std::uint32_t side);
// Puts null, as a host does, wherever the schema allows an endpoint: two into an array, one into a map.
void nest_everything(const boost::json::object& schema, boost::json::object& config, std::uint32_t side);

// One thing lent for a place.
struct lent_part {
    lent_consumer* input = nullptr;  // or
    lent_publisher* output = nullptr;
};
// Lends something for each place behind what the recipe has.
std::vector<lent_part> lend_for(const std::vector<nested_place>& places, recipe& to);

}  // namespace mqb::conformance
