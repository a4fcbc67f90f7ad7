// source_metadata: whether an operator wants every input to say where its messages are from (metadata `mqb.src.…`).
#pragma once

#include <cstdlib>
#include <string_view>

namespace mqb::sdk {

// MQB_SOURCE_METADATA=1 in the environment asks for it, beside the option `source_metadata` of an input. For constructors: [any], as long
// as nothing changes the environment.
inline bool environment_asks_for_source() noexcept {
    const char* const asked = std::getenv("MQB_SOURCE_METADATA");
    return asked != nullptr && std::string_view(asked) == "1";
}

}  // namespace mqb::sdk
