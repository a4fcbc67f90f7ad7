#include "host/config/plan.hpp"

#include "host/config/endpoint_planner.hpp"

#include <utility>

namespace mqb::config {

namespace {

// What can be said once both ends are known.
void check_promises(const route_shape& from, const planned_ends& ends, const known_types& types, planned_route& route, findings& to) {
    const auto promised = core::promises_of(route.definition, types.endpoints, types.middlewares);
    if (!promised) {
        // Only bad_config speaks of the file; anything else says that a plugin is not able to answer.
        if (promised.error().what == core::status::bad_config) return to.error(from.at, from.path, promised.error().text);
        route.broken = promised.error().text;
        return;
    }
    route.has = guarantee_of(ends.input_chain, ends.output_chain, route.definition);
    for (const requirement& wanted : from.options.require) {
        const std::string text = shortfall(wanted.what, *route.has);
        if (!text.empty()) to.error(wanted.at, wanted.path, text);
    }
    if (!from.options.reject) return;
    const core::promises& input = ends.input_chain.back().has;
    if ((input.dispositions & core::bit(core::disposition::reject)) == 0)
        to.error(from.options.reject->at, from.options.reject->path,
                 "reject needs an input that takes messages back for good; " + ends.input_chain.back().name + " does not");
}

planned_route plan(const route_shape& from, endpoint_planner& each, const known_types& types, findings& to) {
    planned_route out;
    out.definition = from.definition;
    out.is_enabled = from.options.enabled;
    planned_ends ends = each.plan_ends(from);
    out.definition.input = std::move(ends.input);
    out.definition.output = std::move(ends.output);
    out.definition.dead_letters.endpoint = std::move(ends.dead_letters);
    out.definition.has_one_stack = ends.has_one_stack;
    out.broken = std::move(ends.broken);
    if (!ends.input_chain.empty() && !ends.output_chain.empty()) check_promises(from, ends, types, out, to);
    return out;
}

}  // namespace

std::vector<planned_route> plan_routes(const route_set& set, const known_types& types, findings& to, std::vector<std::string>& secrets) {
    std::vector<planned_route> out;
    endpoint_planner each{types, set.names, to, secrets};
    for (const route_file& file : set.files)
        for (const route_shape& route : file.routes) out.push_back(plan(route, each, types, to));
    each.plan_unused();
    refuse_shared(each.exclusive_uses(), to);
    return out;
}

}  // namespace mqb::config
