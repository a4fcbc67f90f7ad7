#include "survey.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>

namespace mqb::dir_spool {
namespace {

class surveyor {
public:
    surveyor(const spool_directory& spool, const chunk_files& files, const naming& names, shards of, bool clears)
        : spool_(spool), files_(files), names_(names), shards_(of), clears_(clears) {}

    survey look() {
        walk("", "", shards_.depth);
        return found_;
    }

private:
    // digits: what the directories on the way took from the names.
    void walk(const std::string& path, const std::string& digits, std::uint32_t deeper) {
        const descriptor here(::openat(spool_.root(), path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!here) {
            if (errno != ENOENT) found_.error = errno;
            return;
        }
        const std::string prefix = path.empty() ? "" : path + '/';
        std::vector<std::string> directories;
        const int error = each_entry(here.number(), [&](std::string_view name, bool is_directory) {
            if (!is_directory)
                look_at(prefix, name, digits);
            else if (deeper > 0 && shards_.are_named(name))
                directories.emplace_back(name);
        });
        if (error != 0) found_.error = error;
        for (const std::string& name : directories) walk(prefix + name, digits + name, deeper - 1);
    }

    void look_at(const std::string& prefix, std::string_view name, const std::string& digits) {
        const file_role is = files_.role_of(name);
        if (is.kind == file_kind::foreign || is.stem.empty() || is.stem.front() < '0' || is.stem.front() > '9') return;
        const std::string whole = digits + std::string(is.stem);
        if (const auto number = sequence_of(whole)) found_.highest = std::max(found_.highest.value_or(0), *number);
        if (!clears_ || (is.kind != file_kind::sidecar && is.kind != file_kind::unfinished) || !names_.makes(whole)) return;
        if (is.kind == file_kind::sidecar && spool_.exists(prefix + files_.payload(is.stem))) return;
        if (spool_.remove(prefix + std::string(name)) != 0) return;  // a reader was quicker
        ++(is.kind == file_kind::sidecar ? found_.without_payload : found_.unfinished);
    }

    const spool_directory& spool_;
    const chunk_files& files_;
    const naming& names_;
    shards shards_;
    bool clears_;
    survey found_;
};

}  // namespace

survey look_over(const spool_directory& spool, const chunk_files& files, const naming& names, shards of, bool clears) {
    return surveyor(spool, files, names, of, clears).look();
}

}  // namespace mqb::dir_spool
