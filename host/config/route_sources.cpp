#include "host/config/route_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace mqb::config {

namespace {

namespace fs = std::filesystem;

bool is_route_file(const fs::path& file) {
    const std::string end = file.extension().string();
    return !file.filename().string().starts_with('.') && (end == ".yaml" || end == ".yml" || end == ".json" || end == ".toml");
}

void list_directory(const std::string& name, std::vector<std::string>& into, findings& to) {
    std::vector<std::string> found;
    std::error_code failed;
    for (fs::directory_iterator at{name, failed}, end; !failed && at != end; at.increment(failed)) {
        std::error_code unknown;
        if (is_route_file(at->path()) && !at->is_directory(unknown)) found.push_back(at->path().string());
    }
    to.in_file(name);
    if (failed) return to.error({}, "", "cannot be read: " + failed.message());
    if (found.empty()) return to.error({}, "", "holds no *.yaml, *.yml or *.json");
    std::sort(found.begin(), found.end());
    std::move(found.begin(), found.end(), std::back_inserter(into));
}

}  // namespace

std::vector<std::string> list_route_files(const std::vector<std::string>& names, findings& to) {
    std::vector<std::string> out;
    for (const std::string& name : names) {
        std::error_code failed;
        if (fs::is_directory(name, failed)) {
            list_directory(name, out, to);
        } else {
            out.push_back(name);
        }
    }
    return out;
}

}  // namespace mqb::config
