#include "host/state/state_directory.hpp"

#include "host/state/file_fault.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <charconv>
#include <cstdlib>

namespace mqb::state {

namespace {

namespace fs = std::filesystem;
using core::failure;
using core::result;
using core::status;

constexpr std::string_view format_word = "mqbridge-state ";
constexpr std::string_view advice = "; name another one with --state-dir, MQB_STATE_DIR or the key state_dir";

failure fault(const fs::path& path, const std::string& text) {
    return {status::bad_config, "state directory " + path.string() + ": " + text};
}

failure system_fault(const fs::path& path, std::string_view what, int error = errno) {
    return fault(path, std::string{what} + ": " + std::generic_category().message(error) + std::string{advice});
}

std::string user_name(uid_t id) {
    const passwd* found = ::getpwuid(id);
    return (found ? std::string{found->pw_name} + ' ' : std::string{}) + '(' + std::to_string(id) + ')';
}

// Makes the folder and those above it, for the user alone.
result<void> make_private(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return {};
    if (path.has_parent_path() && path.parent_path() != path)
        if (auto made = make_private(path.parent_path()); !made) return made;
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
    return file_fault(path, "cannot be made");
}

std::string read_small(int fd) {
    std::array<char, 64> text{};
    const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool write_whole(int fd, std::string_view text) {
    return ::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

// A file name that says what it stands for and cannot leave its folder.
std::string folder_name(std::string_view text) {
    constexpr std::size_t longest = 200;
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        hash = (hash ^ c) * 1099511628211u;
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || (c == '.' && i > 0);
        if (is_plain)
            out += text[i];
        else
            out.append({'%', digits[c >> 4], digits[c & 15]});
    }
    if (out.empty()) return "%";
    if (out.size() > longest) out = out.substr(0, longest) + "%%" + std::to_string(hash);
    return out;
}

}  // namespace

result<fs::path> default_state_directory(bool is_root, const char* xdg_state_home, const char* home) {
    const auto is_path = [](const char* text) { return text && fs::path{text}.is_absolute(); };  // others are ignored: XDG says so
    if (is_root) return fs::path{"/var/lib/mqbridge"};
    if (is_path(xdg_state_home)) return fs::path{xdg_state_home} / "mqbridge";
    if (is_path(home)) return fs::path{home} / ".local/state/mqbridge";
    return failure{status::bad_config,
                   "no place for the state directory: neither XDG_STATE_HOME nor HOME is an absolute path" + std::string{advice}};
}

result<fs::path> default_state_directory() {
    return default_state_directory(::geteuid() == 0, std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
}

state_directory::open_file& state_directory::open_file::operator=(open_file&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

state_directory::open_file::~open_file() {
    if (fd_ >= 0) ::close(fd_);
}

int state_directory::open_file::release() noexcept { return std::exchange(fd_, -1); }

result<state_directory> state_directory::open(const fs::path& path) {
    state_directory out{fs::absolute(path)};
    if (auto made = make_private(out.path_); !made) return fault(out.path_, made.error().text + std::string{advice});
    if (auto checked = out.check_owner(guest::none); !checked) return checked.error();
    if (auto locked = out.lock(); !locked) return locked.error();
    const auto format = out.read_format();
    if (!format) return format.error();
    if (*format == 0)
        if (auto written = out.write_format(); !written) return written.error();
    return out;
}

result<state_directory> state_directory::visit(const fs::path& path) {
    state_directory out{fs::absolute(path)};
    std::error_code ignored;
    if (!fs::exists(out.path_, ignored)) return fault(out.path_, "does not exist: no mqbridge has run with it");
    if (auto checked = out.check_owner(guest::root); !checked) return checked.error();
    if (const auto format = out.read_format(); !format) return format.error();
    return out;
}

result<void> state_directory::check_owner(guest besides) const {
    struct stat found {};
    if (::stat(path_.c_str(), &found) != 0) return system_fault(path_, "cannot be read");
    if (!S_ISDIR(found.st_mode)) return fault(path_, "is not a directory" + std::string{advice});
    const bool is_guest = besides == guest::root && ::geteuid() == 0;
    if (found.st_uid != ::geteuid() && !is_guest)
        return fault(path_, "belongs to user " + user_name(found.st_uid) + ", and this process runs as " + user_name(::geteuid()) +
                                std::string{advice});
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return fault(path_, "others may write to it: chmod 700 " + path_.string());
    if (::access(path_.c_str(), R_OK | W_OK | X_OK) != 0) return system_fault(path_, "cannot be written");
    return {};
}

result<void> state_directory::lock() {
    const fs::path file = path_ / "lock";
    open_file opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (opened.get() < 0) return system_fault(path_, "cannot be locked");
    while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return system_fault(path_, "cannot be locked");
        std::string process = read_small(opened.get());
        process.erase(std::min(process.find('\n'), process.size()));
        return fault(path_, "another mqbridge runs on it (process " + (process.empty() ? "unknown" : process) +
                                "): stop that one, or give this one a directory of its own with --state-dir");
    }
    if (!write_whole(opened.get(), std::to_string(::getpid()) + '\n')) return system_fault(path_, "cannot be written");
    lock_ = std::move(opened);
    return {};
}

result<unsigned> state_directory::read_format() const {
    const open_file file{::open((path_ / "format").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (file.get() < 0) {
        if (errno == ENOENT) return 0u;
        return system_fault(path_, "its format cannot be read");
    }
    const std::string text = read_small(file.get());
    unsigned number = 0;
    if (text.starts_with(format_word)) std::from_chars(text.data() + format_word.size(), text.data() + text.size(), number);
    if (number == 0) return fault(path_, "its file \"format\" does not say \"" + std::string{format_word} + "N\"" + std::string{advice});
    if (number > state_format)
        return fault(path_, "was written by a later mqbridge: it has format " + std::to_string(number) +
                                ", and this program knows formats up to " + std::to_string(state_format) + std::string{advice});
    return number;
}

// Either the whole file is there after a crash or none.
result<void> state_directory::write_format() const {
    const fs::path fresh = path_ / "format.new";
    const open_file file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    const std::string text = std::string{format_word} + std::to_string(state_format) + '\n';
    if (file.get() < 0 || !write_whole(file.get(), text) || ::fsync(file.get()) != 0 ||
        ::rename(fresh.c_str(), (path_ / "format").c_str()) != 0)
        return system_fault(path_, "its format cannot be written");
    const open_file folder{::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.get() < 0 || ::fsync(folder.get()) != 0) return system_fault(path_, "its format cannot be written");
    return {};
}

result<fs::path> state_directory::instance_directory(std::string_view route, std::string_view endpoint) const {
    fs::path out = path_ / "instances" / folder_name(route) / folder_name(endpoint);
    if (auto made = make_private(out); !made) return fault(path_, made.error().text);
    return out;
}

// What the lock says may be of a host that was killed, and its number that of any process by now.
std::optional<int> state_directory::holder() const {
    struct stat lock {};
    int process = 0;
    {
        const open_file file{::open((path_ / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
        if (file.get() < 0 || ::fstat(file.get(), &lock) != 0) return std::nullopt;
        const std::string text = read_small(file.get());
        std::from_chars(text.data(), text.data() + text.size(), process);
    }
    if (process <= 0) return std::nullopt;
    std::error_code failed;
    for (fs::directory_iterator each{"/proc/" + std::to_string(process) + "/fd", failed}; !failed && each != fs::directory_iterator{};
         each.increment(failed)) {
        struct stat open {};
        if (::stat(each->path().c_str(), &open) == 0 && open.st_dev == lock.st_dev && open.st_ino == lock.st_ino) return process;
    }
    return std::nullopt;
}

}  // namespace mqb::state
