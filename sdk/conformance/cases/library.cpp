// Cases of the library as a file: what can be found without making an instance.
#include "../catalog.hpp"
#include "../child.hpp"

#include <sys/stat.h>
#include <algorithm>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace mqb::conformance::cases {
namespace {
long printed() {
    std::fflush(nullptr);
    struct stat s {};
    return output_of_child() >= 0 && fstat(output_of_child(), &s) == 0 ? static_cast<long>(s.st_size) : 0;
}
bool is_name(const std::string& s) {
    if (s.empty() || !std::islower(static_cast<unsigned char>(s[0]))) return false;
    return std::ranges::all_of(s, [](char each) {
        const auto c = static_cast<unsigned char>(each);
        return std::islower(c) || std::isdigit(c) || c == '_';
    });
}
bool is_spdx(const std::string& s) {
    if (s.empty()) return false;
    return std::ranges::all_of(s, [](char each) { return std::isalnum(static_cast<unsigned char>(each)) || std::strchr(".-+() ", each); });
}
void check_factory(const mqb_factory* theirs, std::uint32_t i, std::set<std::string>& names) {
    const std::string which = "factory " + std::to_string(i);
    require(theirs, rules::factory, which + " is null");
    require(theirs->struct_size >= offsetof(mqb_factory, create) + sizeof theirs->create, rules::factory,
            which + " has struct_size " + std::to_string(theirs->struct_size) + ", so it has no create");
    const mqb_factory f = as_known(theirs);
    const std::string name = as_string(f.name);
    require(is_name(name), rules::factory, which + " has the name \"" + name + "\"");
    require(f.create, rules::factory, which + " (" + name + ") has no create");
    require(f.schema.data && f.schema.size, rules::factory, which + " (" + name + ") has no schema");
    require(names.insert(std::to_string(f.kind) + name).second, rules::factory, "two factories are called \"" + name + "\"");
    if (f.kind < MQB_ENDPOINT || f.kind > MQB_STORE)
        return warn(which + " has kind " + std::to_string(f.kind) + ", which this kit does not know");
    const std::uint32_t both = MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER;
    if (f.kind == MQB_ENDPOINT || f.kind == MQB_MIDDLEWARE)
        require((f.sides & both) && !(f.sides & ~both), rules::factory, which + " (" + name + ") has sides " + std::to_string(f.sides));
    else
        require(f.sides == 0, rules::factory, which + " (" + name + ") is a handler or store and has sides " + std::to_string(f.sides));
}
}  // namespace

void load(stage& s) {
    const auto threads = threads_now();
    const long before = printed();
    const int descriptors = descriptors_now();
    const mqb_plugin* p = s.lib.open();
    require(p, rules::looking, "mqb_plugin_v1 returned null");
    require(threads_now() == threads, rules::looking, "loading started a thread");
    require(printed() == before, rules::looking, "loading printed something");
    if (descriptors_now() != descriptors) warn("loading opened a file and left it open");
}

void exported_symbols(stage& s) {
    if (s.lib.path.empty() || s.lib.linked) skip("the plugin is linked in");
    std::vector<std::string> names;
    try {
        names = conformance::exported_symbols(s.lib.path);
    } catch (const std::exception& e) { fail(rules::loadable, s.lib.path + ": " + e.what()); }
    // What a linker adds by itself, and what an instrumented build carries, is nobody's choice.
    static const std::set<std::string> own = {"mqb_plugin_v1", "_init", "_fini", "_edata", "_end", "__bss_start"};
    std::string others;
    int count = 0;
    bool door = false;
    for (const std::string& n : names) {
        door = door || n == "mqb_plugin_v1";
        if (own.count(n) || n.rfind("__gcov", 0) == 0 || n.rfind("__odr_asan", 0) == 0) continue;
        if (++count <= 5) others += " " + n;
    }
    require(door, rules::symbol, "mqb_plugin_v1 is not exported");
    require(count == 0, rules::symbol, std::to_string(count) + " other symbols are exported:" + others);
}

void descriptor(stage& s) {
    const mqb_plugin* p = s.lib.open();
    require(p->struct_size >= offsetof(mqb_plugin, factory_count) + sizeof p->factory_count, rules::descriptor,
            "the descriptor has struct_size " + std::to_string(p->struct_size));
    require(p->draft == MQB_ABI_DRAFT, rules::draft,
            "the plugin has draft " + std::to_string(p->draft) + ", this kit " + std::to_string(MQB_ABI_DRAFT));
    if (!s.lib.linked) {
        auto* door = s.lib.door();
        require(enter("mqb_plugin_v1", [&] { return door(); }) == p, rules::looking,
                "mqb_plugin_v1 returned another pointer the second time");
    }
    const mqb_plugin known = as_known(p);
    require(is_name(as_string(known.name)), rules::descriptor, "the name is \"" + as_string(known.name) + "\"");
    require(known.version.size > 0, rules::descriptor, "there is no version");
    require(is_spdx(as_string(known.licence)), rules::descriptor, "the licence \"" + as_string(known.licence) + "\" is no SPDX expression");
    require(known.factories && known.factory_count, rules::descriptor, "there is no factory");
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < known.factory_count; ++i) check_factory(known.factories[i], i, names);
    const std::size_t slash = s.lib.path.rfind('/');
    const std::string file = s.lib.path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (!s.lib.path.empty() && file != "libmqb_" + as_string(known.name) + ".so")
        warn("the file is not called libmqb_" + as_string(known.name) + ".so");
}

}  // namespace mqb::conformance::cases
