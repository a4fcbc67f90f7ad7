#include "listing.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

namespace mqb::dir_spool {
namespace {

// The smallest so many of what is put in.
class smallest {
public:
    explicit smallest(std::size_t most) : most_(most) {}

    void put(std::string one) {
        if (heap_.size() == most_) {
            has_more_ = true;
            if (one >= heap_.front()) return;
            std::ranges::pop_heap(heap_);
            heap_.back() = std::move(one);
        } else {
            heap_.push_back(std::move(one));
        }
        std::ranges::push_heap(heap_);
    }
    bool has_more() const noexcept { return has_more_; }
    std::vector<std::string> take() {
        std::ranges::sort_heap(heap_);
        // A directory that changes while it is read may give a name twice.
        heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
        return std::move(heap_);
    }

private:
    std::size_t most_;
    bool has_more_ = false;
    std::vector<std::string> heap_;  // the largest in front
};

class lister {
public:
    lister(const spool_directory& spool, const chunk_files& files, shards of, std::size_t most, bool prunes,
           const std::function<bool(std::string_view)>& is_wanted)
        : spool_(spool), files_(files), shards_(of), most_(most), prunes_(prunes), is_wanted_(is_wanted) {}

    listing list() {
        walk("", shards_.depth);
        return std::move(found_);
    }

private:
    // Directories are ordered among the files as the paths in them are: with a slash behind their names. A directory may turn out to
    // have nothing, so that what was not kept of this one is needed after all: then it is read again, from behind what is known.
    void walk(const std::string& prefix, std::uint32_t deeper) {
        const std::string path = prefix.empty() ? "." : prefix.substr(0, prefix.size() - 1);
        const descriptor here(::openat(spool_.root(), path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!here) {
            if (errno != ENOENT) found_.error = errno;
            return;
        }
        bool is_empty = true;
        for (std::string after;;) {
            smallest entries(most_ - found_.payloads.size());
            const int error = each_entry(here.number(), [&](std::string_view name, bool is_directory) {
                is_empty = false;
                std::string key = key_of(prefix, name, is_directory, deeper);
                if (!key.empty() && key > after) entries.put(std::move(key));
            });
            if (error != 0) found_.error = error;
            const bool has_more = entries.has_more();
            for (std::string& key : entries.take()) {
                if (found_.payloads.size() == most_) return void(found_.has_more = true);
                after = key;
                if (key.ends_with('/'))
                    walk(prefix + key, deeper - 1);
                else
                    found_.payloads.push_back(prefix + std::move(key));
            }
            if (!has_more) break;
            if (found_.payloads.size() == most_) return void(found_.has_more = true);
        }
        if (is_empty && prunes_) spool_.remove_empty_directories(prefix);
    }

    // Empty: nothing for a reader.
    std::string key_of(const std::string& prefix, std::string_view name, bool is_directory, std::uint32_t deeper) {
        if (is_directory) {
            const bool is_shard = deeper > 0 && shards_.are_named(name);
            found_.has_strange_directories = found_.has_strange_directories || !is_shard;
            return is_shard ? std::string(name) + '/' : std::string{};
        }
        if (files_.role_of(name).kind != file_kind::payload) return {};
        const bool is_wanted = prefix.empty() ? is_wanted_(name) : is_wanted_(prefix + std::string(name));
        return is_wanted ? std::string(name) : std::string{};
    }

    const spool_directory& spool_;
    const chunk_files& files_;
    shards shards_;
    std::size_t most_;
    bool prunes_;
    const std::function<bool(std::string_view)>& is_wanted_;
    listing found_;
};

}  // namespace

listing list_chunks(const spool_directory& spool, const chunk_files& files, shards of, std::size_t most, bool prunes,
                    const std::function<bool(std::string_view)>& is_wanted) {
    return lister(spool, files, of, most, prunes, is_wanted).list();
}

std::optional<std::uint64_t> count_chunks(const spool_directory& spool, const chunk_files& files, shards of,
                                          const std::function<bool(std::string_view)>& is_wanted) {
    std::uint64_t count = 0;
    int error = 0;
    // Directories that are gone meanwhile have nothing.
    const std::function<void(const std::string&, std::uint32_t)> walk = [&](const std::string& prefix, std::uint32_t deeper) {
        const descriptor here(::openat(spool.root(), prefix.empty() ? "." : prefix.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!here && errno != ENOENT) error = errno;
        if (!here) return;
        std::vector<std::string> directories;
        const int failed = each_entry(here.number(), [&](std::string_view name, bool is_directory) {
            if (is_directory && deeper > 0 && of.are_named(name)) directories.emplace_back(name);
            if (!is_directory && files.role_of(name).kind == file_kind::payload) count += is_wanted(prefix + std::string(name)) ? 1 : 0;
        });
        if (failed != 0) error = failed;
        for (const std::string& name : directories) walk(prefix + name + '/', deeper - 1);
    };
    walk("", of.depth);
    return error == 0 ? std::optional(count) : std::nullopt;
}

}  // namespace mqb::dir_spool
