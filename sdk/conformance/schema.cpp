#include "schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <set>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

const std::set<std::string_view> keywords = {"$schema",
                                             "$id",
                                             "$ref",
                                             "$defs",
                                             "$comment",
                                             "definitions",
                                             "type",
                                             "enum",
                                             "const",
                                             "properties",
                                             "patternProperties",
                                             "additionalProperties",
                                             "unevaluatedProperties",
                                             "propertyNames",
                                             "required",
                                             "dependentRequired",
                                             "dependentSchemas",
                                             "minProperties",
                                             "maxProperties",
                                             "items",
                                             "prefixItems",
                                             "contains",
                                             "minItems",
                                             "maxItems",
                                             "uniqueItems",
                                             "minimum",
                                             "maximum",
                                             "exclusiveMinimum",
                                             "exclusiveMaximum",
                                             "multipleOf",
                                             "minLength",
                                             "maxLength",
                                             "pattern",
                                             "format",
                                             "allOf",
                                             "anyOf",
                                             "oneOf",
                                             "not",
                                             "if",
                                             "then",
                                             "else",
                                             "title",
                                             "description",
                                             "default",
                                             "examples",
                                             "deprecated",
                                             "readOnly",
                                             "writeOnly",
                                             "secret",
                                             "aliases",
                                             "uri",
                                             "template",
                                             "endpoint",
                                             "store",
                                             "unit",
                                             "shorthand"};
const std::set<std::string_view> types = {"string", "integer", "number", "boolean", "object", "array", "null"};

bool has_type(const json::value& v, std::string_view type) {
    if (type == "string") return v.is_string();
    if (type == "integer") return v.is_int64() || v.is_uint64();
    if (type == "number") return v.is_number();
    if (type == "boolean") return v.is_bool();
    if (type == "object") return v.is_object();
    if (type == "array") return v.is_array();
    return v.is_null();
}

class inspector {
public:
    explicit inspector(schema_findings& out) : out_(out) {}
    void visit(const json::value& v, const std::string& at) {
        if (v.is_bool()) return;
        if (!v.is_object()) return fault(at, "a schema must be an object");
        const json::object& o = v.get_object();
        for (const auto& [key, value] : o)
            if (!keywords.count(key) && key.rfind("x-", 0) != 0 && key.rfind("mqb", 0) != 0)
                out_.warnings.push_back("schema" + at + ": unknown keyword \"" + std::string(key) + "\"");
        std::vector<std::string_view> allowed;
        if (const json::value* t = o.if_contains("type")) read_types(*t, at, allowed);
        if (const json::value* d = o.if_contains("default")) check_value(*d, o, allowed, at + "/default");
        if (const json::value* e = o.if_contains("enum")) {
            if (!e->is_array() || e->get_array().empty()) fault(at, "enum must be an array with values");
        }
        properties(o, at);
        for (const char* key : {"items", "additionalProperties", "not", "if", "then", "else", "contains"})
            if (const json::value* s = o.if_contains(key); s && !s->is_array()) visit(*s, at + "/" + key);
        for (const char* key : {"allOf", "anyOf", "oneOf", "prefixItems"})
            if (const json::value* s = o.if_contains(key)) {
                if (!s->is_array())
                    fault(at, std::string(key) + " must be an array");
                else
                    for (std::size_t i = 0; i < s->get_array().size(); ++i)
                        visit(s->get_array()[i], at + "/" + key + "/" + std::to_string(i));
            }
        for (const char* key : {"$defs", "definitions", "patternProperties"})
            if (const json::value* s = o.if_contains(key); s && s->is_object())
                for (const auto& [name, each] : s->get_object()) visit(each, at + "/" + key + "/" + std::string(name));
    }

private:
    void fault(const std::string& at, const std::string& what) { out_.faults.push_back("schema" + at + ": " + what); }
    void read_types(const json::value& t, const std::string& at, std::vector<std::string_view>& allowed) {
        auto one = [&](const json::value& v) {
            if (!v.is_string() || !types.count(v.get_string())) return fault(at, "type " + json::serialize(v) + " is none of JSON Schema");
            allowed.push_back(v.get_string());
        };
        if (t.is_array())
            for (const json::value& v : t.get_array()) one(v);
        else
            one(t);
    }
    void check_value(const json::value& d, const json::object& o, const std::vector<std::string_view>& allowed, const std::string& at) {
        bool good = allowed.empty() || (o.contains("x-mqb-size") && d.is_string());
        for (auto t : allowed) good = good || has_type(d, t);
        if (!good) return fault(at, json::serialize(d) + " is not of the declared type");
        if (const json::value* e = o.if_contains("enum"); e && e->is_array()) {
            bool found = false;
            for (const json::value& v : e->get_array()) found = found || v == d;
            if (!found) fault(at, json::serialize(d) + " is not in enum");
        }
        auto bound = [&](const char* key, auto holds) {
            const json::value* b = o.if_contains(key);
            if (!b || !d.is_number()) return;
            if (!b->is_number()) return fault(at, std::string(key) + " must be a number");
            if (!holds(d.to_number<double>(), b->to_number<double>())) fault(at, json::serialize(d) + " breaks " + key);
        };
        bound("minimum", [](double a, double b) { return a >= b; });
        bound("maximum", [](double a, double b) { return a <= b; });
    }
    void properties(const json::object& o, const std::string& at) {
        const json::value* p = o.if_contains("properties");
        if (p && !p->is_object()) return fault(at, "properties must be an object");
        if (p)
            for (const auto& [name, each] : p->get_object()) visit(each, at + "/properties/" + std::string(name));
        const json::value* r = o.if_contains("required");
        if (!r) return;
        if (!r->is_array()) return fault(at, "required must be an array");
        for (const json::value& v : r->get_array()) {
            if (!v.is_string())
                fault(at, "required must hold strings");
            else if (p && !p->get_object().contains(v.get_string()))
                fault(at, "required names \"" + std::string(v.get_string()) + "\", which properties does not have");
        }
    }
    schema_findings& out_;
};

}  // namespace

schema_findings inspect_schema(const json::value& schema) {
    schema_findings out;
    if (!schema.is_object()) {
        out.faults.push_back("schema: must be a JSON object");
        return out;
    }
    inspector(out).visit(schema, "");
    if (const json::value* t = schema.get_object().if_contains("type"); t && t->is_string() && t->get_string() != "object")
        out.faults.push_back("schema: a configuration is an object, type says " + json::serialize(*t));
    return out;
}

}  // namespace mqb::conformance
