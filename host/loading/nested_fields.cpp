#include "host/loading/nested_fields.hpp"

#include "core/registry.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

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

class walk {
public:
    std::vector<nested_field> found;
    std::string fault;

    void look(const json::value& schema, const json::value& value, const std::string& path) {
        if (!schema.is_object() || value.is_null() || !fault.empty()) return;
        const json::object& s = schema.get_object();
        if (is_set(s, "x-mqb-endpoint")) {
            const json::value& side = s.at("x-mqb-endpoint");
            const bool is_consumer = side.is_string() && side.get_string() == "consumer";
            return take(value, path, offer_kind::endpoint, is_consumer ? core::consumer_side : core::publisher_side);
        }
        if (is_set(s, "x-mqb-store")) return take(value, path, offer_kind::store, 0);
        if (const json::value* items = s.if_contains("items"); items && value.is_array()) {
            for (std::size_t i = 0; i < value.get_array().size(); ++i) look(*items, value.get_array()[i], path + '/' + std::to_string(i));
        }
        if (!value.is_object()) return;
        const json::value* properties = s.if_contains("properties");
        const json::value* others = s.if_contains("additionalProperties");
        for (const auto& [name, member] : value.get_object()) {
            const json::value* known = properties && properties->is_object() ? properties->get_object().if_contains(name) : nullptr;
            if (!known) known = others;
            if (known) look(*known, member, path + step({name.data(), name.size()}));
        }
    }

private:
    void take(const json::value& value, const std::string& path, offer_kind kind, std::uint32_t side) {
        if (!value.is_object() || value.get_object().size() != 1) {
            fault = path + ": " + (kind == offer_kind::store ? "a store" : "an endpoint") + " is one key that names its type";
            return;
        }
        const auto& [type, config] = *value.get_object().begin();
        found.push_back(
            {path, kind, side, std::string{type.data(), type.size()}, config.is_null() ? "{}" : std::string{json::serialize(config)}});
    }
};

}  // namespace

core::result<std::vector<nested_field>> nested_fields(std::string_view schema, std::string_view config) {
    // Most schemas nest nothing: those are not parsed.
    if (schema.find("x-mqb-endpoint") == schema.npos && schema.find("x-mqb-store") == schema.npos) return std::vector<nested_field>{};
    boost::system::error_code e;
    const json::value s = json::parse(json::string_view{schema.data(), schema.size()}, e);
    if (e) return core::failure{core::status::bad_config, "its schema is no JSON"};
    const json::value c = json::parse(json::string_view{config.data(), config.size()}, e);
    if (e) return core::failure{core::status::bad_config, "its configuration is no JSON"};
    walk all;
    all.look(s, c, {});
    if (!all.fault.empty()) return core::failure{core::status::bad_config, std::move(all.fault)};
    return std::move(all.found);
}

}  // namespace mqb::loading
