#include "file_order.hpp"

#include <sys/stat.h>

#include "followed_path.hpp"
#include "matched_files.hpp"
#include "path_pattern.hpp"

namespace mqb::file {

std::unique_ptr<file_order> make_file_order(const config& chosen, sdk::host_ref host, bool drains) {
    struct stat is {};
    // A file may have such a name.
    if (is_pattern(chosen.path) && (::stat(chosen.path.c_str(), &is) != 0 || S_ISDIR(is.st_mode)))
        return std::make_unique<matched_files>(chosen, host, drains);
    return std::make_unique<followed_path>(chosen, host, drains);
}

}  // namespace mqb::file
