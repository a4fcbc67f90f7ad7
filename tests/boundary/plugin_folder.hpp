// plugin_folder: a scratch directory with plugin libraries in it, for tests of finding them.
#pragma once

#include "host/loading/catalogue.hpp"
#include "host/loading/elf_file.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace mqb::boundary {

namespace fs = std::filesystem;

class plugin_folder {
public:
    plugin_folder() {
        std::string name = "/tmp/mqb-folder-" + std::string(6, 'X');
        dir = ::mkdtemp(name.data());
    }
    ~plugin_folder() { fs::remove_all(dir); }
    plugin_folder(const plugin_folder&) = delete;
    plugin_folder& operator=(const plugin_folder&) = delete;

    // A copy of one that the build made, called libmqb_NAME.so.
    fs::path add(const char* built, const std::string& name, const std::string& below = "") const {
        const fs::path to = dir / below / ("libmqb_" + name + ".so");
        fs::create_directories(to.parent_path());
        fs::copy_file(fs::path{MQB_BOUNDARY_PLUGINS} / (std::string{"libmqb_"} + built + ".so"), to);
        return to;
    }
    // The index of a library that offers one endpoint.
    static void add_index(const fs::path& library, const std::string& plugin, const std::string& endpoint, unsigned draft = MQB_ABI_DRAFT) {
        loading::elf_facts facts;
        CHECK(loading::fault_in_file(library, facts) == "");
        fs::path index = library;
        std::ofstream{index.replace_extension(".json")}
            << R"({"file":")" << library.filename().string() << R"(","size":)" << facts.size << R"(,"build_id":")" << facts.build_id
            << R"(","name":")" << plugin << R"(","version":"0.1","draft":)" << draft
            << R"(,"licence":"MIT","offers":[{"kind":"endpoint","name":")" << endpoint << R"(","sides":["consumer"]}]})";
    }
    // A describer whose children are named in a list instead of being started.
    loading::describer counting_describer() const {
        const fs::path script = dir / "describe.sh";
        std::ofstream{script}
            << "#!/bin/sh\nbasename \"$1\" >>" << (dir / "children").string() << "\nn=$(basename \"$1\" .so); n=${n#libmqb_}\n"
            << R"(printf '{"name":"%s","version":"0.1","draft":1,"licence":"MIT","offers":[{"kind":"endpoint","name":"%s","sides":["consumer"]}]}' "$n" "$n")"
            << "\n";
        fs::permissions(script, fs::perms::owner_all);
        return loading::describer{{script.string()}};
    }
    std::string children() const {
        std::ifstream in{dir / "children"};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
    loading::search_options search() const {
        loading::search_options o;
        o.plugin_dirs = {dir};
        return o;
    }
    // A describer whose children are programs of their own, as those of the host are.
    static loading::describer describing(std::chrono::milliseconds limit = std::chrono::seconds{30}) {
        return loading::describer{{MQB_BOUNDARY_CHILD}, limit};
    }
    loading::plugin_catalogue catalogue() const { return catalogue(search(), describing()); }
    loading::plugin_catalogue catalogue(loading::search_options o, loading::describer d) const {
        return loading::plugin_catalogue{std::move(o), std::make_shared<loading::plugin_services>(), std::move(d)};
    }

    fs::path dir;
};

}  // namespace mqb::boundary
