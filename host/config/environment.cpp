#include "host/config/environment.hpp"

#include <unistd.h>
#include <string_view>

namespace mqb::config {

environment process_environment() {
    environment out;
    for (char** one = environ; one && *one; ++one) {
        const std::string_view text{*one};
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return out;
}

}  // namespace mqb::config
