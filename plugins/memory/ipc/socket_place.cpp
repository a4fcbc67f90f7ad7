#include "socket_place.hpp"

#include <mqb/sdk/status.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

namespace mqb::memory {

namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_writable(const std::string& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

// Why a folder cannot hold named sockets; nothing: it can.
std::optional<std::string> trouble_with(const std::string& folder, bool makes) {
    struct stat found {};
    if (::lstat(folder.c_str(), &found) != 0) {
        if (errno != ENOENT) return error_text(errno);
        if (!is_writable(folder_of(folder))) return "cannot be made: " + error_text(errno);
        if (!makes) return {};
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return "cannot be made: " + error_text(errno);
        if (::lstat(folder.c_str(), &found) != 0) return error_text(errno);
    }
    if (!S_ISDIR(found.st_mode)) return "is not a directory";
    if (found.st_uid != ::geteuid()) return sdk::join("belongs to user ", found.st_uid, ", not to ", ::geteuid());
    if (found.st_mode & 022) return "others may write in it: chmod 0700";
    if (!is_writable(folder)) return error_text(errno);
    return {};
}

void make_folders(const std::string& folder) {
    struct stat found {};
    if (folder.empty() || ::stat(folder.c_str(), &found) == 0) return;
    make_folders(folder_of(folder));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw sdk::bad_config("cannot make ", folder, ": ", error_text(errno));
}

// Of an explicit path: root's folders and those that all share, like /tmp, will do; one where anybody may replace files will not.
void check_folder(const std::string& folder) {
    struct stat found {};
    if (::stat(folder.c_str(), &found) != 0) throw sdk::bad_config(folder, ": ", error_text(errno));
    if (!S_ISDIR(found.st_mode)) throw sdk::bad_config(folder, " is not a directory");
    if (found.st_uid != 0 && found.st_uid != ::geteuid())
        throw sdk::bad_config(folder, " belongs to user ", found.st_uid, ", neither to root nor to ", ::geteuid());
    if ((found.st_mode & S_IWOTH) && !(found.st_mode & S_ISVTX))
        throw sdk::bad_config(folder, ": everybody may replace files in it: chmod o-w, or give it the sticky bit");
}

sockaddr_un name_of(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.size() > longest_socket_path)
        throw sdk::bad_config("the path ", path, " has ", path.size(), " bytes; a socket path has at most ", longest_socket_path);
    std::memcpy(name.sun_path, path.data(), path.size());
    return name;
}

descriptor make_socket() {
    descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made) throw sdk::retry_later("no socket: ", error_text(errno));
    return made;
}

int try_connect(int fd, const std::string& path) {
    const sockaddr_un name = name_of(path);
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 ? 0 : errno;
}

std::string_view kind_of(mode_t mode) {
    if (S_ISREG(mode)) return "a regular file";
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISLNK(mode)) return "a symbolic link";
    return "no socket";
}

}  // namespace

std::string error_text(int error) { return std::system_category().message(error); }

std::vector<std::string> socket_folders() {
    std::vector<std::string> all{"/run/mq-bridge"};
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/') all.push_back(std::string(runtime) + "/mq-bridge");
    all.emplace_back("/tmp/mq-bridge");
    return all;
}

std::string socket_path(const address& of, bool makes, const std::vector<std::string>& folders) {
    if (of.what == address::kind::socket_path) {
        const std::string folder = folder_of(of.name);
        if (makes) {
            make_folders(folder);
            check_folder(folder);
        }
        return of.name;
    }
    std::string all;
    for (const std::string& folder : folders) {
        const auto trouble = trouble_with(folder, makes);
        if (!trouble) return folder + "/" + of.name + ".sock";
        all += (all.empty() ? "" : "; ") + folder + " " + *trouble;
    }
    throw sdk::bad_config("no folder for the socket \"", of.name, "\": ", all);
}

listening_socket::listening_socket(const std::string& path) : path_(path), lock_path_(path + ".lock") {
    name_of(path_);
    lock();
    try {
        bind();
    } catch (...) {
        ::unlink(lock_path_.c_str());
        throw;
    }
}

listening_socket::~listening_socket() {
    struct stat found {};
    if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_) ::unlink(path_.c_str());
    ::unlink(lock_path_.c_str());  // before it is given up, so that nobody can hold it under this name
}

void listening_socket::lock() {
    for (;;) {
        lock_ = descriptor(::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
        if (!lock_) throw sdk::bad_config(lock_path_, ": ", error_text(errno));
        struct stat ours {
        }, listed{};
        if (::fstat(lock_.get(), &ours) != 0) throw sdk::retry_later(lock_path_, ": ", error_text(errno));
        if (!S_ISREG(ours.st_mode) || ours.st_size != 0) throw sdk::bad_config(lock_path_, " is not a lock of ours: move it away");
        if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) throw sdk::retry_later(path_, " is in use: another consumer listens there");
        // Whoever had it may have removed the file between the two calls.
        if (::lstat(lock_path_.c_str(), &listed) == 0 && listed.st_ino == ours.st_ino && listed.st_dev == ours.st_dev) return;
    }
}

void listening_socket::bind() {
    struct stat found {};
    if (::lstat(path_.c_str(), &found) == 0) {
        if (!S_ISSOCK(found.st_mode)) throw sdk::bad_config(path_, " is ", kind_of(found.st_mode), ", not a socket: move it away");
        const descriptor probe = make_socket();
        const int answer = try_connect(probe.get(), path_);
        if (answer == 0 || answer == EAGAIN) throw sdk::retry_later(path_, " is in use: another program listens there");
        if (answer != ECONNREFUSED && answer != ENOENT) throw sdk::bad_config(path_, ": ", error_text(answer));
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT)
            throw sdk::bad_config("cannot remove the stale ", path_, ": ", error_text(errno));
    }
    socket_ = make_socket();
    const sockaddr_un name = name_of(path_);
    // Before the bind: there is no moment in which others could connect.
    if (::fchmod(socket_.get(), 0600) != 0) throw sdk::retry_later("socket: ", error_text(errno));
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
        if (errno == EADDRINUSE) throw sdk::retry_later(path_, " is in use: another program listens there");
        throw sdk::bad_config("cannot listen at ", path_, ": ", error_text(errno));
    }
    if (::lstat(path_.c_str(), &found) == 0) device_ = found.st_dev, inode_ = found.st_ino;
    if (::listen(socket_.get(), 128) != 0) {
        const int error = errno;
        ::unlink(path_.c_str());
        throw sdk::retry_later("cannot listen at ", path_, ": ", error_text(error));
    }
}

descriptor connect_to(const std::string& path) {
    descriptor made = make_socket();
    if (const int error = try_connect(made.get(), path)) {
        if (error == ENOENT || error == ECONNREFUSED)
            throw sdk::retry_later("nobody listens at ", path, " (", error_text(error), "): start the consumer");
        throw sdk::retry_later("cannot connect to ", path, ": ", error_text(error));
    }
    const peer other = peer_of(made.get());
    if (other.user != ::geteuid())
        throw sdk::retry_later("the listener at ", path, " belongs to user ", other.user, ", not to ", ::geteuid());
    return made;
}

peer peer_of(int fd) {
    ucred found{};
    socklen_t size = sizeof found;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return {0, UINT32_MAX};
    return {found.pid, found.uid};
}

}  // namespace mqb::memory
