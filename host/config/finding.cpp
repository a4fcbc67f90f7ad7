#include "host/config/finding.hpp"

#include <algorithm>

namespace mqb::config {

std::string finding::line() const {
    std::string out = file;
    if (at.line != 0) out += ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
    if (!out.empty()) out += ": ";
    if (how == severity::warning) out += "warning: ";
    if (!path.empty()) out += path + ": ";
    return out + text;
}

std::string joined(std::string_view path, std::string_view key) {
    std::string out{path};
    if (!out.empty()) out += '.';
    return out += key;
}

void findings::error(position at, std::string_view path, std::string text) {
    all_.push_back({severity::error, file_, at, std::string{path}, std::move(text)});
}

void findings::warning(position at, std::string_view path, std::string text) {
    all_.push_back({severity::warning, file_, at, std::string{path}, std::move(text)});
}

std::size_t findings::error_count() const noexcept {
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [](const finding& f) { return f.how == severity::error; }));
}

std::vector<finding> findings::sorted() const {
    std::vector<std::string> files;
    for (const finding& f : all_)
        if (std::find(files.begin(), files.end(), f.file) == files.end()) files.push_back(f.file);
    std::vector<finding> out;
    for (const std::string& file : files) {
        const auto from = static_cast<std::ptrdiff_t>(out.size());
        std::copy_if(all_.begin(), all_.end(), std::back_inserter(out), [&](const finding& f) { return f.file == file; });
        std::stable_sort(out.begin() + from, out.end(), [](const finding& a, const finding& b) { return a.at < b.at; });
    }
    return out;
}

}  // namespace mqb::config
