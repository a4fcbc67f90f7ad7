#include "host/plugins/type_lookup.hpp"

#include "core/middlewares/builtin.hpp"
#include "core/structural/fanout.hpp"
#include "core/structural/null.hpp"
#include "core/structural/static.hpp"
#include "core/structural/switch.hpp"

#include <filesystem>

namespace mqb::host {

namespace {

// A name that nothing offers is an error of the file; one that something offers and cannot give fails its routes alone.
void note(const std::string& name, const loading::lookup_failure& failed, std::map<std::string, std::string>& missing,
          std::map<std::string, std::string>& broken) {
    (failed.why == loading::lookup_failure::reason::not_offered ? missing : broken).emplace(name, failed.text);
}

}  // namespace

loading::plugin_catalogue open_catalogue(const plugin_options& options) {
    loading::search_options search = loading::search_options::from_environment();
    search.plugin_dirs.assign(options.dirs.begin(), options.dirs.end());
    search.plugin_files.assign(options.files.begin(), options.files.end());
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    loading::describer children = failed ? loading::describer{} : loading::describer{{self.string(), loading::describe_argument}};
    return {std::move(search), std::make_shared<loading::plugin_services>(), std::move(children)};
}

void add_built_in(config::known_types& to) {
    to.endpoints.add("null", std::make_shared<core::null_factory>());
    to.endpoints.add("static", std::make_shared<core::static_factory>());
    to.endpoints.add("fanout", std::make_shared<core::fanout_factory>());
    to.endpoints.add("switch", std::make_shared<core::switch_factory>());
    core::add_builtin(to.middlewares);
}

void look_up(const std::set<std::string>& endpoints, const std::set<std::string>& middlewares, loading::plugin_catalogue& in,
             config::known_types& to) {
    for (const std::string& name : endpoints) {
        if (to.endpoints.find(name)) continue;
        if (auto found = in.find_endpoint(name)) {
            to.endpoints.add(name, *found);
        } else {
            note(name, found.error(), to.missing_endpoints, to.broken_endpoints);
        }
    }
    for (const std::string& name : middlewares) {
        if (to.middlewares.find(name)) continue;
        if (auto found = in.find_middleware(name)) {
            to.middlewares.add(name, *found);
        } else {
            note(name, found.error(), to.missing_middlewares, to.broken_middlewares);
        }
    }
}

}  // namespace mqb::host
