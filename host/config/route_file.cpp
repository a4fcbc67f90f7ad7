#include "host/config/route_file.hpp"

#include "core/readable.hpp"
#include "host/config/near_match.hpp"
#include "host/config/settings.hpp"

#include <charconv>

namespace mqb::config {

namespace {

// The forms of a file: {routes: {NAME: route}}, {NAME: route}, or one route by itself.
class reader {
public:
    reader(route_file& into, std::string path, references& names, findings& to, std::vector<std::string>& secrets)
        : into_(into), path_(std::move(path)), names_(names), to_(to), checks_(to, secrets) {}

    void file(const node& root) {
        if (root.what == shape::null) return to_.warning(root.at, path_, "says nothing: there is no route in it");
        if (root.what != shape::map) return to_.error(root.at, path_, "a route file is a map of routes");
        if (root.find("routes")) {
            named(root);
        } else if (root.find("input") || root.find("output")) {
            lone(root);
        } else {
            bare(root);
        }
        for (route_shape& r : into_.routes)
            if (shutdown_timeout_ && !r.options.has_shutdown_timeout) r.definition.shutdown_timeout = *shutdown_timeout_;
    }

private:
    void named(const node& root) {
        for (const entry& e : root.entries) {
            if (e.key == "routes") {
                const std::string path = joined(path_, e.key);
                if (e.value->what == shape::map) {
                    for (const entry& r : e.value->entries) route(r.key, *r.value, r.at, joined(path, r.key));
                } else if (e.value->what != shape::null) {
                    to_.error(e.at, path, "has to be a map of routes");
                }
            } else if (is_setting(e.key)) {
                setting(e);
            } else {
                const bool is_route = e.value->what == shape::map && e.value->find("input");
                to_.error(e.at, joined(path_, e.key),
                          is_route ? "a route has to stand under \"routes\" here" : "unknown key" + did_you_mean(e.key, setting_names()));
            }
        }
    }

    void bare(const node& root) {
        for (const entry& e : root.entries) {
            if (is_setting(e.key)) {
                setting(e);
            } else if (e.value->what != shape::map) {
                to_.error(e.at, joined(path_, e.key),
                          "unknown key" + did_you_mean(e.key, setting_names()) + "; a route is a map with an input and an output");
            } else {
                route(e.key, *e.value, e.at, joined(path_, e.key));
            }
        }
    }

    void lone(const node& root) {
        node rest = root;
        rest.entries.clear();
        for (const entry& e : root.entries) {
            if (is_setting(e.key) && !route_schema().find(e.key)) {
                setting(e);
            } else {
                rest.entries.push_back(e);
            }
        }
        route("route", rest, root.at, path_);
    }

    void setting(const entry& e) {
        const std::string path = joined(path_, e.key);
        if (e.key == "endpoints") {
            names_.add_all(e, path, to_);
        } else if (e.key == "shutdown_timeout_ms") {
            const std::string text = checks_.check(*e.value, route_schema().find(e.key)->what, {e.at, path});
            std::int64_t number = 0;
            if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{})
                shutdown_timeout_ = std::chrono::milliseconds{number};
        } else {
            read_setting(e, path, into_.set, to_);
        }
    }

    void route(const std::string& name, const node& value, position at, const std::string& path) {
        if (value.what != shape::map) return to_.error(at, path, "a route is a map with an input and an output");
        if (name.empty()) to_.error(at, path, "a route needs a name");
        if (core::readable(name) != name) to_.error(at, path, "a route's name holds a control character");
        route_shape out;
        out.at = at;
        out.path = path;
        out.definition.name = name;
        out.output = read_endpoint(node{}, at, joined(path, "output"), to_);
        out.options = read_route_options(value, {at, path}, out.definition, checks_, to_);
        for (const nested_value& n : out.options.endpoints) {
            endpoint_shape read = read_endpoint(*n.value, n.at, n.path, to_);
            if (n.where == "/input") {
                out.input = std::move(read);
            } else if (n.where == "/output") {
                out.output = std::move(read);
            } else {
                out.dead_letters = std::move(read);
            }
        }
        into_.routes.push_back(std::move(out));
    }

    route_file& into_;
    std::string path_;
    references& names_;
    findings& to_;
    validation checks_;
    std::optional<std::chrono::milliseconds> shutdown_timeout_;
};

}  // namespace

unwrapped unwrap(const node_ptr& root) {
    if (root->what != shape::map || root->entries.size() != 1 || root->entries.front().key != "config") return {root, ""};
    const node_ptr& inside = root->entries.front().value;
    // A map with an input is a route that somebody called "config".
    if (inside->what != shape::map || inside->find("input") || inside->find("output")) return {root, ""};
    return {inside, "config"};
}

route_file read_route_tree(std::string name, const node& root, const std::string& path, references& names, findings& to,
                           std::vector<std::string>& secrets) {
    route_file out;
    out.name = std::move(name);
    reader{out, path, names, to, secrets}.file(root);
    return out;
}

}  // namespace mqb::config
