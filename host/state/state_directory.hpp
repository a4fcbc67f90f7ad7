// state_directory: the folder in which a host keeps what outlives it: dead letters, sockets, what its instances remember.
#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::state {

// What the directory holds:
//   lock         held by the host that runs on it; its process id
//   format       "mqbridge-state N"
//   letters.db   dead letters; with SQLite's letters.db-wal and letters.db-shm beside it
//   admin.sock   of the host that runs on it
//   instances/   a private folder for each endpoint or middleware
inline constexpr unsigned state_format = 1;

// Where the host keeps its state if nobody says where: /var/lib/mqbridge for root, else $XDG_STATE_HOME/mqbridge, else
// $HOME/.local/state/mqbridge.
[[nodiscard]] core::result<std::filesystem::path> default_state_directory();
// The same from values: `is_root`; null: unset.
[[nodiscard]] core::result<std::filesystem::path> default_state_directory(bool is_root, const char* xdg_state_home, const char* home);

// Thread-safe.
class state_directory {
public:
    // For a host: makes the directory where there is none (mode 0700) and locks it until destruction or the end of the process,
    // however it ends. Fails on a directory of another user, one that others may write to, one that another host uses (the text
    // names its process), one of a later format, and on what the file system refuses.
    [[nodiscard]] static core::result<state_directory> open(const std::filesystem::path& path);
    // For a command beside a host, or without: no lock. Fails where there is no state directory, and as open() does but for the lock;
    // root may visit that of any user.
    [[nodiscard]] static core::result<state_directory> visit(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path letters_file() const { return path_ / "letters.db"; }
    [[nodiscard]] std::filesystem::path socket_file() const { return path_ / "admin.sock"; }
    // The private folder of one endpoint or middleware, made where there is none (mode 0700); the same in every run.
    [[nodiscard]] core::result<std::filesystem::path> instance_directory(std::string_view route, std::string_view endpoint) const;
    // The process that holds the lock, as far as it can be seen: the one that the lock names, if it has that file open. Takes no lock.
    [[nodiscard]] std::optional<int> holder() const;

private:
    // The lock lives as long as the descriptor.
    class open_file {
    public:
        explicit open_file(int fd = -1) noexcept : fd_(fd) {}
        open_file(open_file&& other) noexcept : fd_(other.release()) {}
        open_file& operator=(open_file&& other) noexcept;
        ~open_file();
        [[nodiscard]] int get() const noexcept { return fd_; }
        int release() noexcept;

    private:
        int fd_;
    };
    explicit state_directory(std::filesystem::path path) : path_(std::move(path)) {}
    enum class guest { none, root };  // who may come in besides the owner
    [[nodiscard]] core::result<void> check_owner(guest besides) const;
    [[nodiscard]] core::result<void> lock();
    [[nodiscard]] core::result<unsigned> read_format() const;  // 0: there is none
    [[nodiscard]] core::result<void> write_format() const;

    std::filesystem::path path_;
    open_file lock_;
};

}  // namespace mqb::state
