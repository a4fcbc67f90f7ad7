#include "host/commands/copy_plan.hpp"

#include "host/config/dotenv.hpp"
#include "host/config/near_match.hpp"
#include "host/config/variables.hpp"
#include "host/uri/uri_reader.hpp"

#include <set>

namespace mqb::host {

namespace {

using config::node;
using config::node_ptr;
using config::shape;

constexpr const char* name = "copy";

// The search for plugins does not know these.
std::string built_in_hint(const std::string& type, bool is_middleware, const config::known_types& types) {
    return config::did_you_mean(type, is_middleware ? types.middlewares.names() : types.endpoints.names());
}

// Opens what a name needs, and answers its schema.
core::result<std::shared_ptr<const config::schema>> schema_of(const std::string& type, bool is_middleware,
                                                              loading::plugin_catalogue& catalogue, config::known_types& types) {
    const std::set<std::string> wanted{type};
    const std::set<std::string> none;
    look_up(is_middleware ? none : wanted, is_middleware ? wanted : none, catalogue, types);
    std::string_view text;
    if (const auto endpoint = types.endpoints.find(type); endpoint && !is_middleware) {
        text = endpoint->schema();
    } else if (const auto middleware = types.middlewares.find(type); middleware && is_middleware) {
        text = middleware->schema();
    } else {
        for (const auto* reasons : {is_middleware ? &types.missing_middlewares : &types.missing_endpoints,
                                    is_middleware ? &types.broken_middlewares : &types.broken_endpoints})
            if (const auto why = reasons->find(type); why != reasons->end())
                return core::failure{core::status::bad_config, why->second + built_in_hint(type, is_middleware, types)};
        return core::failure{core::status::bad_config, "no plugin offers \"" + type + '"'};
    }
    auto out = config::read_schema(text);
    if (!out) return core::failure{core::status::bad_config, '"' + type + "\": " + out.error().text};
    return out;
}

// A key of the route that an option gives.
void add_number(const char* option, const char* key, const std::optional<std::uint32_t>& number, node& to, config::findings& found) {
    if (!number) return;
    const config::position at{0, 0, found.source(option)};
    auto value = std::make_shared<node>();
    value->what = shape::scalar;
    value->at = at;
    value->text = std::to_string(*number);
    to.entries.push_back({key, at, std::move(value)});
}

// The text as one that says the same where variables are resolved.
std::string without_variables(const std::string& text) {
    std::string out;
    for (const char c : text) out.append(c == '$' ? 2 : 1, c);
    return out;
}

// The source with a filter next to the route, that is in front of its middlewares.
node_ptr with_filter(const node& source, const std::string& expression, config::findings& found) {
    const config::position at{0, 0, found.source("--filter")};
    const auto made = [&](shape what) {
        auto out = std::make_shared<node>();
        out->what = what;
        out->at = at;
        return out;
    };
    const auto text = made(shape::scalar);
    text->text = without_variables(expression);
    text->is_quoted = true;
    const auto filter = made(shape::map);
    filter->entries.push_back({"filter", at, text});
    const auto steps = made(shape::list);
    steps->items.push_back(filter);
    auto out = std::make_shared<node>(source);
    std::erase_if(out->entries, [&](const config::entry& e) {
        if (e.key == "middlewares") steps->items.insert(steps->items.end(), e.value->items.begin(), e.value->items.end());
        return e.key == "middlewares";
    });
    out->entries.push_back({"middlewares", at, steps});
    return out;
}

}  // namespace

loaded_routes plan_copy(const copy_options& options) {
    loaded_routes out;
    config::environment variables = config::process_environment();
    config::read_dotenv_file(".env", variables, out.found);
    add_built_in(out.types);
    loading::plugin_catalogue catalogue = open_catalogue(options.plugins);
    uri_reader reader{[&](const std::string& type, bool is_middleware) { return schema_of(type, is_middleware, catalogue, out.types); },
                      out.found};
    auto root = std::make_shared<node>();
    root->what = shape::map;
    node_ptr source = reader.read(options.source, "SOURCE", core::consumer_side);
    const node_ptr target = reader.read(options.target, "TARGET", core::publisher_side);
    out.warnings = catalogue.warnings();
    if (!source || !target) return out;
    if (options.filter) source = with_filter(*source, *options.filter, out.found);
    root->entries = {{"input", source->at, source}, {"output", target->at, target}};
    add_number("--concurrency", "concurrency", options.concurrency, *root, out.found);
    add_number("--batch-size", "batch_size", options.batch_size, *root, out.found);

    config::route_set set;
    const node_ptr expanded = config::expand_variables(root, "", variables, out.found, out.secrets);
    out.found.in_file(name);
    set.files.push_back(config::read_route_tree(name, *expanded, "", set.names, out.found, out.secrets));
    for (config::route_shape& route : set.files.front().routes) route.definition.name = name;
    while (true) {
        std::set<std::string> endpoints, middlewares;
        set.collect_names(out.types, endpoints, middlewares);
        if (endpoints.empty() && middlewares.empty()) break;
        look_up(endpoints, middlewares, catalogue, out.types);
    }
    out.routes = config::plan_routes(set, out.types, out.found, out.secrets);
    return out;
}

bool is_to_standard_output(const core::endpoint_definition& target) { return target.config.find("\"/dev/stdout\"") != std::string::npos; }

}  // namespace mqb::host
