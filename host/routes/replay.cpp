#include "host/routes/replay.hpp"

#include "host/state/dead_letter_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace mqb::host {

namespace {

// No file can name it: a plugin's names have no blanks.
constexpr const char* source_type = "dead letters";
// Of one letter, where the route sets no limit: a replay is to end.
constexpr std::uint32_t most_presentations = 5;

bool has_lonely_part(const std::vector<core::nested_definition>& all, const core::CustomEndpointFactory& endpoints) {
    return std::ranges::any_of(all, [&](const core::nested_definition& n) { return writes_alone(n.endpoint, endpoints); });
}

}  // namespace

std::string replay_name(const std::string& route) { return route + " (replay)"; }

core::route_definition replay_of(const core::route_definition& route, state::letter_filter which) {
    core::route_definition out = route;
    out.name = replay_name(route.name);
    which.route = route.name;
    out.input = {source_type, state::to_config(which), "input", {}, {}};
    out.drain = true;
    out.on_error = core::error_policy::reject;
    out.dead_letters = {};
    if (out.max_deliveries == 0) out.max_deliveries = most_presentations;
    return out;
}

void add_letter_source(core::CustomEndpointFactory& to, const std::filesystem::path& letters_file, state::text_filter clean) {
    to.add(source_type, std::make_shared<state::dead_letter_source_factory>(letters_file, std::move(clean)));
}

bool writes_alone(const core::endpoint_definition& output, const core::CustomEndpointFactory& endpoints) {
    const auto factory = endpoints.find(output.type);
    if (factory && factory->schema().find("\"x-mqb-exclusive\"") != std::string_view::npos) return true;
    return has_lonely_part(output.nested, endpoints) ||
           std::ranges::any_of(output.middlewares, [&](const auto& m) { return has_lonely_part(m.nested, endpoints); });
}

}  // namespace mqb::host
