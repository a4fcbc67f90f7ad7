#include "host/loading/catalogue.hpp"

#include "core/near_match.hpp"
#include "host/loading/elf_file.hpp"
#include "host/loading/sha256.hpp"
#include "host/loading/sidecar.hpp"
#include "host/loading/signal_guard.hpp"
#include "host/loading/trust.hpp"

#include <algorithm>
#include <utility>

namespace mqb::loading {

// A file, and what is known of it so far.
struct plugin_catalogue::candidate {
    found_file found;
    elf_facts facts;
    std::string why;            // unusable
    bool is_described = false;  // by its index, a child or itself
    description about;

    [[nodiscard]] bool is_usable() const { return !found.is_shadowed && why.empty(); }
    [[nodiscard]] bool offers(offer_kind kind, std::string_view name) const {
        return std::ranges::any_of(about.offers, [&](const offer& o) { return o.kind == kind && o.name == name; });
    }
};

std::string_view to_text(file_state state) noexcept {
    switch (state) {
        case file_state::ok: return "ok";
        case file_state::unusable: return "unusable";
        case file_state::shadowed: return "shadowed";
    }
    return "unknown";
}

plugin_catalogue::plugin_catalogue(search_options options, std::shared_ptr<plugin_services> services, describer children)
    : options_(std::move(options)), services_(std::move(services)), children_(std::move(children)) {
    scan();
}

plugin_catalogue::~plugin_catalogue() = default;

void plugin_catalogue::warn(std::string text) {
    if (std::ranges::find(warnings_, text) == warnings_.end()) warnings_.push_back(std::move(text));
}

// why: without the file's name, or with it at the front.
void plugin_catalogue::refuse(candidate& c, std::string why) {
    const std::string front = c.found.file.string() + ": ";
    if (why.starts_with(front)) why.erase(0, front.size());
    warn(front + why);
    c.why = std::move(why);
}

void plugin_catalogue::scan() {
    files_.clear();
    for (found_file& f : find_files(options_)) {
        candidate& c = files_.emplace_back();
        c.found = std::move(f);
        if (!c.found.is_shadowed) examine(c);
    }
}

void plugin_catalogue::examine(candidate& c) {
    if (std::string why = fault_in_file(c.found.file, c.facts); !why.empty()) return refuse(c, std::move(why));
    if (!c.found.is_named) {
        std::string why = fault_in_owners(c.found.file, options_.binary, c.found.is_beside_binary);
        if (!why.empty()) return refuse(c, "is not trusted: " + why);
    }
    take_index(c);
    if (c.is_described && c.about.draft != MQB_ABI_DRAFT)
        refuse(c, "is built for another plugin interface: found draft " + std::to_string(c.about.draft) + ", wanted draft " +
                      std::to_string(MQB_ABI_DRAFT));
}

void plugin_catalogue::take_index(candidate& c) {
    std::filesystem::path path = c.found.file;
    path.replace_extension(".json");
    if (!c.found.is_named) {
        const std::string why = fault_in_owners(path, options_.binary, c.found.is_beside_binary);
        if (!why.empty()) return warn(path.string() + ": ignored, since it is not trusted: " + why);
    }
    sidecar index = read_sidecar(c.found.file, c.facts);
    if (!index.warning.empty()) warn(index.warning);
    if (!index.is_valid) return;
    c.is_described = true;
    c.about = std::move(index.about);
}

void plugin_catalogue::describe(candidate& c) {
    core::result<description> about = children_.describe(c.found.file);
    if (!about) return refuse(c, about.error().text);
    c.is_described = true;
    c.about = std::move(*about);
}

core::result<std::shared_ptr<const library>> plugin_catalogue::open(candidate& c) {
    if (!options_.allowed_sha256.empty()) {
        const std::string sum = sha256_of_file(c.found.file);
        if (std::ranges::find(options_.allowed_sha256, sum) == options_.allowed_sha256.end())
            return core::failure{core::status::bad_config, c.found.file.string() + ": its SHA-256 " + sum + " is not in the allow-list"};
    }
    auto opened = library::open(c.found.file, std::chrono::seconds{30}, &c.facts.identity);
    if (const std::string changed = restore_signals(); !changed.empty())
        warn(c.found.file.string() + ": changed what the host does on " + changed + " when it was opened: put back");
    return opened;
}

// Files that offer the name. Opens none; asks a child only for those that nothing else tells enough of.
std::vector<plugin_catalogue::candidate*> plugin_catalogue::claimants(offer_kind kind, std::string_view name) {
    auto collect = [&](auto may_be_described) {
        std::vector<candidate*> out;
        for (candidate& c : files_) {
            if (!c.is_usable()) continue;
            if (!c.is_described && may_be_described(c)) describe(c);
            if (c.is_usable() && c.offers(kind, name)) out.push_back(&c);
        }
        return out;
    };
    auto telling = [&](const candidate& c) { return c.found.is_named || name_in_file_name(c.found.file) == name; };
    std::vector<candidate*> found = collect(telling);
    return found.empty() ? collect([](const candidate&) { return true; }) : found;
}

lookup_failure plugin_catalogue::not_found(offer_kind kind, std::string_view name) const {
    const std::string what = std::string{to_text(kind)} + " \"" + std::string{name} + "\"";
    for (const candidate& c : files_)
        if (!c.why.empty() && (name_in_file_name(c.found.file) == name || c.offers(kind, name)))
            return {lookup_failure::reason::unusable, "the " + what + " cannot be used: " + c.found.file.string() + ": " + c.why};
    std::string text = "no plugin offers the " + what;
    const std::vector<std::string> near = near_matches(kind, name);
    for (std::size_t i = 0; i < near.size(); ++i) text += (i ? ", " : "; did you mean ") + near[i];
    text += near.empty() ? "; looked in" : "? Looked in";
    const std::vector<search_place> places = search_places(options_);
    for (std::size_t i = 0; i < places.size(); ++i) text += (i ? ", " : " ") + places[i].directory.string();
    if (places.empty()) text += " no directory at all";
    // Whoever named a file wants to know why it was not taken.
    for (const candidate& c : files_)
        if (c.found.is_named && !c.why.empty()) text += "; " + c.found.file.string() + ": " + c.why;
    return {lookup_failure::reason::not_offered, std::move(text)};
}

boost::system::result<offered, lookup_failure> plugin_catalogue::find(offer_kind kind, std::string_view name) {
    const std::vector<candidate*> claim = claimants(kind, name);
    if (claim.empty()) return not_found(kind, name);
    const auto unusable = [](std::string text) { return lookup_failure{lookup_failure::reason::unusable, std::move(text)}; };
    const std::string what = std::string{to_text(kind)} + " \"" + std::string{name} + "\"";
    if (claim.size() > 1)
        return unusable("the " + what + " is offered by two files: " + claim[0]->found.file.string() + " and " +
                        claim[1]->found.file.string());
    core::result<std::shared_ptr<const library>> opened = open(*claim[0]);
    if (!opened) {
        refuse(*claim[0], opened.error().text);
        return unusable("the " + what + " cannot be used: " + opened.error().text);
    }
    const checked_factory* factory = (*opened)->find(kind, name);
    if (!factory) return unusable((*opened)->file().string() + ": does not offer the " + what + ", as its index says");
    return offered{*opened, factory};
}

lookup_result<core::endpoint_factory> plugin_catalogue::find_endpoint(std::string_view name) {
    auto what = find(offer_kind::endpoint, name);
    if (!what) return what.error();
    return std::shared_ptr<core::endpoint_factory>{std::make_shared<plugin_endpoint_factory>(*what, services_)};
}

lookup_result<core::middleware_factory> plugin_catalogue::find_middleware(std::string_view name) {
    auto what = find(offer_kind::middleware, name);
    if (!what) return what.error();
    return std::shared_ptr<core::middleware_factory>{std::make_shared<plugin_middleware_factory>(*what, services_)};
}

lookup_result<handler_factory> plugin_catalogue::find_handler(std::string_view name) {
    auto what = find(offer_kind::handler, name);
    if (!what) return what.error();
    return std::make_shared<handler_factory>(*what, services_);
}

lookup_result<store_factory> plugin_catalogue::find_store(std::string_view name) {
    auto what = find(offer_kind::store, name);
    if (!what) return what.error();
    return std::make_shared<store_factory>(*what, services_);
}

std::vector<std::string> plugin_catalogue::near_matches(offer_kind kind, std::string_view name) const {
    std::vector<std::string> known;
    for (const candidate& c : files_) {
        if (!c.is_usable()) continue;
        for (const offer& o : c.about.offers)
            if (o.kind == kind) known.push_back(o.name);
        if (!c.is_described) known.push_back(name_in_file_name(c.found.file));
    }
    return core::nearest_of(name, std::move(known));
}

core::result<void> plugin_catalogue::register_into(core::CustomEndpointFactory& endpoints, core::CustomMiddlewareFactory& middlewares,
                                                   const needed_names& names) {
    std::string faults;
    auto note = [&](const lookup_failure& f) { faults += (faults.empty() ? "" : "\n") + f.text; };
    for (const std::string& name : names.endpoints) {
        if (endpoints.find(name)) continue;
        if (auto found = find_endpoint(name))
            endpoints.add(name, *found);
        else
            note(found.error());
    }
    for (const std::string& name : names.middlewares) {
        if (middlewares.find(name)) continue;
        if (auto found = find_middleware(name))
            middlewares.add(name, *found);
        else
            note(found.error());
    }
    if (!faults.empty()) return core::failure{core::status::bad_config, std::move(faults)};
    return {};
}

std::vector<catalogue_entry> plugin_catalogue::list(bool verify) {
    std::vector<catalogue_entry> out;
    for (candidate& c : files_) {
        if (c.is_usable() && (verify || !c.is_described)) describe(c);
        catalogue_entry& e = out.emplace_back();
        e.file = c.found.file;
        e.state = c.found.is_shadowed ? file_state::shadowed : c.why.empty() ? file_state::ok : file_state::unusable;
        e.why = c.found.is_shadowed ? "shadowed by " + c.found.shadowed_by.string() : c.why;
        e.name = c.about.name;
        e.version = c.about.version;
        e.licence = c.about.licence;
        e.abi = c.about.draft;
        e.offers = c.about.offers;
        e.sha256 = sha256_of_file(c.found.file);
        const auto& allowed = options_.allowed_sha256;
        if (e.state == file_state::ok && !allowed.empty() && std::ranges::find(allowed, e.sha256) == allowed.end()) {
            e.state = file_state::unusable;
            e.why = "its SHA-256 is not in the allow-list";
        }
    }
    return out;
}

}  // namespace mqb::loading
