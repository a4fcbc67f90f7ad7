#include "host/loading/trust.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string_view>
#include <vector>

namespace mqb::loading {

namespace {

namespace fs = std::filesystem;

// A group of one: the user's own group, by the convention of useradd, with no other member.
bool holds_only_owner(gid_t group, uid_t owner) {
    std::vector<char> user_room(16384), group_room(65536);
    passwd user{};
    passwd* user_found = nullptr;
    ::group about{};
    ::group* group_found = nullptr;
    if (::getpwuid_r(owner, &user, user_room.data(), user_room.size(), &user_found) != 0 || !user_found) return false;
    if (::getgrgid_r(group, &about, group_room.data(), group_room.size(), &group_found) != 0 || !group_found) return false;
    if (user.pw_gid != group || std::string_view{user.pw_name} != about.gr_name) return false;
    for (char** member = about.gr_mem; *member; ++member)
        if (std::string_view{*member} != user.pw_name) return false;
    return true;
}

std::string fault_in(const fs::path& path, std::optional<uid_t> also) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) return path.string() + " cannot be looked at";
    const bool is_ours = s.st_uid == 0 || s.st_uid == ::geteuid() || (also && s.st_uid == *also);
    if (!is_ours) return path.string() + " belongs to another user (" + std::to_string(s.st_uid) + ")";
    if (S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) && s.st_uid == 0) return {};  // nobody can replace what is another's in there
    if (s.st_mode & S_IWOTH) return path.string() + " may be written by everybody";
    if ((s.st_mode & S_IWGRP) && s.st_gid != 0 && !holds_only_owner(s.st_gid, s.st_uid))
        return path.string() + " may be written by its group";
    return {};
}

std::optional<uid_t> owner_of(const fs::path& path) {
    struct stat s {};
    if (path.empty() || ::stat(path.c_str(), &s) != 0) return std::nullopt;
    return s.st_uid;
}

}  // namespace

std::string fault_in_owners(const fs::path& file, const fs::path& binary, bool beside_binary) {
    std::error_code e;
    const fs::path real = fs::canonical(file, e);
    if (e) return {};  // the fault is another one, and is found by others
    const std::optional<uid_t> builder = beside_binary ? owner_of(binary) : std::nullopt;
    if (std::string why = fault_in(real, builder); !why.empty()) return why;
    for (fs::path dir = real.parent_path();; dir = dir.parent_path()) {
        if (std::string why = fault_in(dir, builder); !why.empty()) return why;
        if (dir == dir.parent_path()) break;
    }
    // The way by which it was found, where links lead elsewhere.
    for (fs::path dir = fs::absolute(file, e).parent_path(); !e; dir = dir.parent_path()) {
        if (std::string why = fault_in(dir, builder); !why.empty()) return why;
        if (dir == dir.parent_path()) break;
    }
    return {};
}

}  // namespace mqb::loading
