#include "host/config/exclusive.hpp"

#include <sys/stat.h>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace mqb::config {

namespace {

namespace fs = std::filesystem;

struct identity {
    std::string key;   // equal for two names of one thing
    std::string name;  // of a file: its whole path, as far as it is known
};

// A file that is there is what it is by whatever name: hard links and mounts count. None where sharing does no harm.
std::optional<identity> identity_of(const exclusive_use& use) {
    if (use.value.kind != "path") return identity{use.value.text, use.value.text};
    // The standard stream of its side, which may be a file.
    const std::string path = use.value.text != "-" ? use.value.text : use.which == core::consumer_side ? "/dev/stdin" : "/dev/stdout";
    struct stat about {};
    const bool is_there = ::stat(path.c_str(), &about) == 0;
    if (is_there && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return std::nullopt;
    std::error_code failed;
    const fs::path file{path};
    const fs::path whole = fs::weakly_canonical(fs::absolute(file, failed), failed);
    const std::string name = (failed ? file : whole).lexically_normal().string();
    return identity{is_there ? std::to_string(about.st_dev) + ':' + std::to_string(about.st_ino) : name, name};
}

struct known_use {
    const exclusive_use* use;
    std::string name;
};

// What is said of `one` because of `other`, which is the same.
std::string shared_text(const known_use& one, const known_use& other, const std::string& doing, const findings& to) {
    std::string out = '"' + one.use->value.text + "\" is " + doing + " (" + to.place_text(other.use->value.at) + ')';
    if (one.name != other.name) out += ": \"" + other.use->value.text + "\" is the same file";
    return out;
}

}  // namespace

void refuse_shared(const std::vector<exclusive_use>& uses, findings& to) {
    std::map<std::pair<std::string, std::string>, std::vector<known_use>> writers;
    std::vector<std::pair<known_use, std::string>> readers;
    for (const exclusive_use& use : uses) {
        const auto same = identity_of(use);
        if (!same) continue;
        const known_use one{&use, same->name};
        if (use.which == core::consumer_side) {
            readers.emplace_back(one, same->key);
            continue;
        }
        auto& all = writers[{use.type, same->key}];
        if (!all.empty()) {
            // One named endpoint that two routes refer to is one place.
            const exclusive_use& first = *all.front().use;
            const std::string by = first.value.path != use.value.path ? first.value.path + " too"
                                   : first.route != use.route         ? "the routes " + first.route + " and " + use.route
                                                                      : "the route " + use.route + " twice";
            to.error(use.value.at, use.value.path, shared_text(one, all.front(), "written by " + by, to));
        }
        all.push_back(one);
    }
    for (const auto& [reader, same] : readers) {
        const auto at = writers.find({reader.use->type, same});
        if (at == writers.end()) continue;
        for (const known_use& writer : at->second)
            if (writer.use->route == reader.use->route)
                to.error(writer.use->value.at, writer.use->value.path,
                         shared_text(writer, reader, "read by the same route, at " + reader.use->value.path, to));
    }
}

}  // namespace mqb::config
