#include "host/config/json_schema.hpp"

#include "host/config/route_options.hpp"
#include "host/config/scalar.hpp"
#include "host/config/schema.hpp"
#include "host/config/settings.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace mqb::config {

namespace {

namespace json = boost::json;

json::string_view view(const std::string& text) { return {text.data(), text.size()}; }

json::object reference(const std::string& name) { return {{"$ref", view("#/$defs/" + name)}}; }

// In a text that has a variable any scalar may be hidden.
json::object with_variable() { return {{"type", "string"}, {"pattern", "\\$\\{"}}; }

json::object scalar_of(std::uint32_t type, const schema& from) {
    json::object out;
    if (type == is_string) {
        out["type"] = "string";
        if (from.shortest != 0) out["minLength"] = from.shortest;
        if (from.choices.empty()) return out;
        json::array all;
        for (const std::string& choice : from.choices) all.emplace_back(view(choice));
        return {{"anyOf", json::array{json::object{{"enum", std::move(all)}}, with_variable()}}};
    }
    out["type"] = type == is_bool ? "boolean" : type == is_integer ? "integer" : "number";
    if (from.minimum) out["minimum"] = *from.minimum;
    if (from.maximum) out["maximum"] = *from.maximum;
    return out;
}

// One configuration, as one side of an endpoint sees it.
class writer {
public:
    explicit writer(std::uint32_t side) : side_(side) {}

    json::object write(const schema& from) {
        json::object out = form(from);
        if (!from.description.empty()) out["description"] = view(from.description);
        if (from.is_deprecated) out["deprecated"] = true;
        if (from.standard && !from.is_endpoint) {
            boost::system::error_code failed;
            json::value value = json::parse(view(*from.standard), failed);
            if (!failed) out["default"] = std::move(value);
        }
        return out;
    }

private:
    json::object form(const schema& from) {
        if (from.is_endpoint) {
            const std::uint32_t side = from.endpoint_side == 0 ? side_ : from.endpoint_side;
            if (side == 3) return {{"anyOf", json::array{reference("input"), reference("output")}}};
            return reference(side == core::consumer_side ? "input" : "output");
        }
        if (from.is_store) return {};
        if (from.is_size)
            return {
                {"anyOf", json::array{json::object{{"type", "integer"}, {"minimum", 0}},
                                      json::object{{"type", "string"}, {"pattern", "^[0-9]+ *(k|M|G|KiB|MiB|GiB)?$"}}, with_variable()}}};
        if (from.types == 0) return {};
        json::array any;
        for (const std::uint32_t type : {is_bool, is_integer, is_number, is_string})
            if ((from.types & type) != 0) any.emplace_back(scalar_of(type, from));
        if ((from.types & (is_bool | is_integer | is_number)) != 0 && (from.types & is_string) == 0) any.emplace_back(with_variable());
        if ((from.types & is_array) != 0) any.emplace_back(list(from));
        if ((from.types & is_object) != 0) any.emplace_back(map(from));
        if ((from.types & is_null) != 0) any.emplace_back(json::object{{"type", "null"}});
        if (any.size() == 1) return std::move(any.front().get_object());
        return {{"anyOf", std::move(any)}};
    }

    json::object list(const schema& from) {
        json::object out{{"type", "array"}};
        if (from.items) out["items"] = write(*from.items);
        return out;
    }

    json::object map(const schema& from) {
        json::object out{{"type", "object"}}, properties;
        json::array required, rules;
        for (const property& p : from.properties) {
            if ((p.what.sides & side_) == 0) continue;
            json::object written = write(p.what);
            json::array names{view(p.name)};
            for (const std::string& alias : p.what.aliases) {
                json::object other = written;
                other["description"] = view("the same as `" + p.name + '`');
                properties[view(alias)] = std::move(other);
                names.emplace_back(view(alias));
            }
            properties[view(p.name)] = std::move(written);
            if (!p.is_required) continue;
            if (names.size() == 1) {
                required.push_back(std::move(names.front()));
                continue;
            }
            json::array one_of_them;
            for (const json::value& name : names) one_of_them.emplace_back(json::object{{"required", json::array{name}}});
            rules.emplace_back(json::object{{"anyOf", std::move(one_of_them)}});
        }
        if (!properties.empty()) out["properties"] = std::move(properties);
        if (!required.empty()) out["required"] = std::move(required);
        if (!rules.empty()) out["allOf"] = std::move(rules);
        if (from.others) {
            out["additionalProperties"] = write(*from.others);
        } else if (!from.takes_others) {
            out["additionalProperties"] = false;
        }
        return out;
    }

    std::uint32_t side_;
};

json::object configuration(std::string_view text, std::uint32_t side) {
    const auto read = read_schema(text);
    if (!read) return {};
    json::object out = writer{side}.write(**read);
    const bool needs_nothing =
        std::none_of((*read)->properties.begin(), (*read)->properties.end(), [](const property& p) { return p.is_required; });
    // A name with nothing behind it means all defaults.
    if (needs_nothing && (*read)->takes(is_object) && !(*read)->is_endpoint)
        return {{"anyOf", json::array{std::move(out), json::object{{"type", "null"}}}}};
    return out;
}

template <class Factory>
void add_types(const core::factory_registry<Factory>& from, const std::string& prefix, std::uint32_t side, json::object& defs,
               json::object& properties) {
    for (const std::string& name : from.names()) {
        const auto factory = from.find(name);
        if ((factory->sides() & side) == 0) continue;
        const std::string def = prefix + name;
        defs[view(def)] = configuration(factory->schema(), side);
        properties[view(name)] = reference(def);
    }
}

json::object custom() {
    return {{"type", "object"},
            {"description", "the explicit spelling of `NAME: config`"},
            {"properties", json::object{{"name", json::object{{"type", "string"}}}, {"config", true}}},
            {"required", json::array{"name"}},
            {"additionalProperties", false}};
}

// `middlewares` and one key that names a type.
void add_side(const known_types& types, const std::string& name, std::uint32_t side, json::object& defs) {
    json::object steps{{"custom", custom()}};
    add_types(types.middlewares, name + "-middleware-", side, defs, steps);
    defs[view(name + "-middleware")] = json::object{
        {"type", "object"}, {"properties", std::move(steps)}, {"additionalProperties", false}, {"minProperties", 1}, {"maxProperties", 1}};
    json::object keys{{"custom", custom()},
                      {"ref", json::object{{"type", "string"}, {"description", "an endpoint under `endpoints`"}}},
                      {"middlewares", json::object{{"type", "array"},
                                                   {"description", "a message passes them from the bottom up"},
                                                   {"items", reference(name + "-middleware")}}}};
    add_types(types.endpoints, name + '-', side, defs, keys);
    // One type, and beside it only middlewares; an output may say nothing at all.
    json::object by_itself{{"maxProperties", 1}};
    if (side == core::consumer_side) by_itself["minProperties"] = 1;
    json::object endpoint{{"type", "object"},
                          {"properties", std::move(keys)},
                          {"additionalProperties", false},
                          {"if", json::object{{"required", json::array{"middlewares"}}}},
                          {"then", json::object{{"minProperties", 2}, {"maxProperties", 2}}},
                          {"else", std::move(by_itself)}};
    if (side == core::consumer_side) {
        defs[view(name)] = std::move(endpoint);
    } else {
        defs[view(name)] = {{"anyOf", json::array{json::object{{"type", "null"}}, json::object{{"const", "null"}}, std::move(endpoint)}}};
    }
}

json::object setting_keys() {
    const json::object text{{"type", "string"}};
    const json::object level{{"enum", json::array{"trace", "debug", "info", "warn", "warning", "error", ""}}};
    json::object out{
        {"plugins", json::object{{"type", "array"}, {"items", text}, {"description", "plugin files, as with --plugin"}}},
        {"state_dir", text},
        {"log",
         json::object{{"type", "object"},
                      {"properties", json::object{{"level", level}, {"format", json::object{{"enum", json::array{"human", "json", ""}}}}}},
                      {"additionalProperties", false}}},
        {"log_level", level},
        {"logger", json::object{{"enum", json::array{"human", "json", ""}}}},
        {"shutdown_timeout_ms", writer{3}.write(route_schema().find("shutdown_timeout_ms")->what)},
        {"env_vars", json::object{{"type", "object"}, {"description", "the second source of `${NAME}`"}}},
        {"endpoints",
         json::object{{"type", "object"},
                      {"description", "endpoints that `ref: NAME` stands for"},
                      {"additionalProperties", json::object{{"anyOf", json::array{reference("input"), reference("output")}}}}}}};
    out["envVars"] = out["env_vars"];
    for (const std::string& name : ignored_setting_names())
        out[view(name)] = json::object{{"deprecated", true}, {"description", "has no meaning here"}};
    for (const std::string& name : later_setting_names())
        out[view(name)] = json::object{{"enum", json::array{"", nullptr}}, {"description", "not supported by this version"}};
    return out;
}

}  // namespace

std::string json_schema(const known_types& types) {
    json::object defs;
    add_side(types, "input", core::consumer_side, defs);
    add_side(types, "output", core::publisher_side, defs);
    const json::object route = writer{3}.write(route_schema());
    defs["route"] = route;

    const json::object settings = setting_keys();
    json::object named = settings;
    named["routes"] = json::object{{"type", json::array{"object", "null"}}, {"additionalProperties", reference("route")}};
    // One route by itself: its keys and the settings side by side.
    json::object lone = route;
    for (const auto& [key, value] : settings)
        if (!lone["properties"].get_object().contains(key)) lone["properties"].get_object().emplace(key, value);
    json::object out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "mqbridge route file"},
                     {"type", json::array{"object", "null"}},
                     {"if", json::object{{"required", json::array{"routes"}}}},
                     {"then", json::object{{"properties", std::move(named)}, {"additionalProperties", false}}},
                     {"else", json::object{{"if", json::object{{"anyOf", json::array{json::object{{"required", json::array{"input"}}},
                                                                                     json::object{{"required", json::array{"output"}}}}}}},
                                           {"then", std::move(lone)},
                                           {"else", json::object{{"properties", settings}, {"additionalProperties", reference("route")}}}}},
                     {"$defs", std::move(defs)}};
    return json::serialize(out);
}

}  // namespace mqb::config
