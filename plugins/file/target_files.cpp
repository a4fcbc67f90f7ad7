#include "target_files.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <mqb/sdk/context.hpp>
#include <mqb/sdk/status.hpp>

#include "small_file.hpp"

namespace mqb::file {

publisher& target_files::open(const std::string& path) {
    if (publisher* known = find(path)) {
        if (!known->is_open()) make_folders(path);  // they may have been moved away
        return *known;
    }
    while (all_.size() >= config_.max_open_files) {
        by_path_.erase(all_.back().path);
        all_.pop_back();
    }
    config chosen = config_;
    chosen.path = path;
    chosen.path.number.reset();
    make_folders(path);
    mqb_create raw{};
    raw.call.struct_size = sizeof raw;
    raw.host = host_;
    auto made = std::make_unique<publisher>(sdk::context(raw), std::move(chosen));
    made->connect();
    all_.push_front({path, std::move(made)});
    by_path_.emplace(all_.front().path, all_.begin());
    return *all_.front().by;
}

publisher* target_files::find(const std::string& path) {
    const auto at = by_path_.find(path);
    if (at == by_path_.end()) return nullptr;
    all_.splice(all_.begin(), all_, at->second);
    return all_.front().by.get();
}

void target_files::drop(const std::string& path) {
    const auto at = by_path_.find(path);
    if (at == by_path_.end()) return;
    const auto file = at->second;
    by_path_.erase(at);
    all_.erase(file);
}

std::string target_files::drop_unsynced() {
    std::string first;
    for (auto file = all_.begin(); file != all_.end();) {
        std::string why = file->by->unsynced();
        const auto next = std::next(file);
        if (!why.empty()) {
            if (first.empty()) first = std::move(why);
            by_path_.erase(file->path);
            all_.erase(file);
        }
        file = next;
    }
    return first;
}

// What can never be made shows when the file is opened. A folder that is new is brought to the disk with the one that it is in, or is not
// there.
void target_files::make_folders(const std::string& path) const {
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
        const std::string folder = path.substr(0, end);
        int error = ::mkdir(folder.c_str(), 0777) == 0 ? 0 : errno;
        if (error == 0 && config_.fsync != fsync_mode::off) {
            error = sync_directory_of(folder);
            if (may_pass(error)) ::rmdir(folder.c_str());
        }
        if (may_pass(error))
            throw sdk::retry_later("the folder '", folder, "' of file target '", path,
                                   "' cannot be made: ", std::generic_category().message(error));
    }
}

}  // namespace mqb::file
