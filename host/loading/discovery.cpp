#include "host/loading/discovery.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <system_error>

namespace mqb::loading {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "libmqb_";
constexpr std::string_view file_suffix = ".so";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<fs::path> split_path(const std::string& colon_separated) {
    std::vector<fs::path> out;
    std::size_t from = 0;
    while (from <= colon_separated.size()) {
        const std::size_t to = std::min(colon_separated.find(':', from), colon_separated.size());
        if (to > from) out.emplace_back(colon_separated.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

std::vector<fs::path> files_in(const fs::path& directory) {
    std::vector<fs::path> out;
    std::error_code e;
    for (fs::directory_iterator at{directory, fs::directory_options::skip_permission_denied, e}, end; !e && at != end; at.increment(e))
        if (!name_in_file_name(at->path()).empty()) out.push_back(at->path());
    std::ranges::sort(out);
    return out;
}

bool is_same(const fs::path& a, const fs::path& b) {
    std::error_code e;
    return a == b || (fs::equivalent(a, b, e) && !e);
}

}  // namespace

search_options search_options::from_environment() {
    search_options out;
    std::error_code e;
    out.binary = fs::read_symlink("/proc/self/exe", e);
    if (!out.binary.empty() && out.binary.parent_path().filename() == "bin") out.prefix = out.binary.parent_path().parent_path();
    out.environment_path = environment("MQB_PLUGIN_PATH");
    if (out.environment_path.empty()) out.environment_path = environment("MQB_PLUGIN_DIR");
    out.data_home = environment("XDG_DATA_HOME");
    if (const std::string home = environment("HOME"); out.data_home.empty() && !home.empty())
        out.data_home = fs::path{home} / ".local/share";
    return out;
}

std::vector<search_place> search_places(const search_options& options) {
    std::vector<search_place> all;
    for (const fs::path& dir : options.plugin_dirs) all.push_back({dir, false});
    for (const fs::path& dir : split_path(options.environment_path)) all.push_back({dir, false});
    if (!options.binary.empty()) {
        const fs::path bin = options.binary.parent_path();
        all.push_back({bin, true});
        all.push_back({bin / "plugins", true});
        all.push_back({bin.parent_path() / "plugins", true});  // a build tree: bin and plugins are neighbours
    }
    if (!options.prefix.empty()) all.push_back({options.prefix / "lib/mqbridge/plugins", false});
    if (!options.data_home.empty()) all.push_back({options.data_home / "mqbridge/plugins", false});

    std::vector<search_place> out;
    std::vector<fs::path> seen;
    for (search_place& place : all) {
        std::error_code e;
        const fs::path real = fs::canonical(place.directory, e);
        if (e || !fs::is_directory(real, e) || std::ranges::find(seen, real) != seen.end()) continue;
        seen.push_back(real);
        out.push_back(std::move(place));
    }
    return out;
}

std::vector<found_file> find_files(const search_options& options) {
    std::vector<found_file> out;
    std::map<fs::path, fs::path> nearest;  // by file name
    for (const fs::path& file : options.plugin_files) {
        // Two route files, or an option and a route file, may name one library.
        if (std::ranges::any_of(out, [&](const found_file& named) { return is_same(named.file, file); })) continue;
        out.push_back({file, true, false, false, {}});
        nearest.emplace(file.filename(), file);
    }
    for (const search_place& place : search_places(options)) {
        for (const fs::path& file : files_in(place.directory)) {
            const auto [at, is_first] = nearest.emplace(file.filename(), file);
            if (!is_first && is_same(at->second, file)) continue;  // the same file on another way
            out.push_back({file, false, place.is_beside_binary, !is_first, is_first ? fs::path{} : at->second});
        }
    }
    return out;
}

std::string name_in_file_name(const fs::path& file) {
    const std::string name = file.filename().string();
    if (name.size() <= file_prefix.size() + file_suffix.size() || !name.starts_with(file_prefix) || !name.ends_with(file_suffix)) return {};
    return name.substr(file_prefix.size(), name.size() - file_prefix.size() - file_suffix.size());
}

}  // namespace mqb::loading
