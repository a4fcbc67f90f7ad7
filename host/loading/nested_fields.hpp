// nested_fields: what a configuration nests: endpoints and stores of other plugins, at the places that its schema names.
#pragma once

#include "core/result.hpp"
#include "host/loading/offer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::loading {

struct nested_field {
    std::string path;  // a JSON pointer into the configuration
    offer_kind kind = offer_kind::endpoint;
    std::uint32_t side = 0;  // of an endpoint: a bit of core::side
    std::string type;
    std::string config;  // JSON
};

// In the order of the schema. In the configuration each stands as {"TYPE": {…}}; one that is null or not there is none. Fails where it
// has another form.
[[nodiscard]] core::result<std::vector<nested_field>> nested_fields(std::string_view schema, std::string_view config);

}  // namespace mqb::loading
