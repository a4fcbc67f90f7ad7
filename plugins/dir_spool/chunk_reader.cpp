#include "chunk_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>

#include <mqb/sdk/uuid.hpp>

namespace mqb::dir_spool {
namespace {

// A UUIDv7 of the time at which the file was written; its random bits come from what tells the file from all others.
sdk::message_id id_of_file(std::string_view path, const struct stat& is) {
    const auto nanoseconds = static_cast<std::uint64_t>(is.st_mtim.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(is.st_mtim.tv_nsec);
    const sdk::message_id mixed = sdk::id_from_text(sdk::join(path, "\n", nanoseconds, "\n", is.st_size));
    sdk::message_id id;
    std::uint64_t random[2];
    std::memcpy(random, mixed.data(), sizeof random);
    // ticket := milliseconds:48 counter:16
    sdk::detail::write_uuid(nanoseconds / 1'000'000 << 16 | (random[0] & 0xffff), random[1], id.data());
    return id;
}

}  // namespace

open_chunk chunk_reader::open(const std::string& payload) const {
    open_chunk one;
    one.payload = spool_.open_file(payload, O_RDONLY);
    struct stat is {};
    if (!one.payload || ::fstat(one.payload.number(), &is) != 0) {
        one.error = errno;
    } else if (!S_ISREG(is.st_mode)) {
        one.error = ENOENT;  // what was listed was a file
    } else {
        one.size = static_cast<std::uint64_t>(is.st_size);
        one.made_id = id_of_file(payload, is);
    }
    return one;
}

std::optional<sdk::message_id> chunk_reader::made_id_of(const std::string& payload) const {
    struct stat is {};
    if (::fstatat(spool_.root(), payload.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    return id_of_file(payload, is);
}

std::int64_t chunk_reader::read(const descriptor& from, char* to, std::uint64_t most) noexcept {
    std::uint64_t all = 0;
    while (all < most) {
        const ssize_t size = ::read(from.number(), to + all, most - all);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return -1;
        if (size == 0) break;
        all += static_cast<std::uint64_t>(size);
    }
    return static_cast<std::int64_t>(all);
}

std::string_view chunk_reader::chunk_of(std::string_view payload) const noexcept {
    const std::string_view directory = directory_of(payload);
    const std::size_t start = directory.empty() ? 0 : directory.size() + 1;
    return payload.substr(0, start + files_.role_of(payload.substr(start)).stem.size());
}

sidecar chunk_reader::read_sidecar_of(const std::string& payload, int& error) {
    error = 0;
    if (!files_.has_sidecars()) return {};
    const descriptor from = spool_.open_file(files_.sidecar(chunk_of(payload)), O_RDONLY);
    if (!from && (errno == ENOENT || errno == ENAMETOOLONG)) return {};  // beside the longest names there is no room for one
    struct stat is {};
    if (!from || ::fstat(from.number(), &is) != 0) return error = errno, sidecar{};
    sidecar broken;
    if (!S_ISREG(is.st_mode)) return broken.why_broken = "it is not a file", broken;
    if (static_cast<std::uint64_t>(is.st_size) > longest_sidecar) return broken.why_broken = "it is too long", broken;
    text_.resize(static_cast<std::size_t>(is.st_size));
    const std::int64_t size = read(from, text_.data(), text_.size());
    if (size < 0) return error = errno, sidecar{};
    sidecar found = read_sidecar(std::string_view(text_).substr(0, static_cast<std::size_t>(size)));
    if (text_.capacity() > std::size_t{1} << 20) std::string{}.swap(text_);
    return found;
}

}  // namespace mqb::dir_spool
