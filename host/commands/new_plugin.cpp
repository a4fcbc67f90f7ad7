#include "host/commands/commands.hpp"
#include "host/loading/offer.hpp"
#include "host/templates/starter_files.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace mqb::host {

namespace {

namespace fs = std::filesystem;

std::string filled(std::string_view text, const std::string& name) {
    constexpr std::string_view mark = "@NAME@";
    std::string out{text};
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + name.size()))
        out.replace(at, mark.size(), name);
    return out;
}

void write(const fs::path& path, const std::string& text, bool is_executable) {
    fs::create_directories(path.parent_path());
    std::ofstream out{path, std::ios::binary};
    out << text << std::flush;
    if (!out) throw std::runtime_error(path.string() + ": cannot be written");
    if (is_executable) fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
}

}  // namespace

int new_plugin(const new_plugin_options& options) {
    if (!loading::is_plugin_name(options.name)) {
        std::cerr << "new plugin: a name is a lower-case letter and then letters, digits and _\n";
        return exit_bad_input;
    }
    const fs::path folder = options.directory.empty() ? options.name : options.directory;
    try {
        if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
            std::cerr << folder.string() << ": is there already\n";
            return exit_failed;
        }
        for (const starter_file& file : starter_files())
            write(folder / filled(file.path, options.name), filled(file.text, options.name), file.is_executable);
    } catch (const std::exception& e) {
        std::cerr << "new plugin: " << e.what() << '\n';
        return exit_failed;
    }
    if (starter_files().empty()) {
        std::cerr << "new plugin: this program was built without the template\n";
        return exit_failed;
    }
    std::cout << "made " << folder.string() << "; next:\n  cd " << folder.string() << " && cmake -B build && cmake --build build\n";
    return exit_done;
}

}  // namespace mqb::host
