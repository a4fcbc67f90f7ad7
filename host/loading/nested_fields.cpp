#include "host/loading/nested_fields.hpp"

#include "core/registry.hpp"

#include <boost/json/parse.hpp>

#include <cstddef>

namespace mqb::loading {

namespace {

namespace json = boost::json;

// One step of a JSON pointer.
std::string step(std::string_view name) {
    std::string out = "/";
    for (const char c : name) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

bool is_set(const json::object& schema, const char* key) {
    const json::value* v = schema.if_contains(key);
    return v && !v->is_null() && !(v->is_bool() && !v->get_bool());
}

std::uint32_t side_of(const json::value& word) {
    if (!word.is_string()) return 0;
    const json::string& side = word.get_string();
    return side == "consumer" ? core::consumer_side : side == "publisher" ? core::publisher_side : 0u;
}

void look(const json::value& schema, const json::value& value, const std::string& path, std::vector<nested_field>& found) {
    if (!schema.is_object()) return;
    const json::object& s = schema.get_object();
    if (is_set(s, "x-mqb-endpoint")) return found.push_back({path, offer_kind::endpoint, side_of(s.at("x-mqb-endpoint"))});
    if (is_set(s, "x-mqb-store")) return found.push_back({path, offer_kind::store, 0});
    if (const json::value* items = s.if_contains("items"); items && value.is_array())
        for (std::size_t i = 0; i < value.get_array().size(); ++i)
            look(*items, value.get_array()[i], path + '/' + std::to_string(i), found);
    if (!value.is_object()) return;
    const json::value* properties = s.if_contains("properties");
    const json::value* others = s.if_contains("additionalProperties");
    for (const auto& [name, member] : value.get_object()) {
        const json::value* known = properties && properties->is_object() ? properties->get_object().if_contains(name) : nullptr;
        if (!known) known = others;
        if (known) look(*known, member, path + step({name.data(), name.size()}), found);
    }
}

}  // namespace

core::result<std::vector<nested_field>> nested_fields(std::string_view schema, std::string_view config) {
    // Most schemas nest nothing: those are not parsed.
    if (schema.find("x-mqb-endpoint") == schema.npos && schema.find("x-mqb-store") == schema.npos) return std::vector<nested_field>{};
    boost::system::error_code e;
    const json::value s = json::parse(json::string_view{schema.data(), schema.size()}, e);
    if (e) return core::failure{core::status::bad_config, "its schema is no JSON"};
    const json::value c = json::parse(json::string_view{config.data(), config.size()}, e);
    if (e) return core::failure{core::status::bad_config, "its configuration is no JSON"};
    std::vector<nested_field> found;
    look(s, c, {}, found);
    return found;
}

}  // namespace mqb::loading
