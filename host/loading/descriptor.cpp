#include "host/loading/descriptor.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/null_fill.hpp"
#include "host/loading/schema_fault.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mqb::loading {

namespace {

constexpr std::size_t longest_schema = 16u << 20;
constexpr std::uint32_t most_factories = 1024;

core::failure fault(std::string text) { return {core::status::bad_config, std::move(text)}; }

// True if the field ends within the plugin's struct.
template <class T>
bool reaches(const T* theirs, std::size_t end) {
    return theirs->struct_size >= end;
}

bool is_sound(mqb_text t, std::size_t longest) { return t.size <= longest && (t.data != nullptr || t.size == 0); }

core::result<checked_factory> check_factory(const mqb_factory* theirs) {
    checked_factory out;
    out.table = null_filled(theirs);
    if (!is_plugin_name(view(out.table.name)))
        return fault("offers something with the bad name \"" + readable(view(out.table.name), 100) + "\"; a name is [a-z][a-z0-9_]*");
    out.what = {static_cast<offer_kind>(out.table.kind), std::string{view(out.table.name)}, out.table.sides};
    const std::string who = std::string{to_text(out.what.kind)} + " " + out.what.name;
    if (!out.table.create) return fault(who + " lacks the required function create");
    const bool has_sides = out.what.kind == offer_kind::endpoint || out.what.kind == offer_kind::middleware;
    out.what.sides = has_sides ? out.what.sides & (MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER) : 0;
    if (has_sides && out.what.sides == 0) return fault(who + " has no side");
    if (!is_sound(out.table.schema, longest_schema)) return fault(who + " has a schema that is too long or null");
    if (std::string why = fault_in_schema(view(out.table.schema)); !why.empty()) return fault(who + " has a schema " + why);
    out.schema = view(out.table.schema);
    return out;
}

core::result<void> check_factories(const mqb_plugin& plugin, checked_descriptor& out) {
    if (plugin.factory_count > most_factories || (plugin.factory_count && !plugin.factories)) return fault("has a bad list of factories");
    for (std::uint32_t i = 0; i < plugin.factory_count; ++i) {
        const mqb_factory* theirs = plugin.factories[i];
        const std::string which = "factory " + std::to_string(i);
        if (!theirs) return fault("has a null pointer in place of " + which);
        if (!reaches(theirs, offsetof(mqb_factory, create) + sizeof theirs->create))
            return fault(which + " is too short: it lacks the required function create");
        if (theirs->kind < MQB_ENDPOINT || theirs->kind > MQB_STORE) continue;
        core::result<checked_factory> checked = check_factory(theirs);
        if (!checked) return checked.error();
        const bool is_double = std::ranges::any_of(out.factories, [&](const checked_factory& f) {
            return f.what.kind == checked->what.kind && f.what.name == checked->what.name;
        });
        if (is_double) return fault("offers the " + std::string{to_text(checked->what.kind)} + " " + checked->what.name + " twice");
        out.about.offers.push_back(checked->what);
        out.factories.push_back(std::move(*checked));
    }
    return {};
}

}  // namespace

core::result<checked_descriptor> check_descriptor(const mqb_plugin* plugin) {
    if (!plugin) return fault("mqb_plugin_v1 answered null");
    if (!reaches(plugin, offsetof(mqb_plugin, draft) + sizeof plugin->draft))
        return fault("its descriptor is too short: struct_size " + std::to_string(plugin->struct_size) +
                     " leaves no room for a draft number");
    if (plugin->draft != MQB_ABI_DRAFT)
        return fault("is built for another plugin interface: found draft " + std::to_string(plugin->draft) + ", wanted draft " +
                     std::to_string(MQB_ABI_DRAFT));
    if (!reaches(plugin, offsetof(mqb_plugin, factory_count) + sizeof plugin->factory_count))
        return fault("its descriptor is too short: struct_size " + std::to_string(plugin->struct_size) +
                     " leaves no room for the factories");
    const mqb_plugin known = null_filled(plugin);
    if (!is_plugin_name(view(known.name)))
        return fault("has the bad name \"" + readable(view(known.name), 100) + "\"; a name is [a-z][a-z0-9_]*");
    if (!is_sound(known.version, 256) || !is_sound(known.licence, 256)) return fault("has a version or licence that is too long or null");
    checked_descriptor out;
    out.about = {std::string{view(known.name)}, readable(view(known.version)), readable(view(known.licence)), known.draft, {}};
    out.table = known.table;
    core::result<void> factories = check_factories(known, out);
    if (!factories) return factories.error();
    return out;
}

}  // namespace mqb::loading
