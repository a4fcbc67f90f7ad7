#include "host/config/route_file.hpp"

#include "host/config/document.hpp"
#include "host/config/near_match.hpp"
#include "host/config/settings.hpp"

namespace mqb::config {

namespace {

// The forms of a file: {routes: {NAME: route}}, {NAME: route}, or one route by itself.
class reader {
public:
    reader(route_file& into, findings& to, std::vector<std::string>& secrets) : into_(into), to_(to), checks_(to, secrets) {}

    void file(const node& root) {
        if (root.what == shape::null) return to_.warning(root.at, "", "says nothing: there is no route in it");
        if (root.what != shape::map) return to_.error(root.at, "", "a route file is a map of routes");
        if (root.find("routes")) return named(root);
        if (root.find("input") || root.find("output")) return lone(root);
        bare(root);
    }

private:
    void named(const node& root) {
        const std::vector<std::string> known = setting_names();
        for (const entry& e : root.entries) {
            if (e.key == "routes") {
                if (e.value->what == shape::map) {
                    for (const entry& r : e.value->entries) route(r.key, *r.value, r.at, "routes." + r.key);
                } else if (e.value->what != shape::null) {
                    to_.error(e.at, e.key, "has to be a map of routes");
                }
            } else if (is_setting(e.key)) {
                read_setting(e, into_.set, to_);
            } else {
                const bool is_route = e.value->what == shape::map && e.value->find("input");
                to_.error(e.at, e.key,
                          is_route ? "a route has to stand under \"routes\" here" : "unknown key" + did_you_mean(e.key, known));
            }
        }
    }

    void bare(const node& root) {
        const std::vector<std::string> known = setting_names();
        for (const entry& e : root.entries) {
            if (is_setting(e.key)) {
                read_setting(e, into_.set, to_);
            } else if (e.value->what != shape::map) {
                to_.error(e.at, e.key, "unknown key" + did_you_mean(e.key, known) + "; a route is a map with an input and an output");
            } else {
                route(e.key, *e.value, e.at, e.key);
            }
        }
    }

    void lone(const node& root) {
        node rest = root;
        rest.entries.clear();
        for (const entry& e : root.entries) {
            if (is_setting(e.key) && !route_schema().find(e.key)) {
                read_setting(e, into_.set, to_);
            } else {
                rest.entries.push_back(e);
            }
        }
        route("route", rest, root.at, "");
    }

    void route(const std::string& name, const node& value, position at, const std::string& path) {
        if (value.what != shape::map) return to_.error(at, path, "a route is a map with an input and an output");
        if (name.empty()) to_.error(at, path, "a route needs a name");
        route_shape out;
        out.at = at;
        out.path = path;
        out.definition.name = name;
        out.options = read_route_options(value, {at, path, 3}, out.definition, checks_, to_);
        if (const entry* input = value.find("input")) { out.input = read_endpoint(*input->value, input->at, joined(path, "input"), to_); }
        if (const entry* output = value.find("output")) {
            out.output = read_endpoint(*output->value, output->at, joined(path, "output"), to_);
        } else {
            out.output = read_endpoint(node{}, at, joined(path, "output"), to_);
        }
        into_.routes.push_back(std::move(out));
    }

    route_file& into_;
    findings& to_;
    validation checks_;
};

std::optional<route_file> read(const std::string& name, const node_ptr& root, findings& to, std::vector<std::string>& secrets) {
    if (!root) return std::nullopt;
    route_file out;
    out.name = name;
    reader{out, to, secrets}.file(*root);
    return out;
}

}  // namespace

void route_file::collect_names(std::set<std::string>& endpoints, std::set<std::string>& middlewares) const {
    for (const route_shape& r : routes) {
        for (const endpoint_shape* end : {&r.input, &r.output}) {
            if (!end->what.type.empty()) endpoints.insert(end->what.type);
            for (const typed_config& m : end->middlewares)
                if (!m.type.empty()) middlewares.insert(m.type);
        }
    }
}

std::optional<route_file> read_route_file(const std::string& path, findings& to, std::vector<std::string>& secrets) {
    return read(path, read_document_file(path, to), to, secrets);
}

std::optional<route_file> read_route_text(const std::string& name, const std::string& text, findings& to,
                                          std::vector<std::string>& secrets) {
    return read(name, read_document(name, text, to), to, secrets);
}

}  // namespace mqb::config
