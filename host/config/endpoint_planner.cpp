#include "host/config/endpoint_planner.hpp"

#include "core/call.hpp"
#include "host/config/near_match.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace mqb::config {

namespace {

bool holds_secret(const node& n) {
    return n.is_secret || std::ranges::any_of(n.items, [](const node_ptr& item) { return holds_secret(*item); }) ||
           std::ranges::any_of(n.entries, [](const entry& e) { return holds_secret(*e.value); });
}

struct config_place {
    position at;
    std::string path;
    node_ptr value;
};

// One step of a JSON pointer as the key that it stands for.
std::string key_of(std::string_view step) {
    std::string out;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size();
        out += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return out;
}

// Where a JSON pointer leads to in a configuration, as far as it can be followed.
config_place place_of(const typed_config& what, std::string_view pointer) {
    config_place out{what.at, what.path, what.config};
    while (!pointer.empty() && out.value) {
        const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
        const std::string key = key_of(pointer.substr(1, end - 1));
        pointer.remove_prefix(end);
        if (const entry* found = out.value->find(key)) {
            out = {found->at, joined(out.path, key), found->value};
            continue;
        }
        std::size_t i = 0;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), i);
        if (read.ec != std::errc{} || i >= out.value->items.size()) break;
        out = {out.value->items[i]->at, out.path + '[' + key + ']', out.value->items[i]};
    }
    return out;
}

core::promises everything() {
    core::promises out;
    out.flags = core::promises::all_flags;
    out.dispositions = core::bit(core::disposition::ack) | core::bit(core::disposition::nack) | core::bit(core::disposition::reject);
    return out;
}

}  // namespace

planned_ends endpoint_planner::plan_ends(const route_shape& route) {
    route_ = route.definition.name;
    route_path_ = route.path;
    is_enabled_ = route.options.enabled;
    allows_faults_ = route.definition.allows_faults;
    count_ = 0;
    out_ = {};
    answered input = plan(route.input, core::consumer_side, {}, 0);
    answered output = plan(route.output, core::publisher_side, {}, 0);
    out_.input = std::move(input.definition);
    out_.output = std::move(output.definition);
    out_.has_one_stack = output.middlewares_write_alone || output.one_for_all_workers;
    if (route.dead_letters) {
        endpoint_shape shape = *route.dead_letters;
        shape.has_to_be_said = true;
        out_.dead_letters = plan(std::move(shape), core::publisher_side, {}, 0).definition;
    }
    if (out_.is_complete) {
        out_.input_chain = std::move(input.chain);
        out_.output_chain = std::move(output.chain);
    }
    return std::move(out_);
}

void endpoint_planner::plan_unused() {
    for (const auto& [name, named] : names_.all()) {
        if (named.is_used) continue;
        to_.warning(named.at, named.path, "no route refers to it");
        route_.clear();
        route_path_.clear();
        is_enabled_ = allows_faults_ = true;
        count_ = 0;
        out_ = {};
        endpoint_shape shape = read_endpoint(*named.value, named.at, named.path, to_);
        const auto factory = shape.what.type.empty() ? nullptr : types_.endpoints.find(shape.what.type);
        const auto is_for_outputs = [this](const typed_config& m) {
            const auto found = types_.middlewares.find(m.type);
            return found && (found->sides() & core::consumer_side) == 0;
        };
        const bool is_input =
            factory && (factory->sides() & core::consumer_side) != 0 && std::ranges::none_of(shape.middlewares, is_for_outputs);
        (void)plan(std::move(shape), is_input ? core::consumer_side : core::publisher_side, {name}, 0);
    }
}

endpoint_planner::answered endpoint_planner::plan(endpoint_shape shape, core::side which, std::vector<std::string> open,
                                                  std::size_t depth) {
    answered out;
    const std::string path = inside_route(shape.path);
    out.definition.path = path;
    if (depth > deepest_endpoints || ++count_ > most_endpoints) {
        out_.is_complete = false;
        if (depth > deepest_endpoints)
            to_.error(shape.what.at, shape.path, "endpoints in each other more than " + std::to_string(deepest_endpoints) + " deep");
        else if (count_ == most_endpoints + 1)
            to_.error(shape.what.at, shape.path,
                      "more than " + std::to_string(most_endpoints) + " endpoints in one route, references counted as copies");
        return out;
    }
    shape = names_.resolve(std::move(shape), which, is_enabled_ ? severity::error : severity::warning, open, to_);
    if (shape.is_empty && shape.has_to_be_said && which == core::publisher_side) refuse_empty(shape);
    const typed_config& what = shape.what;
    out.definition.type = what.type;
    const auto factory = find(types_.endpoints, what, types_.broken_endpoints, types_.missing_endpoints, "endpoint", wanted_endpoints_);
    if (factory) {
        const std::size_t before = to_.error_count();
        out.definition.config = config(what, shape.referrer, factory->schema(), factory->sides(), which);
        note_uses(what, which);
        if (may_ask(before))
            for (const core::failure& mistake : factory->mistakes(out.definition.config, which)) tell(what, mistake);
        inside nested = plan_nested(checks_.take_nested(), which, open, depth);
        if (may_ask(before)) add_link(what, path + '.' + what.type, factory->promise_over(out.definition.config, which, nested), out.chain);
        out.definition.nested = std::move(nested.definitions);
    }
    const auto uses = static_cast<std::ptrdiff_t>(uses_.size());
    plan_middlewares(shape, which, open, depth, out);
    out.middlewares_write_alone =
        std::any_of(uses_.begin() + uses, uses_.end(), [](const exclusive_use& use) { return use.which == core::publisher_side; });
    return out;
}

// Promises are asked for from the transport outward, so that each is told what it stands on.
void endpoint_planner::plan_middlewares(const endpoint_shape& shape, core::side which, const std::vector<std::string>& open,
                                        std::size_t depth, answered& into) {
    const std::size_t count = shape.middlewares.size();
    into.definition.middlewares.resize(count);
    for (std::size_t step = 0; step < count; ++step) {
        const std::size_t i = which == core::consumer_side ? count - 1 - step : step;
        const typed_config& what = shape.middlewares[i];
        core::middleware_definition& made = into.definition.middlewares[i];
        made.type = what.type;
        made.path = inside_route(what.place);
        const auto factory =
            find(types_.middlewares, what, types_.broken_middlewares, types_.missing_middlewares, "middleware", wanted_middlewares_);
        if (!factory) continue;
        const std::size_t before = to_.error_count();
        if (depth > 0 && which == core::consumer_side && factory->needs_ledger()) {
            to_.error(what.at, what.path,
                      '"' + what.type + "\" cannot stand at an input inside another endpoint: put it at the input of the route");
            out_.is_complete = false;
        }
        if (step > 0 && which == core::consumer_side && factory->stands_next_to_source()) {
            to_.error(what.at, what.path, "has to be the last entry of the list: on an input it stands next to the source");
            out_.is_complete = false;
        }
        into.one_for_all_workers |= which == core::publisher_side && factory->serves_all_workers();
        made.config = config(what, "", factory->schema(), factory->sides(), which);
        if (!allows_faults_ && to_.error_count() == before && factory->injects_faults(made.config))
            to_.error(what.at, what.path, "injects faults, which needs \"allow_fault_injection: true\" in the route");
        note_uses(what, which);
        made.nested = plan_nested(checks_.take_nested(), which, open, depth, true).definitions;
        // Where nobody can say what it stands on, it stands on everything that there is: its own mistakes are told all the same.
        const core::promises inner = into.chain.empty() ? everything() : into.chain.back().has;
        if (may_ask(before)) add_link(what, made.path + '.' + what.type, factory->promise(made.config, which, inner), into.chain);
    }
}

endpoint_planner::inside endpoint_planner::plan_nested(std::vector<nested_value> values, core::side around,
                                                       const std::vector<std::string>& open, std::size_t depth, bool is_of_middleware) {
    inside out;
    for (const nested_value& n : values) {
        endpoint_shape shape = read_endpoint(*n.value, n.at, n.path, to_);
        shape.has_to_be_said = is_of_middleware;
        if (shape.what.type.empty()) out_.is_complete = false;
        const core::side which = n.side == 0 ? around : static_cast<core::side>(n.side);
        answered one = plan(std::move(shape), which, open, depth + 1);
        out.definitions.push_back({n.where, std::move(one.definition)});
        out.has.push_back(one.chain.empty() ? everything() : one.chain.back().has);
    }
    return out;
}

std::vector<std::string> endpoint_planner::inside::all() const {
    std::vector<std::string> out;
    for (const core::nested_definition& n : definitions) out.push_back(n.where);
    return out;
}

core::result<core::promises> endpoint_planner::inside::promise(std::string_view where, core::side) const {
    for (std::size_t i = 0; i < definitions.size(); ++i)
        if (definitions[i].where == where) return has[i];
    return core::failure{core::status::bad_config, "has no endpoint at " + std::string{where}};
}

void endpoint_planner::refuse_empty(const endpoint_shape& shape) {
    std::string text = "is empty, which would discard what goes there: name an endpoint, or say \"null: {}\" to discard";
    if (!shape.referrer.empty()) text += " (" + shape.referrer + " refers to it)";
    to_.error(shape.what.at, shape.path, std::move(text));
    out_.is_complete = false;
}

template <class Factory>
std::shared_ptr<Factory> endpoint_planner::find(const core::factory_registry<Factory>& in, const typed_config& what, const reasons& broken,
                                                const reasons& missing, const char* kind, std::set<std::string>* wanted) {
    std::shared_ptr<Factory> found = what.type.empty() ? nullptr : in.find(what.type);
    if (found) return found;
    out_.is_complete = false;
    if (what.type.empty()) return nullptr;
    if (const auto why = broken.find(what.type); why != broken.end()) {
        break_route(why->second);
        return nullptr;
    }
    const auto where = missing.find(what.type);
    if (wanted && where == missing.end()) wanted->insert(what.type);
    std::string text = where != missing.end() ? where->second : std::string{"no plugin offers the "} + kind + " \"" + what.type + '"';
    if (text.find("did you mean") == std::string::npos) text += did_you_mean(what.type, in.names());  // those of the host itself
    if (is_enabled_) {
        to_.error(what.at, what.path, std::move(text));
    } else {
        to_.warning(what.at, what.path, std::move(text));
    }
    return nullptr;
}

// The JSON of one configuration.
std::string endpoint_planner::config(const typed_config& what, const std::string& referrer, std::string_view schema_text,
                                     std::uint32_t sides, core::side which) {
    if ((sides & which) == 0) {
        std::string text = '"' + what.type + "\" cannot stand at an ";
        text += which == core::consumer_side ? "input: it is for outputs" : "output: it is for inputs";
        if (!referrer.empty()) text += " (" + referrer + " refers to it)";
        to_.error(what.at, what.path, std::move(text));
        out_.is_complete = false;
        return "{}";
    }
    const auto schema = schema_of(schema_text);
    if (!schema) {
        break_route('"' + what.type + "\": " + schema.error().text);
        return "{}";
    }
    const std::size_t before = to_.error_count();
    const place where{what.at, what.path, which};
    std::string out = what.config ? checks_.check(*what.config, **schema, where) : checks_.defaults(**schema, where);
    if (to_.error_count() != before) out_.is_complete = false;
    return out;
}

// Many routes use the same few types.
core::result<std::shared_ptr<const schema>> endpoint_planner::schema_of(std::string_view text) {
    auto at = schemas_.find(text);
    if (at == schemas_.end()) at = schemas_.emplace(text, read_schema(text)).first;
    return at->second;
}

void endpoint_planner::note_uses(const typed_config& what, core::side which) {
    for (exclusive_value& value : checks_.take_exclusive())
        if (is_enabled_ && !route_.empty()) uses_.push_back({std::move(value), what.type, which, route_});
}

// Whether a plugin may be asked about a configuration: nothing was wrong with it since there were `errors`.
bool endpoint_planner::may_ask(std::size_t errors) const { return !wanted_endpoints_ && to_.error_count() == errors; }

// Only bad_config speaks of the file; anything else says that the plugin is not able to answer.
void endpoint_planner::add_link(const typed_config& what, std::string name, const core::result<core::promises>& answer,
                                chain_promises& chain) {
    if (answer) return chain.push_back({std::move(name), *answer});
    if (answer.error().what != core::status::bad_config) return break_route('"' + what.type + "\": " + answer.error().text);
    tell(what, answer.error());
}

void endpoint_planner::tell(const typed_config& what, const core::failure& why) {
    const config_place place = place_of(what, why.where);
    const bool has_secret = place.value && holds_secret(*place.value);
    to_.error(place.at, place.path, why.text, has_secret ? std::string{} : why.excerpt);
    out_.is_complete = false;
}

void endpoint_planner::break_route(const std::string& why) {
    if (out_.broken.find(why) == std::string::npos) out_.broken += (out_.broken.empty() ? "" : "; ") + why;
    out_.is_complete = false;
}

std::string endpoint_planner::inside_route(const std::string& path) const {
    const bool is_inside = path.starts_with(route_path_) && path.size() > route_path_.size() && path[route_path_.size()] == '.';
    return !route_path_.empty() && is_inside ? path.substr(route_path_.size() + 1) : path;
}

}  // namespace mqb::config
