#define BOOST_DLL_USE_STD_FS
#include "host/loading/library.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/descriptor.hpp"
#include "host/loading/discovery.hpp"
#include "host/loading/disposable_thread.hpp"
#include "host/loading/elf_file.hpp"
#include "host/loading/enter.hpp"
#include "host/loading/library_ranges.hpp"
#include "host/loading/load_error.hpp"

#include <boost/dll/shared_library.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace mqb::loading {

namespace {

namespace fs = std::filesystem;
namespace dll = boost::dll;

// All that are open. A file that was opened and then refused stays open too.
struct open_libraries {
    std::mutex mutex;
    std::map<fs::path, std::shared_ptr<const library>> by_path;  // the real one
    std::vector<std::unique_ptr<dll::shared_library>> handles;
};
open_libraries& all_open() {
    static auto& all = *new open_libraries;  // never destroyed, like what it holds
    return all;
}

core::failure fault(const fs::path& file, std::string_view why) {
    return {core::status::bad_config, file.string() + ": " + std::string{why}};
}

// The part of opening that runs code of the file, shared with a thread that may never end.
struct opening {
    fs::path real;
    std::string name;
    file_identity identity;  // of what was checked
    std::string why;         // not empty: it failed
    const mqb_plugin* plugin = nullptr;
};

void open_and_ask(opening& o) {
    dll::fs::error_code e;
    auto lib = std::make_unique<dll::shared_library>();
    if (identity_of(o.real) != o.identity) {
        o.why = "was changed after it had been checked";
        return;
    }
    {
        stamp here{place_of(o.name)[entry_point::open]};
        try {
            lib->load(o.real, e, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
        } catch (const std::exception& thrown) {
            o.why = std::string{"threw while it was opened: "} + thrown.what();
            return;
        } catch (...) {
            o.why = "threw while it was opened: unknown error";
            return;
        }
    }
    if (e) {
        const char* text = ::dlerror();
        o.why = explain_load_error(o.real, text ? text : e.message());
        return;
    }
    const std::string telling = name_in_file_name(o.real);
    note_library_ranges(o.real, telling.empty() ? o.name : telling);
    const auto native = lib->native();
    {
        // Never closed: a buffer or a late completion may still point into it.
        std::lock_guard lock{all_open().mutex};
        all_open().handles.push_back(std::move(lib));
    }
    if (!::dlsym(native, "mqb_plugin_v1")) {
        o.why = "is no mqbridge plugin: it has no function mqb_plugin_v1";
        return;
    }
    const auto door = reinterpret_cast<const mqb_plugin* (*)()>(::dlsym(native, "mqb_plugin_v1"));
    o.plugin = enter(place_of(o.name)[entry_point::mqb_plugin_v1], static_cast<const mqb_plugin*>(nullptr), door,
                     [&](const call_site&, std::string_view text) { o.why = "mqb_plugin_v1 threw: " + readable(text); });
}

}  // namespace

core::result<std::shared_ptr<const library>> library::open(const fs::path& file, std::chrono::milliseconds limit,
                                                           const file_identity* as_checked) {
    elf_facts facts;
    if (std::string why = fault_in_file(file, facts); !why.empty()) return fault(file, why);
    std::error_code e;
    const fs::path real = fs::canonical(file, e);
    if (e) return fault(file, e.message());
    {
        std::lock_guard lock{all_open().mutex};
        if (auto at = all_open().by_path.find(real); at != all_open().by_path.end()) return at->second;
    }
    auto o = std::make_shared<opening>();
    o->real = real;
    o->name = real.filename().string();
    o->identity = as_checked ? *as_checked : facts.identity;
    const work_end end = run_with_limit([o] { open_and_ask(*o); }, limit);
    if (end != work_end::in_time) return fault(file, "mqb_plugin_v1 " + to_text(end, limit));
    if (!o->why.empty()) return fault(file, o->why);
    core::result<std::shared_ptr<const library>> made = adopt(o->plugin, file);
    if (!made) return made;
    std::lock_guard lock{all_open().mutex};
    return all_open().by_path.emplace(real, *made).first->second;
}

core::result<std::shared_ptr<const library>> library::adopt(const mqb_plugin* plugin, const fs::path& file) {
    core::result<checked_descriptor> checked = check_descriptor(plugin);
    if (!checked) return fault(file, checked.error().text);
    std::shared_ptr<library> made{new library};
    made->file_ = file;
    made->about_ = std::move(checked->about);
    made->factories_ = std::move(checked->factories);
    made->table_ = checked->table;
    return std::shared_ptr<const library>{std::move(made)};
}

const checked_factory* library::find(offer_kind kind, std::string_view name) const noexcept {
    auto at = std::ranges::find_if(factories_, [&](const checked_factory& f) { return f.what.kind == kind && f.what.name == name; });
    return at == factories_.end() ? nullptr : &*at;
}

const call_place& library::place(std::string_view route, std::string_view path) const {
    const std::string file = file_.filename().string();
    return place_of(about_.name, route, path, name_in_file_name(file_) == about_.name || file.find(".so") == std::string::npos ? "" : file);
}

const void* library::table(std::string_view id) const noexcept {
    if (!table_) return nullptr;
    return enter(
        place()[entry_point::table], static_cast<const void*>(nullptr), [&] { return table_(text_of(id)); },
        [](const call_site&, std::string_view) {});
}

const void* table_of_open_library(std::string_view plugin, std::string_view id) noexcept {
    std::shared_ptr<const library> found;
    {
        std::lock_guard lock{all_open().mutex};
        for (const auto& [path, lib] : all_open().by_path)
            if (lib->name() == plugin) found = lib;
    }
    return found ? found->table(id) : nullptr;
}

}  // namespace mqb::loading
