#include "host/uri/uri_reader.hpp"

#include "host/config/document.hpp"
#include "host/config/near_match.hpp"

#include <algorithm>

namespace mqb::host {

namespace {

using config::node;
using config::node_ptr;
using config::schema;
using config::shape;

constexpr std::size_t deepest = 8;  // URIs in parameters of URIs

// The field that has this place in a URI; null: none has.
const config::property* field_of(const schema& in, std::string_view role) {
    const auto found = std::find_if(in.properties.begin(), in.properties.end(), [&](const auto& p) { return p.what.uri == role; });
    return found == in.properties.end() ? nullptr : &*found;
}

// "dir-spool:" is the endpoint dir_spool.
std::string type_of(const std::string& scheme) {
    if (scheme == "-") return "file";
    std::string out = scheme;
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

}  // namespace

node_ptr uri_reader::read(std::string_view text, const std::string& name, core::side side) {
    side_ = side;
    at_ = {0, 0, to_.source(name)};
    return endpoint(text, 0);
}

void uri_reader::complain(std::string text) const { to_.error(at_, "", std::move(text)); }

node_ptr uri_reader::text(std::string value) const {
    auto out = std::make_shared<node>();
    out->what = shape::scalar;
    out->at = at_;
    out->text = std::move(value);
    return out;
}

node_ptr uri_reader::standard_stream() const { return text(side_ == core::consumer_side ? "/dev/stdin" : "/dev/stdout"); }

node_ptr uri_reader::endpoint(std::string_view from, std::size_t depth) {
    if (depth > deepest) return complain("URIs in each other more than " + std::to_string(deepest) + " deep"), nullptr;
    const auto parts = split_uri(from);
    if (!parts) return complain(parts.error().text), nullptr;
    const std::string type = type_of(parts->endpoint.scheme);
    const auto known = schemas_(type, false);
    if (!known) return complain(known.error().text), nullptr;
    auto out = std::make_shared<node>();
    out->what = shape::map;
    out->at = at_;
    node_ptr leaf = configuration(parts->endpoint, type, **known, depth);
    if (!leaf) return nullptr;
    out->entries.push_back({type, at_, std::move(leaf)});
    if (parts->middlewares.empty()) return out;
    auto steps = std::make_shared<node>();
    steps->what = shape::list;
    steps->at = at_;
    for (const uri_middleware& m : parts->middlewares) {
        const auto schema_of = schemas_(m.name, true);
        if (!schema_of) return complain(schema_of.error().text), nullptr;
        auto step = std::make_shared<node>();
        step->what = shape::map;
        step->at = at_;
        auto inside = std::make_shared<node>();
        inside->what = m.parameters.empty() ? shape::null : shape::map;
        inside->at = at_;
        if (!add_parameters(m.parameters, **schema_of, m.name, depth, *inside)) return nullptr;
        step->entries.push_back({m.name, at_, std::move(inside)});
        steps->items.push_back(std::move(step));
    }
    out->entries.push_back({"middlewares", at_, std::move(steps)});
    return out;
}

node_ptr uri_reader::configuration(const uri_endpoint& from, const std::string& type, const schema& against, std::size_t depth) {
    auto out = std::make_shared<node>();
    out->what = shape::map;
    out->at = at_;
    uri_parameters own, passed_on;
    const bool has_driver = field_of(against, "driver") != nullptr;
    for (const auto& p : from.parameters) (has_driver && !against.find(p.first) ? passed_on : own).push_back(p);
    if (!put_roles(from, against, type, std::move(passed_on), *out)) return nullptr;
    if (!add_parameters(own, against, type, depth, *out)) return nullptr;
    for (const config::property& field : against.properties) {
        const auto is_there = [&](const config::entry& e) { return e.key == field.name; };
        const bool is_ours = field.what.uri_standard && (field.what.sides & side_) != 0;
        if (is_ours && std::none_of(out->entries.begin(), out->entries.end(), is_there))
            out->entries.push_back({field.name, at_, this->text(*field.what.uri_standard)});
    }
    if (out->entries.empty()) out->what = shape::null;
    return out;
}

// authority: what stands behind "//". path: what follows, or all of it where no field takes the authority. driver: the connection URL,
// with the parameters that are no field.
bool uri_reader::put_roles(const uri_endpoint& from, const schema& against, const std::string& type, uri_parameters passed_on, node& into) {
    const config::property* authority = field_of(against, "authority");
    const config::property* path = field_of(against, "path");
    const config::property* driver = field_of(against, "driver");
    if (from.scheme == "-") {
        if (!path) return complain("\"-\" needs an endpoint of files"), false;
        return put(into, path->name, standard_stream(), false);
    }
    const bool has_host = authority || driver;
    if (!has_host && from.has_user())
        return complain('"' + type + "\" takes no user and password before an @; in a path write the @ as %40"), false;
    std::string rest = has_host ? from.path : from.authority + from.path;
    if (driver && !from.authority.empty()) {
        std::string url = from.scheme + "://" + from.authority + (path ? "" : from.path);
        for (std::size_t i = 0; i < passed_on.size(); ++i) url += (i == 0 ? '?' : '&') + passed_on[i].first + '=' + passed_on[i].second;
        if (!path) rest.clear();
        // The driver resolves the escapes in its URL itself.
        if (!put(into, driver->name, text(std::move(url)), false)) return false;
    } else if (!passed_on.empty()) {
        return complain("the parameter \"" + passed_on.front().first + "\" is for a connection URL, and there is none"), false;
    }
    if (authority && !from.authority.empty() && !put(into, authority->name, text(from.authority), false)) return false;
    if (has_host && rest.starts_with('/')) rest.erase(0, 1);
    if (rest.empty()) return true;
    if (!path) {
        const bool may_be_secret = rest.find('@') != std::string::npos;  // user:password@host without its "//"
        return complain('"' + type + "\" takes no path, and " + (may_be_secret ? "one" : '"' + rest + '"') + " stands there"), false;
    }
    auto decoded = value_text(rest);
    if (!decoded) return complain(decoded.error().text), false;
    const bool is_stream = *decoded == "-" && path->what.exclusive == "path";  // of files it is no name but what "-" alone is
    return put(into, path->name, is_stream ? standard_stream() : text(std::move(*decoded)), false);
}

bool uri_reader::add_parameters(const uri_parameters& from, const schema& against, const std::string& type, std::size_t depth, node& into) {
    for (const auto& [name, raw] : from) {
        const config::property* field = against.find(name);
        if (!field && !against.takes_others)
            return complain("\"" + type + "\" has no parameter \"" + name + '"' + config::did_you_mean(name, against.names())), false;
        static const schema anything;
        const schema& what = field ? field->what : anything;
        // A list of endpoints or texts is written with one parameter for each.
        const bool is_list = what.items && (what.items->is_endpoint || raw.find('[') != 0);
        node_ptr made = value(raw, is_list ? *what.items : what, name, depth);
        if (!made || !put(into, field ? field->name : name, std::move(made), is_list)) return false;
    }
    return true;
}

node_ptr uri_reader::value(const std::string& raw, const schema& against, const std::string& field, std::size_t depth) {
    if (against.is_endpoint) {
        const auto inner = percent_decoded(raw);
        if (!inner) return complain("parameter \"" + field + "\": " + inner.error().text), nullptr;
        const core::side around = side_;
        if (against.endpoint_side != 0) side_ = static_cast<core::side>(against.endpoint_side);
        node_ptr made = endpoint(*inner, depth + 1);
        side_ = around;
        return made;
    }
    auto decoded = value_text(raw);
    if (!decoded) return complain("parameter \"" + field + "\": " + decoded.error().text), nullptr;
    const bool may_be_json = against.types != 0 && against.takes(config::is_object | config::is_array);
    if (!may_be_json || (!decoded->starts_with('{') && !decoded->starts_with('['))) return text(std::move(*decoded));
    config::findings inside;
    node_ptr made = config::read_document("value.json", *decoded, inside);
    if (made && !inside.has_errors()) return made;
    complain("parameter \"" + field + "\": is no JSON: " + (inside.sorted().empty() ? "" : inside.sorted().front().text));
    return nullptr;
}

bool uri_reader::put(node& into, const std::string& field, node_ptr value, bool is_list) {
    const auto there = std::find_if(into.entries.begin(), into.entries.end(), [&](const config::entry& e) { return e.key == field; });
    if (!is_list) {
        if (there != into.entries.end()) return complain("\"" + field + "\" is said twice"), false;
        into.entries.push_back({field, at_, std::move(value)});
        return true;
    }
    auto all = std::make_shared<node>();
    all->what = shape::list;
    all->at = at_;
    if (there != into.entries.end()) all->items = there->value->items;
    all->items.push_back(std::move(value));
    if (there != into.entries.end()) {
        there->value = std::move(all);
    } else {
        into.entries.push_back({field, at_, std::move(all)});
    }
    return true;
}

}  // namespace mqb::host
