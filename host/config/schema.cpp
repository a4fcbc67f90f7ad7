#include "host/config/schema.hpp"

#include "host/config/scalar.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace mqb::config {

namespace {

namespace json = boost::json;

struct type_name {
    const char* name;
    std::uint32_t type;
    const char* text;
};
constexpr type_name type_names[] = {{"null", is_null, "null"},       {"boolean", is_bool, "boolean"}, {"integer", is_integer, "integer"},
                                    {"number", is_number, "number"}, {"string", is_string, "text"},   {"array", is_array, "list"},
                                    {"object", is_object, "map"}};

std::uint32_t type_of(std::string_view name) {
    for (const type_name& t : type_names)
        if (name == t.name) return t.type;
    throw std::runtime_error("unknown type \"" + std::string{name} + "\"");
}

std::string text_of(const json::value& value) {
    return value.is_string() ? std::string{value.get_string().data(), value.get_string().size()} : json::serialize(value);
}

// As a person writes it: 2 and 0.2, where the library says 2E0 and 2E-1.
std::string json_text_of(const json::value& value) {
    if (!value.is_double()) return json::serialize(value);
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value.get_double()).ptr};
}

std::vector<std::string> texts_of(const json::value& value) {
    std::vector<std::string> out;
    if (!value.is_array()) return {text_of(value)};
    for (const json::value& item : value.get_array()) out.push_back(text_of(item));
    return out;
}

std::uint32_t sides_of(const json::value& value) {
    std::uint32_t out = 0;
    for (const std::string& name : texts_of(value)) {
        if (name == "consumer" || name == "input") out |= 1;
        if (name == "publisher" || name == "output") out |= 2;
    }
    if (out == 0) throw std::runtime_error("a side is consumer or publisher");
    return out;
}

// The key is there and says true, or says something more than that.
bool is_set(const json::object& from, const char* key) {
    const json::value* value = from.if_contains(key);
    return value && !(value->is_bool() && !value->get_bool()) && !value->is_null();
}

schema read(const json::value& from);

void read_properties(const json::object& from, schema& to) {
    if (const json::value* required = from.if_contains("required")) to.required = texts_of(*required);
    const json::value* all = from.if_contains("properties");
    if (all) {
        for (const auto& member : all->as_object()) {
            const std::string name{member.key().data(), member.key().size()};
            const bool is_required = std::find(to.required.begin(), to.required.end(), name) != to.required.end();
            to.properties.push_back({name, read(member.value()), is_required});
        }
    }
    // Strict where a schema names its keys: a key that nobody reads is a mistake.
    to.takes_others = to.properties.empty();
    if (const json::value* others = from.if_contains("additionalProperties")) {
        to.takes_others = !others->is_bool() || others->get_bool();
        if (others->is_object()) to.others = std::make_shared<const schema>(read(*others));
    }
}

void read_extensions(const json::object& from, schema& to) {
    to.is_secret = is_set(from, "x-mqb-secret");
    to.is_size = is_set(from, "x-mqb-size");
    to.is_template = is_set(from, "x-mqb-template");
    to.is_path_template = to.is_template && text_of(from.at("x-mqb-template")) == "path";
    to.is_endpoint = is_set(from, "x-mqb-endpoint");
    if (to.is_endpoint && from.at("x-mqb-endpoint").is_string()) to.endpoint_side = sides_of(from.at("x-mqb-endpoint")) & 3u;
    if (to.endpoint_side == 3) to.endpoint_side = 0;
    if (is_set(from, "x-mqb-exclusive"))
        to.exclusive = from.at("x-mqb-exclusive").is_string() ? text_of(from.at("x-mqb-exclusive")) : "text";
    to.is_store = is_set(from, "x-mqb-store");
    if (const json::value* uri = from.if_contains("x-mqb-uri")) to.uri = text_of(*uri);
    if (const json::value* value = from.if_contains("x-mqb-uri-default")) to.uri_standard = text_of(*value);
    if (const json::value* sides = from.if_contains("x-mqb-sides")) to.sides = sides_of(*sides);
    if (const json::value* aliases = from.if_contains("x-mqb-aliases")) to.aliases = texts_of(*aliases);
}

schema read(const json::value& from) {
    schema to;
    if (from.is_bool()) {
        to.takes_others = true;
        return to;
    }
    const json::object& object = from.as_object();
    if (const json::value* types = object.if_contains("type"))
        for (const std::string& name : texts_of(*types)) to.types |= type_of(name);
    read_properties(object, to);
    read_extensions(object, to);
    if (const json::value* value = object.if_contains("default")) to.standard = json_text_of(*value);
    if (to.is_size && object.contains("default") && object.at("default").is_string()) {
        const auto bytes = read_size(text_of(object.at("default")));
        if (!bytes) throw std::runtime_error("a default is not a size");
        to.standard = std::to_string(*bytes);
    }
    if (const json::value* text = object.if_contains("description")) to.description = text_of(*text);
    if (const json::value* all = object.if_contains("enum")) to.choices = texts_of(*all);
    if (const json::value* least = object.if_contains("minimum")) to.minimum = least->to_number<double>();
    if (const json::value* most = object.if_contains("maximum")) to.maximum = most->to_number<double>();
    if (const json::value* length = object.if_contains("minLength")) to.shortest = length->to_number<std::size_t>();
    if (const json::value* items = object.if_contains("items")) to.items = std::make_shared<const schema>(read(*items));
    to.is_deprecated = is_set(object, "deprecated");
    return to;
}

}  // namespace

const property* schema::find(std::string_view key) const noexcept {
    for (const property& p : properties) {
        if (p.name == key || std::find(p.what.aliases.begin(), p.what.aliases.end(), key) != p.what.aliases.end()) return &p;
    }
    return nullptr;
}

std::vector<std::string> schema::names() const {
    std::vector<std::string> out;
    for (const property& p : properties) out.push_back(p.name);
    return out;
}

std::string schema::type_text() const {
    if (is_size) return "size";
    std::string out;
    for (const type_name& t : type_names)
        if ((types & t.type) != 0 && t.type != is_null) out += (out.empty() ? "" : " or ") + std::string{t.text};
    return out.empty() ? "anything" : out;
}

core::result<std::shared_ptr<const schema>> read_schema(std::string_view text) {
    try {
        if (text.empty()) text = "{}";
        return std::make_shared<const schema>(read(json::parse({text.data(), text.size()})));
    } catch (const std::exception& e) { return core::failure{core::status::bad_config, std::string{"its schema is broken: "} + e.what()}; }
}

}  // namespace mqb::config
