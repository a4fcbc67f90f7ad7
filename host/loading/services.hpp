// plugin_services: what the host program lends to all plugin instances, beside what core lends to each.
#pragma once

#include "core/message.hpp"
#include "core/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mqb::loading {

// Fills template `number` for one message. Any thread. size: out, the size of the text. retry: it did not fit, nothing is written;
// rejected: the message has not what the template asks for, or there is no such number.
using render_function = std::function<core::status(std::uint32_t number, const core::message& m, std::span<char> room, std::size_t& size)>;

// A configuration in which every template is a number, and what fills them. No function: there were no templates.
struct prepared_config {
    std::string json;
    render_function render;
};

// What stands where the schema says x-mqb-template. The failure is one of the configuration.
[[nodiscard]] core::result<prepared_config> prepare_templates(std::string_view schema, std::string_view config);

// Set up before the first instance is made; not changed afterwards.
struct plugin_services {
    // Compiles the templates of a configuration. Null: configurations cross as they are.
    std::function<core::result<prepared_config>(std::string_view schema, std::string_view config)> prepare = &prepare_templates;
    std::chrono::milliseconds create_limit = std::chrono::seconds{30};
    // Lays every array for a plugin out anew with poisoned gaps. MQB_CHECKING=1 in the environment does the same.
    bool checking = false;
};

}  // namespace mqb::loading
