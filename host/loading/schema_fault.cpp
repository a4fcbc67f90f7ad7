#include "host/loading/schema_fault.hpp"

#include <boost/json/parse.hpp>

namespace mqb::loading {

namespace {

namespace json = boost::json;

bool has_type(const json::value& v, std::string_view type) {
    if (type == "string") return v.is_string();
    if (type == "integer") return v.is_int64() || v.is_uint64();
    if (type == "number") return v.is_number();
    if (type == "boolean") return v.is_bool();
    if (type == "array") return v.is_array();
    if (type == "object") return v.is_object();
    if (type == "null") return v.is_null();
    return true;  // a type that this host does not know
}

// "type" is a word or a list of words.
bool fits(const json::value& v, const json::value& type) {
    if (type.is_string()) return has_type(v, std::string_view{type.as_string().data(), type.as_string().size()});
    if (!type.is_array()) return true;
    for (const json::value& one : type.as_array())
        if (fits(v, one)) return true;
    return false;
}

// Boost.JSON bounds the depth.
std::string fault_in_default(const json::value& schema, std::string_view field) {
    if (schema.is_array()) {
        for (const json::value& one : schema.as_array())
            if (std::string why = fault_in_default(one, field); !why.empty()) return why;
        return {};
    }
    if (!schema.is_object()) return {};
    const json::object& o = schema.as_object();
    const json::value* type = o.if_contains("type");
    const json::value* value = o.if_contains("default");
    if (type && value && (type->is_string() || type->is_array()) && !fits(*value, *type))
        return "whose default for \"" + std::string{field} + "\" is no " +
               (type->is_string() ? std::string{type->as_string()} : "value of its types");
    for (const auto& [key, part] : o) {
        if (key == "default" || key == "enum" || key == "const" || key == "examples") continue;  // values, not schemas
        if (std::string why = fault_in_default(part, key); !why.empty()) return why;
    }
    return {};
}

}  // namespace

std::string fault_in_schema(std::string_view schema) {
    boost::system::error_code e;
    const json::value parsed = json::parse(json::string_view{schema.data(), schema.size()}, e);
    if (e) return "that is not JSON: " + e.message();
    if (!parsed.is_object()) return "that is not a JSON object";
    return fault_in_default(parsed, "");
}

}  // namespace mqb::loading
