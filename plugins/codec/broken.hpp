// Broken: thrown where bytes are not what they claim to be: damaged, forged, or of another kind. Its text holds no secret.
#pragma once

#include <stdexcept>

namespace mqb::codec {

class broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace mqb::codec
