#include "small_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "shortage.hpp"

namespace mqb::file {
namespace {

constexpr std::size_t longest = 4096;

}  // namespace

bool may_pass(int error) noexcept {
    constexpr int all[] = {ENOSPC, EDQUOT, EFBIG, EINTR, EAGAIN, EIO, EMFILE, ENFILE, ENOLCK, ENOMEM};
    return std::find(std::begin(all), std::end(all), error) != std::end(all);
}

int write_whole(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = ::write(to, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return 0;
}

std::optional<std::string> read_small_file(const std::string& path) {
    const int from = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from < 0 && errno == ENOENT) return std::nullopt;
    std::string text(longest, '\0');
    ssize_t size = -1;
    if (from >= 0) {
        do size = ::read(from, text.data(), text.size());
        while (size < 0 && errno == EINTR);
    }
    const int error = errno;
    if (from >= 0) ::close(from);
    if (size < 0)
        throw sdk::failure(is_shortage(error) ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("cannot read '", path, "': ", std::generic_category().message(error)));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

int replace_small_file(const std::string& path, std::string_view text, bool synced) {
    const std::string beside = path + ".tmp";
    const int to = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) return errno;
    int error = write_whole(to, text);
    if (error == 0 && synced && ::fdatasync(to) != 0) error = errno;
    if (::close(to) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(beside.c_str());
    return error;
}

int sync_directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    const int error = ::fsync(directory) == 0 ? 0 : errno;
    ::close(directory);
    return error == EINVAL ? 0 : error;  // a file system that has nothing to synchronise there
}

std::uint64_t checksum(std::string_view bytes) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325ULL;
    for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    return sum;
}

std::string position_text(std::uint64_t position) {
    std::array<char, 21> text{};
    std::snprintf(text.data(), text.size(), "%020llu", static_cast<unsigned long long>(position));
    return text.data();
}

std::optional<std::uint64_t> position_from(std::string_view text) {
    std::uint64_t position = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos) return std::nullopt;
    return position;
}

}  // namespace mqb::file
