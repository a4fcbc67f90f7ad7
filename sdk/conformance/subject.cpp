#include "subject.hpp"

#include "schema.hpp"
#include "workplace.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

std::string text_of(const json::object& o, const char* key, std::string otherwise = {}) {
    const json::value* v = o.if_contains(key);
    return v ? std::string(v->as_string()) : otherwise;
}

json::object as_configuration(json::value v) {
    paths_as_meant_at_start(v);
    return v.as_object();
}

provocation read_provocation(const std::string& what, const json::object& how) {
    if (what != "revocation" && what != "disconnect" && what != "refusal") throw std::runtime_error("unknown provocation \"" + what + "\"");
    for (const auto& [key, value] : how)
        if (key != "control" && key != "json") throw std::runtime_error("unknown key \"" + std::string(key) + "\" in provoke." + what);
    if (!how.contains("control")) throw std::runtime_error("provoke." + what + " names no control");
    const json::value* request = how.if_contains("json");
    return {std::string(how.at("control").as_string()), request ? json::serialize(*request) : "{}"};
}

subject read(const json::object& o) {
    subject s;
    for (const auto& [key, value] : o) {
        if (key == "endpoint" || key == "middleware" || key == "handler" || key == "store" || key == "factory")
            s.factory = value.as_string();
        else if (key == "config")
            s.consumer = s.publisher = as_configuration(value);
        else if (key == "consumer")
            s.consumer = as_configuration(value);
        else if (key == "publisher")
            s.publisher = as_configuration(value);
        else if (key == "quirks")
            s.q = quirks_from(value.as_object());
        else if (key == "prepare") {
            const json::object& p = value.as_object();
            s.prepare = preparation{text_of(p, "file"), text_of(p, "line", "message-${N}"), text_of(p, "command"), 0};
            if (const json::value* n = p.if_contains("lines")) s.prepare->lines = n->to_number<std::uint32_t>();
        } else if (key == "provoke") {
            for (const auto& [what, how] : value.as_object())
                s.provoke[std::string(what)] = read_provocation(std::string(what), how.as_object());
        } else if (key == "sides") {
            for (const json::value& side : value.as_array()) s.sides |= side == "consumer" ? MQB_SIDE_CONSUMER : MQB_SIDE_PUBLISHER;
        } else if (key == "skip") {
            for (const auto& [name, reason] : value.as_object()) s.skip[std::string(name)] = std::string(reason.as_string());
        } else if (key != "$schema" && key != "comment") {
            throw std::runtime_error("unknown key \"" + std::string(key) + "\"");
        }
    }
    if (!s.q.unknown.empty()) throw std::runtime_error("unknown quirk \"" + s.q.unknown.front() + "\"");
    return s;
}
}  // namespace

std::vector<subject> subjects_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    try {
        const json::value v = json::parse(std::string((std::istreambuf_iterator<char>(in)), {}));
        std::vector<subject> out;
        if (v.is_array())
            for (const json::value& each : v.get_array()) out.push_back(read(each.as_object()));
        else
            out.push_back(read(v.as_object()));
        return out;
    } catch (const std::exception& e) { throw std::runtime_error(path + ": " + e.what()); }
}

const mqb_factory* find_factory(const mqb_plugin* p, const std::string& name) {
    for (std::uint32_t i = 0; i < p->factory_count; ++i)
        if (p->factories[i] && as_string(p->factories[i]->name) == name) return p->factories[i];
    return nullptr;
}

std::vector<subject> subjects_of_plugin(const mqb_plugin* p, std::vector<subject> given) {
    std::vector<subject> out;
    const mqb_plugin known = as_known(p);
    if (given.empty() || (given.size() == 1 && given[0].factory.empty() && known.factory_count > 1)) {
        const subject common = given.empty() ? subject{} : given[0];
        given.clear();
        for (std::uint32_t i = 0; i < known.factory_count; ++i)
            if (known.factories[i]) {
                given.push_back(common);
                given.back().derived = common.consumer.empty() && common.publisher.empty();
                given.back().factory = as_string(known.factories[i]->name);
            }
    }
    for (subject& s : given) {
        if (s.factory.empty() && known.factory_count && known.factories[0]) s.factory = as_string(known.factories[0]->name);
        const mqb_factory* f = find_factory(p, s.factory);
        if (!f) throw std::runtime_error("the plugin has no factory \"" + s.factory + "\"");
        const mqb_factory factory = as_known(f);
        s.kind = factory.kind;
        s.sides = s.sides ? s.sides & factory.sides : factory.sides;
        boost::system::error_code ec;
        const json::value schema = json::parse(as_string(factory.schema), ec);
        if (!ec && schema.is_object())
            for (auto [config, side] : {std::pair<json::object*, const char*>{&s.consumer, "consumer"}, {&s.publisher, "publisher"}}) {
                if (s.derived)
                    *config = smallest(schema.get_object(), side);
                else
                    fill_defaults(schema.get_object(), *config, side);
            }
        out.push_back(std::move(s));
    }
    return out;
}

}  // namespace mqb::conformance
