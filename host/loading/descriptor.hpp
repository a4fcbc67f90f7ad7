// descriptor: checks what mqb_plugin_v1 answered, before anything of it is used.
#pragma once

#include "core/result.hpp"
#include "host/loading/describe.hpp"
#include "host/loading/library.hpp"

#include <mqb/plugin.h>

#include <string>
#include <vector>

namespace mqb::loading {

struct checked_descriptor {
    description about;
    std::vector<checked_factory> factories;
    const void* (*table)(mqb_text) = nullptr;
};

// Calls nothing of the plugin. The text of a failure does not name the file.
[[nodiscard]] core::result<checked_descriptor> check_descriptor(const mqb_plugin* plugin);

}  // namespace mqb::loading
