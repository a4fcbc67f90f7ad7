// replay: dead letters of a route on their way through its output once more, as a route of their own.
#pragma once

#include "core/registry.hpp"
#include "core/route.hpp"
#include "host/state/letter.hpp"
#include "host/state/letter_json.hpp"

#include <filesystem>
#include <string>

namespace mqb::host {

[[nodiscard]] std::string replay_name(const std::string& route);  // "orders (replay)"

// Ends by itself when each letter was presented. One that fails again stays what it is, with one attempt more. Its input is of the
// type that add_letter_source adds.
[[nodiscard]] core::route_definition replay_of(const core::route_definition& route, state::letter_filter which);
// `clean` takes secrets out of the errors of those that fail again.
void add_letter_source(core::CustomEndpointFactory& to, const std::filesystem::path& letters_file, state::text_filter clean);

// Something of this endpoint, or of one inside it, must not be written by two at a time: its schema says so.
[[nodiscard]] bool writes_alone(const core::endpoint_definition& output, const core::CustomEndpointFactory& endpoints);

}  // namespace mqb::host
