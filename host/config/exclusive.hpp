// exclusive: names of things that one publisher has to itself, such as a file that is written.
#pragma once

#include "core/nested.hpp"
#include "host/config/validation.hpp"

#include <string>
#include <vector>

namespace mqb::config {

// A field that its schema marks with `x-mqb-exclusive`, in a route that is run.
struct exclusive_use {
    exclusive_value value;
    std::string type;  // of the endpoint; other types mean other things by the same name
    core::side which = core::consumer_side;
    std::string route;
};

// Refuses a second publisher of the same thing, and an input of a thing that an output of the same route writes. Paths are compared
// as files; what is there and is no ordinary file (a terminal, /dev/null) may have any number.
void refuse_shared(const std::vector<exclusive_use>& uses, findings& to);

}  // namespace mqb::config
