#include "spool_directory.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>

#include <mqb/sdk/status.hpp>

namespace mqb::dir_spool {
namespace {

namespace fs = std::filesystem;

int answer_of(int result) noexcept { return result == 0 ? 0 : errno; }

// Where directories cannot be synchronised there is nothing to wait for.
int sync_open(const descriptor& directory) noexcept { return ::fsync(directory.number()) == 0 || errno == EINVAL ? 0 : errno; }

int sync_path(const fs::path& directory) noexcept {
    const descriptor opened(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened ? sync_open(opened) : errno;
}

sdk::failure cannot_synchronise(const fs::path& directory, const fs::path& in, int error) {
    const bool may_pass = error != EACCES && error != EPERM;
    return sdk::failure(may_pass ? sdk::status::retry : sdk::status::bad_config,
                        sdk::join("cannot synchronise '", in.empty() ? "." : in.native(), "', in which '", directory.native(),
                                  "' was made: ", std::generic_category().message(error), "; fsync: off does without"));
}

// The innermost directories that are missing are made one by one: each is an entry of a parent that has to be synchronised. One that is
// there may be what somebody made who was killed before that.
int make_path(const fs::path& path, bool synced) {
    std::error_code failed;
    if (path.empty()) return 0;
    const fs::path clean = path.filename().empty() ? path.parent_path() : path;
    const fs::path parent = clean.parent_path();
    if (fs::is_directory(path, failed)) {
        const int error = synced ? sync_path(parent) : 0;
        if (error != 0 && error != EACCES) throw cannot_synchronise(clean, parent, error);
        return 0;
    }
    if (const int error = make_path(parent, synced); error != 0) return error;
    if (::mkdir(clean.c_str(), 0777) != 0) return errno == EEXIST ? 0 : errno;
    if (const int error = synced ? sync_path(parent) : 0; error != 0) {
        ::rmdir(clean.c_str());  // or the next try would take it for one that is there for good
        throw cannot_synchronise(clean, parent, error);
    }
    return 0;
}

sdk::failure failed_to_open(const std::string& path, int error) {
    if (error == ENOTDIR || error == EEXIST) return sdk::bad_config("spool '", path, "' is not a directory");
    const bool may_pass = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE || error == EIO || error == ENOENT;
    return sdk::failure(may_pass ? sdk::status::retry : sdk::status::bad_config,
                        sdk::join("cannot open spool '", path, "': ", std::generic_category().message(error)));
}

}  // namespace

bool spool_directory::open(bool synced) {
    const int error = make_path(path_, synced);
    descriptor opened(error == 0 ? ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    struct stat is {};
    if (!opened || ::fstat(opened.number(), &is) != 0) throw failed_to_open(path_, error != 0 ? error : errno);
    const bool is_another = !root_ || is.st_dev != device_ || is.st_ino != inode_;
    root_ = std::move(opened);
    device_ = is.st_dev;
    inode_ = is.st_ino;
    return is_another;
}

bool spool_directory::is_in_place() const noexcept {
    struct stat named {};
    return ::stat(path_.c_str(), &named) == 0 && named.st_dev == device_ && named.st_ino == inode_;
}

descriptor spool_directory::open_file(const std::string& file, int flags) const noexcept {
    return descriptor(::openat(root(), file.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666));
}

int spool_directory::make_directories(const std::string& of_file, const std::function<void(std::string_view parent)>& made) const {
    for (std::size_t end = of_file.find('/'); end != std::string::npos; end = of_file.find('/', end + 1)) {
        const std::string directory = of_file.substr(0, end);
        if (::mkdirat(root(), directory.c_str(), 0777) == 0)
            made(directory_of(directory));
        else if (errno != EEXIST)
            return errno;
    }
    return 0;
}

int spool_directory::rename_new(const std::string& from, const std::string& to) const noexcept {
    if (::renameat2(root(), from.c_str(), root(), to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // A file system that cannot do that in one step. A name that is there is seen by the link as well.
    if (::linkat(root(), from.c_str(), root(), to.c_str(), 0) == 0) return ::unlinkat(root(), from.c_str(), 0), 0;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    if (exists(to)) return EEXIST;
    return answer_of(::renameat(root(), from.c_str(), root(), to.c_str()));
}

int spool_directory::remove(const std::string& file) const noexcept { return answer_of(::unlinkat(root(), file.c_str(), 0)); }

bool spool_directory::exists(const std::string& file) const noexcept {
    return ::faccessat(root(), file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool spool_directory::is_directory(const std::string& file) const noexcept {
    struct stat is {};
    return ::fstatat(root(), file.c_str(), &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(is.st_mode);
}

void spool_directory::remove_empty_directories(std::string_view of_file) const noexcept {
    for (std::string directory(directory_of(of_file)); !directory.empty(); directory = directory_of(directory))
        if (::unlinkat(root(), directory.c_str(), AT_REMOVEDIR) != 0) return;
}

int spool_directory::sync(const std::string& directory) const noexcept {
    const descriptor opened(::openat(root(), directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return errno == ENOENT ? 0 : errno;
    return sync_open(opened);
}

std::string_view directory_of(std::string_view file) noexcept {
    const std::size_t slash = file.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : file.substr(0, slash);
}

int each_entry(int directory, const std::function<void(std::string_view name, bool is_directory)>& visit) {
    descriptor again(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));  // with a position of its own
    if (!again) return errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.number()), ::closedir);
    if (!stream) return errno;
    const int opened = again.release();
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(stream.get());
        if (entry == nullptr) return errno;
        const std::string_view name(entry->d_name);
        if (name == "." || name == "..") continue;
        bool is_directory = entry->d_type == DT_DIR, is_file = entry->d_type == DT_REG;
        if (entry->d_type == DT_UNKNOWN) {
            struct stat is {};
            if (::fstatat(opened, entry->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0) continue;
            is_directory = S_ISDIR(is.st_mode), is_file = S_ISREG(is.st_mode);
        }
        if (is_directory || is_file) visit(name, is_directory);
    }
}

int write_whole(int to, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t size = ::write(to, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return 0;
}

}  // namespace mqb::dir_spool
