// Schema, second part: configurations made from it.
#include "schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdlib>
#include <map>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

bool has_side(const json::object& s, std::string_view side) {
    const json::value* sides = s.if_contains("x-mqb-sides");
    if (!sides || !sides->is_array() || side.empty()) return true;
    for (const json::value& each : sides->get_array())
        if (each.is_string() && each.get_string() == side) return true;
    return false;
}
// `64 MiB` as the number of bytes, which a host writes for x-mqb-size.
json::value size_of(const json::value& v) {
    if (!v.is_string()) return v;
    const std::string text(v.get_string());
    char* unit = nullptr;
    const double n = std::strtod(text.c_str(), &unit);
    while (*unit == ' ') ++unit;
    static const std::map<std::string, double> units = {
        {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", double(1 << 30)}};
    const auto known = units.find(unit);
    return known == units.end() ? v : json::value(static_cast<std::uint64_t>(n * known->second));
}
// A value that stands under another name of the property is written under the first.
void take_alias(const json::object& property, std::string_view name, json::object& config) {
    const json::value* aliases = property.if_contains("x-mqb-aliases");
    if (!aliases || !aliases->is_array()) return;
    for (const json::value& alias : aliases->get_array())
        if (const json::value* v = alias.is_string() ? config.if_contains(alias.get_string()) : nullptr) {
            const json::value kept = *v;
            config.erase(alias.get_string());
            config[name] = kept;
        }
}
json::value value_for(const json::object& s, std::string_view side) {
    const json::value* t = s.if_contains("x-mqb-template");
    if (t && *t != "path") return 0;                   // the number of a template of the fake host
    if (s.contains("x-mqb-endpoint")) return nullptr;  // where the kit lends one
    if (const json::value* d = s.if_contains("default")) return s.contains("x-mqb-size") ? size_of(*d) : *d;
    if (const json::value* c = s.if_contains("const")) return *c;
    if (const json::value* e = s.if_contains("enum"); e && e->is_array() && !e->get_array().empty()) return e->get_array()[0];
    if (const json::value* e = s.if_contains("examples"); e && e->is_array() && !e->get_array().empty()) return e->get_array()[0];
    t = s.if_contains("type");
    if (t && t->is_array() && !t->get_array().empty()) t = &t->get_array()[0];
    const std::string_view type = t && t->is_string() ? std::string_view(t->get_string()) : "string";
    if (type == "integer" || type == "number") {
        const json::value* m = s.if_contains("minimum");
        return m ? *m : json::value(1);
    }
    if (type == "boolean") return false;
    if (type == "array") return json::array();
    if (type == "object") return smallest(s, side);
    if (type == "null") return nullptr;
    return "${TOPIC}";
}
}  // namespace

void fill_defaults(const json::object& schema, json::object& config, std::string_view side) {
    const json::value* p = schema.if_contains("properties");
    if (!p || !p->is_object()) return;
    for (const auto& [name, each] : p->get_object()) {
        if (!each.is_object()) continue;
        const json::object& s = each.get_object();
        if (!has_side(s, side)) {
            config.erase(name);
            continue;
        }
        take_alias(s, name, config);
        json::value* there = config.if_contains(name);
        if (there && s.contains("x-mqb-size")) *there = size_of(*there);
        if (there && there->is_object())
            fill_defaults(s, there->get_object(), side);
        else if (!there && s.contains("default"))
            config[name] = value_for(s, side);
    }
}

json::object smallest(const json::object& schema, std::string_view side) {
    json::object out;
    const json::value* r = schema.if_contains("required");
    const json::value* p = schema.if_contains("properties");
    if (r && r->is_array() && p && p->is_object())
        for (const json::value& name : r->get_array())
            if (const json::value* s = name.is_string() ? p->get_object().if_contains(name.get_string()) : nullptr)
                out[name.get_string()] = s->is_object() ? value_for(s->get_object(), side) : json::value("${TOPIC}");
    fill_defaults(schema, out, side);
    return out;
}

std::vector<std::pair<std::string, std::string>> garbage(const json::object& schema, const json::object& good) {
    std::vector<std::pair<std::string, std::string>> out = {{"an empty text", ""},
                                                            {"no JSON", "{\"a\":"},
                                                            {"a number", "42"},
                                                            {"null", "null"},
                                                            {"an array", "[]"},
                                                            {"bytes", std::string("\xff\xfe\0\x01", 4)},
                                                            {"an empty object", "{}"},
                                                            {"an unknown key", "{\"no_such_key_of_anybody\":{\"a\":[1,2,{}]}}"},
                                                            {"200 levels", std::string(200, '[') + std::string(200, ']')},
                                                            {"only a brace", "{"}};
    const json::value* p = schema.if_contains("properties");
    if (!p || !p->is_object()) return out;
    const std::pair<const char*, json::value> wrong[] = {{"null", nullptr},
                                                         {"a number", -1},
                                                         {"a large number", 9223372036854775807},
                                                         {"a fraction", 1e300},
                                                         {"an object", json::object()},
                                                         {"an array", json::array{1, "x"}},
                                                         {"an empty text", ""},
                                                         {"a long text", json::string(10000, 'x')},
                                                         {"a boolean", true}};
    for (const auto& [name, each] : p->get_object())
        for (const auto& [what, value] : wrong) {
            json::object bad = good;
            bad[name] = value;
            out.emplace_back(std::string(name) + " = " + what, json::serialize(bad));
        }
    return out;
}

}  // namespace mqb::conformance
