// nested_fields: what a configuration nests: endpoints and stores, at the places that its schema names.
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
    std::uint32_t side = 0;  // of an endpoint: a bit of core::side; 0: that of the one around it
};

// In the order of the configuration, in which each stands as null; one that is not there is none.
[[nodiscard]] core::result<std::vector<nested_field>> nested_fields(std::string_view schema, std::string_view config);

}  // namespace mqb::loading
