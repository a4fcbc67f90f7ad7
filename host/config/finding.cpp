#include "host/config/finding.hpp"

#include "core/readable.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mqb::config {

namespace {

std::string shown(const std::string& file, position at) {
    return at.line == 0 ? file : file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

}  // namespace

std::string finding::line() const {
    std::string out = shown(file, at);
    if (!out.empty()) out += ": ";
    if (how == severity::warning) out += "warning: ";
    if (!path.empty()) out += path + ": ";
    return core::readable(out + text) + (excerpt.empty() ? "" : '\n' + excerpt);
}

std::string joined(std::string_view path, std::string_view key) {
    std::string out{path};
    if (!out.empty()) out += '.';
    return out += key;
}

std::uint32_t findings::in_file(std::string_view name) {
    file_ = name;
    return source(name);
}

std::uint32_t findings::source(std::string_view name) {
    const auto at = std::find(sources_.begin(), sources_.end(), name);
    const auto number = static_cast<std::uint32_t>(at - sources_.begin() + 1);
    if (at == sources_.end()) sources_.emplace_back(name);
    return number;
}

const std::string& findings::name_of(position at) const noexcept {
    return at.source == 0 || at.source > sources_.size() ? file_ : sources_[at.source - 1];
}

std::string findings::place_text(position at) const { return shown(name_of(at), at); }

void findings::error(position at, std::string_view path, std::string text, std::string excerpt) {
    all_.push_back({severity::error, name_of(at), at, std::string{path}, std::move(text), std::move(excerpt)});
}

void findings::warning(position at, std::string_view path, std::string text) {
    all_.push_back({severity::warning, name_of(at), at, std::string{path}, std::move(text)});
}

bool findings::repeat_error(position at, std::string_view path) {
    const auto known = std::ranges::find_if(all_, [&](const finding& f) {
        return f.how == severity::error && f.at.line == at.line && f.at.column == at.column && f.path == path;
    });
    if (known == all_.end()) return false;
    all_.push_back(finding{*known});
    return true;
}

std::size_t findings::error_count() const noexcept {
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [](const finding& f) { return f.how == severity::error; }));
}

std::vector<finding> findings::sorted() const {
    std::map<std::string, std::size_t> order;
    for (const std::string& file : sources_) order.emplace(file, order.size());
    for (const finding& f : all_) order.emplace(f.file, order.size());
    std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::string>> seen;
    std::vector<finding> out;
    for (const finding& f : all_)
        if (seen.emplace(f.file, f.at.line, f.at.column, f.path, f.text).second) out.push_back(f);
    std::stable_sort(out.begin(), out.end(), [&](const finding& a, const finding& b) {
        return std::tuple{order[a.file], a.at.line, a.at.column} < std::tuple{order[b.file], b.at.line, b.at.column};
    });
    return out;
}

}  // namespace mqb::config
