#include "host/config/route_set.hpp"

#include "host/config/document.hpp"
#include "host/config/endpoint_planner.hpp"
#include "host/config/overrides.hpp"
#include "host/config/route_sources.hpp"
#include "host/config/variables.hpp"

#include <map>

namespace mqb::config {

namespace {

void refuse_repeated_names(const std::vector<route_file>& files, findings& to) {
    std::map<std::string, position> seen;
    for (const route_file& file : files) {
        for (const route_shape& r : file.routes) {
            const auto [at, is_new] = seen.emplace(r.definition.name, r.at);
            if (!is_new) to.error(r.at, r.path, "a route of this name is in " + to.place_text(at->second) + " already");
        }
    }
}

// `roots`: null where a file could not be read.
route_set read(const std::vector<std::string>& names, const std::vector<node_ptr>& roots, const environment& from, findings& to,
               std::vector<std::string>& secrets) {
    std::vector<node_ptr> trees;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < names.size(); ++i) {
        to.in_file(names[i]);
        const unwrapped inside = roots[i] ? unwrap(roots[i]) : unwrapped{};
        trees.push_back(inside.root ? expand_variables(inside.root, inside.path, from, to, secrets) : nullptr);
        paths.push_back(inside.path);
    }
    apply_overrides(trees, from, to);
    route_set out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!trees[i]) continue;
        to.in_file(names[i]);
        out.files.push_back(read_route_tree(names[i], *trees[i], paths[i], out.names, to, secrets));
    }
    refuse_repeated_names(out.files, to);
    return out;
}

}  // namespace

settings route_set::all_settings() const {
    settings out;
    for (const route_file& file : files) {
        const settings& s = file.set;
        out.plugins.insert(out.plugins.end(), s.plugins.begin(), s.plugins.end());
        if (!s.state_dir.empty()) out.state_dir = s.state_dir;
        if (!s.log_level.empty()) out.log_level = s.log_level;
        if (!s.log_format.empty()) out.log_format = s.log_format;
    }
    return out;
}

void route_set::collect_names(const known_types& known, std::set<std::string>& endpoints, std::set<std::string>& middlewares) const {
    findings ignored;
    std::vector<std::string> no_secrets;
    endpoint_planner each{known, names, ignored, no_secrets};
    each.only_collect(endpoints, middlewares);
    for (const route_file& file : files)
        for (const route_shape& r : file.routes) (void)each.plan_ends(r);
    each.plan_unused();
}

route_set read_route_set(const std::vector<std::string>& names, const environment& from, findings& to, std::vector<std::string>& secrets) {
    const std::vector<std::string> files = list_route_files(names, to);
    std::vector<node_ptr> roots;
    for (const std::string& file : files) roots.push_back(read_document_file(file, to));
    return read(files, roots, from, to, secrets);
}

route_set read_route_texts(const std::vector<std::pair<std::string, std::string>>& texts, const environment& from, findings& to,
                           std::vector<std::string>& secrets) {
    std::vector<std::string> names;
    std::vector<node_ptr> roots;
    for (const auto& [name, text] : texts) {
        names.push_back(name);
        roots.push_back(read_document(name, text, to));
    }
    return read(names, roots, from, to, secrets);
}

}  // namespace mqb::config
