#include "path_pattern.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <glob.h>
#include <sys/stat.h>

#include <mqb/sdk/status.hpp>

namespace mqb::file {
namespace {

constexpr std::string_view wildcards = "*?[";

// What this endpoint keeps beside a file, and the usual name of one that is not whole yet.
bool is_kept_beside(std::string_view path) {
    constexpr std::array endings{std::string_view(".offset"), std::string_view(".consumed"), std::string_view(".fingerprint"),
                                 std::string_view(".lock"),   std::string_view(".writing"),  std::string_view(".tmp")};
    return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace

bool is_pattern(std::string_view path) noexcept {
    const std::size_t bracket = path.find('[');
    return path.ends_with('/') || path.find_first_of("*?") != path.npos || (bracket != path.npos && path.find(']', bracket) != path.npos);
}

std::string pattern_folder(const std::string& path) {
    const std::size_t end = path.rfind('/', path.find_first_of(wildcards));
    if (end == std::string::npos) return ".";
    return end == 0 ? "/" : path.substr(0, end);
}

std::vector<std::string> matching_paths(const std::string& path, bool missing_is_final) {
    const std::string folder = pattern_folder(path);
    struct stat is {};
    const int error = ::stat(folder.c_str(), &is) != 0 ? errno : S_ISDIR(is.st_mode) ? 0 : ENOTDIR;
    if (error != 0)
        throw sdk::failure(
            error == ENOENT && !missing_is_final ? sdk::status::retry : sdk::status::bad_config,
            sdk::join("cannot read the folder '", folder, "' of file source '", path, "': ", std::generic_category().message(error)));
    std::vector<std::string> paths;
    glob_t found{};
    const std::string pattern = path.ends_with('/') ? path + "*" : path;
    const int answer = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
    try {
        for (std::size_t i = 0; answer == 0 && i < found.gl_pathc; ++i)
            if (!is_kept_beside(found.gl_pathv[i])) paths.emplace_back(found.gl_pathv[i]);
    } catch (...) {
        ::globfree(&found);
        throw;
    }
    ::globfree(&found);
    if (answer == GLOB_NOSPACE || answer == GLOB_ABORTED) throw sdk::retry_later("cannot list what matches '", path, "'");
    std::ranges::sort(paths);
    return paths;
}

}  // namespace mqb::file
