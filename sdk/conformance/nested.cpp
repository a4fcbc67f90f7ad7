#include "nested.hpp"

#include <boost/json/array.hpp>

#include <set>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

std::string step(std::string_view name) {
    std::string out = "/";
    for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}
const json::object* as_object(const json::value* v) { return v ? v->if_object() : nullptr; }
bool names_endpoint(const json::object& schema) {
    const json::value* v = schema.if_contains("x-mqb-endpoint");
    return v && !v->is_null() && *v != json::value(false);
}
bool is_for(const json::object& schema, std::uint32_t side) {
    const json::value* sides = schema.if_contains("x-mqb-sides");
    if (!sides || !sides->is_array() || side == 0) return true;
    for (const json::value& each : sides->get_array())
        if (each == (side == MQB_SIDE_CONSUMER ? "consumer" : "publisher")) return true;
    return false;
}

void find(const json::object& schema, const json::value& value, const std::string& path, std::uint32_t side,
          std::vector<nested_place>& into) {
    if (names_endpoint(schema)) {
        const json::value& word = schema.at("x-mqb-endpoint");
        const std::uint32_t other = side == 0 ? std::uint32_t{MQB_SIDE_PUBLISHER} : side;
        return into.push_back({path, word == "consumer"    ? std::uint32_t{MQB_SIDE_CONSUMER}
                                     : word == "publisher" ? std::uint32_t{MQB_SIDE_PUBLISHER}
                                                           : other});
    }
    if (const json::object* items = as_object(schema.if_contains("items")); items && value.is_array())
        for (std::size_t i = 0; i < value.get_array().size(); ++i)
            find(*items, value.get_array()[i], path + '/' + std::to_string(i), side, into);
    if (!value.is_object()) return;
    const json::object* properties = as_object(schema.if_contains("properties"));
    for (const auto& [name, member] : value.get_object()) {
        const json::object* known = properties ? as_object(properties->if_contains(name)) : nullptr;
        if (!known) known = as_object(schema.if_contains("additionalProperties"));
        if (known) find(*known, member, path + step(name), side, into);
    }
}
}  // namespace

std::vector<nested_place> nested_places(const json::object& schema, const json::object& config, std::uint32_t side) {
    std::vector<nested_place> out;
    find(schema, config, {}, side, out);
    return out;
}

void nest_everything(const json::object& schema, json::object& config, std::uint32_t side) {
    if (const json::object* others = as_object(schema.if_contains("additionalProperties")); others && names_endpoint(*others))
        config["kit"] = nullptr;
    const json::object* properties = as_object(schema.if_contains("properties"));
    if (!properties) return;
    for (const auto& [name, each] : *properties) {
        const json::object* s = each.if_object();
        if (!s || !is_for(*s, side)) continue;
        if (names_endpoint(*s)) {
            config[name] = nullptr;
            continue;
        }
        const json::object* items = as_object(s->if_contains("items"));
        if (items && names_endpoint(*items)) {
            config[name] = json::array{nullptr, nullptr};
            continue;
        }
        json::object below;
        if (json::value* there = config.if_contains(name); there && there->is_object()) below = there->get_object();
        const std::size_t before = nested_places(*s, below, side).size();
        nest_everything(*s, below, side);
        if (nested_places(*s, below, side).size() > before) config[name] = below;
    }
}

std::vector<lent_part> lend_for(const std::vector<nested_place>& places, recipe& to) {
    static std::set<std::string> paths;  // children point into it
    std::vector<lent_part> out;
    for (const nested_place& p : places) {
        lent_part one;
        if (p.side == MQB_SIDE_CONSUMER)
            one.input = &lent_consumer::make(answering::at_once);
        else
            one.output = &lent_publisher::make(answering::at_once);
        mqb_child child = one.input ? one.input->child() : one.output->child();
        const std::string& kept = *paths.insert(p.path).first;
        child.path = {kept.data(), kept.size()};
        to.children.push_back(child);
        out.push_back(one);
    }
    return out;
}

}  // namespace mqb::conformance
