#include "host/config/exclusive.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace mqb::config {

namespace {

namespace fs = std::filesystem;

// Equal for two names of one thing; none where sharing does no harm.
std::optional<std::string> identity(const exclusive_use& use) {
    if (use.value.kind != "path") return use.value.text;
    std::error_code failed;
    const fs::path file{use.value.text};
    const fs::file_status about = fs::status(file, failed);
    if (fs::exists(about) && !fs::is_regular_file(about) && !fs::is_directory(about)) return std::nullopt;
    fs::path whole = fs::weakly_canonical(fs::absolute(file, failed), failed);
    return failed ? file.lexically_normal().string() : whole.lexically_normal().string();
}

}  // namespace

void refuse_shared(const std::vector<exclusive_use>& uses, findings& to) {
    std::map<std::pair<std::string, std::string>, std::vector<const exclusive_use*>> writers;
    std::vector<std::pair<const exclusive_use*, std::string>> readers;
    for (const exclusive_use& use : uses) {
        const auto same = identity(use);
        if (!same) continue;
        if (use.which == core::consumer_side) {
            readers.emplace_back(&use, *same);
            continue;
        }
        auto& all = writers[{use.type, *same}];
        if (!all.empty())
            to.error(use.value.at, use.value.path,
                     '"' + use.value.text + "\" is written by " + all.front()->value.path + " too (" +
                         to.place_text(all.front()->value.at) + ')');
        all.push_back(&use);
    }
    for (const auto& [reader, same] : readers) {
        const auto at = writers.find({reader->type, same});
        if (at == writers.end()) continue;
        for (const exclusive_use* writer : at->second)
            if (writer->route == reader->route)
                to.error(writer->value.at, writer->value.path,
                         '"' + writer->value.text + "\" is read by the same route, at " + reader->value.path + " (" +
                             to.place_text(reader->value.at) + ')');
    }
}

}  // namespace mqb::config
