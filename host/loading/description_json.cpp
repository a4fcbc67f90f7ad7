// Descriptions as JSON: what a child process prints and what a sidecar index holds.
#include "host/loading/describe.hpp"

#include "core/registry.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string_view>

namespace mqb::loading {

namespace {

namespace json = boost::json;

std::string text_in(const json::object& o, std::string_view key) {
    const auto* v = o.if_contains(key);
    return v && v->is_string() ? std::string{v->as_string()} : std::string{};
}

json::array sides_of(std::uint32_t sides) {
    json::array out;
    if (sides & core::consumer_side) out.emplace_back("consumer");
    if (sides & core::publisher_side) out.emplace_back("publisher");
    return out;
}

bool read_offer(const json::value& v, offer& out) {
    if (!v.is_object()) return false;
    const json::object& o = v.as_object();
    out.name = text_in(o, "name");
    if (!from_text(text_in(o, "kind"), out.kind) || !is_plugin_name(out.name)) return false;
    const auto* sides = o.if_contains("sides");
    if (!sides) return true;
    if (!sides->is_array()) return false;
    for (const json::value& side : sides->as_array()) {
        if (!side.is_string()) return false;
        if (side.as_string() == "consumer")
            out.sides |= core::consumer_side;
        else if (side.as_string() == "publisher")
            out.sides |= core::publisher_side;
    }
    return true;
}

core::failure fault(std::string text) { return {core::status::rejected, std::move(text)}; }

}  // namespace

std::string to_json(const description& d) {
    json::array offers;
    for (const offer& o : d.offers) offers.push_back({{"kind", to_text(o.kind)}, {"name", o.name}, {"sides", sides_of(o.sides)}});
    return json::serialize(
        json::object{{"name", d.name}, {"version", d.version}, {"draft", d.draft}, {"licence", d.licence}, {"offers", std::move(offers)}});
}

core::result<description> description_from_json(std::string_view text) {
    boost::system::error_code e;
    const json::value parsed = json::parse(json::string_view{text.data(), text.size()}, e);
    if (e || !parsed.is_object()) return fault("the description is not a JSON object");
    const json::object& o = parsed.as_object();
    if (const std::string why = text_in(o, "why"); !why.empty()) return core::failure{core::status::bad_config, why};
    description out;
    out.name = text_in(o, "name");
    out.version = text_in(o, "version");
    out.licence = text_in(o, "licence");
    const auto* draft = o.if_contains("draft");
    if (draft && draft->is_number()) out.draft = draft->to_number<std::uint32_t>(e);
    if (!is_plugin_name(out.name) || !draft || e) return fault("the description has no name or no draft number");
    const auto* offers = o.if_contains("offers");
    if (!offers || !offers->is_array()) return fault("the description has no offers");
    for (const json::value& v : offers->as_array()) {
        offer one;
        if (!read_offer(v, one)) return fault("the description has a bad offer");
        out.offers.push_back(std::move(one));
    }
    return out;
}

}  // namespace mqb::loading
