#include "part_directory.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "rolled_files.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "part-";
constexpr std::string_view unfinished = ".tmp";

// <source>-<partition>, what the names of the parts of one source have in common.
void put_key(std::string& to, std::string_view source, std::uint64_t partition) {
    std::array<char, 20> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), partition).ptr;
    const auto size = static_cast<std::size_t>(end - digits.data());
    to.assign(source).append("-").append(size < 10 ? 10 - size : 0, '0').append(digits.data(), size);
}

std::optional<std::uint64_t> digits_of(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Those that have to be made for this one.
std::vector<std::string> missing_folders(const std::string& path) {
    std::vector<std::string> all;
    std::error_code failed;
    fs::path at = fs::absolute(path, failed).lexically_normal();
    if (!at.has_filename()) at = at.parent_path();
    for (; at.has_relative_path() && !fs::exists(at, failed) && !failed; at = at.parent_path()) all.push_back(at.string());
    return all;
}

}  // namespace

part_directory::part_directory(std::string path, std::string extension)
    : path_(std::move(path)), extension_(std::move(extension)), lock_([this] {
          std::string beside = path_;
          while (beside.size() > 1 && beside.ends_with('/')) beside.pop_back();
          return beside + ".writing";
      }()) {}

void part_directory::open(bool durable) {
    drop();
    std::error_code failed;
    for (std::string& one : missing_folders(path_)) unsynced_.push_back(std::move(one));
    fs::create_directories(path_, failed);
    if (!fs::is_directory(path_)) {
        const bool may_pass = failed == std::errc::no_space_on_device;
        throw sdk::failure(may_pass ? sdk::status::retry : sdk::status::bad_config,
                           sdk::join("cannot make the directory of parts '", path_, "': ", failed ? failed.message() : "it is a file"));
    }
    for (; durable && !unsynced_.empty(); unsynced_.pop_back())
        if (const int error = sync_directory_of(unsynced_.back()); error != 0)
            throw sdk::failure(error == EACCES ? sdk::status::bad_config : sdk::status::retry,
                               sdk::join("the folder of '", unsynced_.back(),
                                         "' cannot be synchronised, as `fsync` wants it: ", std::generic_category().message(error)));
    if (const int error = lock_.take(); error != 0)
        throw sdk::failure(error == ENOSPC ? sdk::status::retry : sdk::status::bad_config,
                           error == EWOULDBLOCK ? sdk::join("the directory of parts '", path_, "' is written by another publisher")
                                                : sdk::join("cannot write '", lock_.path(), "': ", std::generic_category().message(error)));
    look();
}

void part_directory::look() {
    parts_.clear();
    std::error_code failed;
    for (fs::directory_iterator at(path_, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string file = at->path().filename().string();
        std::string_view name = file;
        if (!name.starts_with(prefix)) continue;
        if (name.ends_with(unfinished)) {
            ::unlink(at->path().c_str());
            continue;
        }
        // A part of another format or packing holds the same messages.
        constexpr std::size_t positions = 1 + 20 + 1 + 20;
        const std::size_t dot = name.find('.', name.rfind('-'));
        name = name.substr(prefix.size(), dot == std::string_view::npos ? dot : dot - prefix.size());
        if (name.size() < positions + 11) continue;
        const std::string_view numbers = name.substr(name.size() - positions);
        const auto first = digits_of(numbers.substr(1, 20)), last = digits_of(numbers.substr(22));
        if (numbers[0] != '-' || numbers[21] != '-' || !first || !last || *first > *last) continue;
        add(parts_[std::string(name.substr(0, name.size() - positions))], *first, *last);
    }
    if (failed) throw sdk::retry_later("cannot read the directory of parts '", path_, "': ", failed.message());
}

// Those that touch become one, so that a source that was read from its beginning takes one place, however many parts it has.
void part_directory::add(ranges& to, std::uint64_t first, std::uint64_t last) {
    auto at = to.upper_bound(first);
    if (at != to.begin()) {
        const auto before = std::prev(at);
        if (before->second >= first || before->second + 1 == first) {
            first = before->first;
            last = std::max(last, before->second);
            at = to.erase(before);
        }
    }
    while (at != to.end() && (at->first <= last || at->first == last + 1)) {
        last = std::max(last, at->second);
        at = to.erase(at);
    }
    to.emplace(first, last);
}

bool part_directory::has(const source_position& at) const {
    if (is_begun() && at.partition == partition_ && at.source == source_ && at.number >= first_ && at.number <= last_) return true;
    put_key(key_, at.source, at.partition);
    const auto of = parts_.find(key_);
    if (of == parts_.end()) return false;
    const auto behind = of->second.upper_bound(at.number);
    return behind != of->second.begin() && std::prev(behind)->second >= at.number;
}

int part_directory::begin(const source_position& at) {
    source_ = at.source;
    partition_ = at.partition;
    first_ = last_ = at.number;
    put_key(key_, source_, partition_);
    begun_ = (fs::path(path_) / sdk::join(prefix, key_, "-", position_text(first_), unfinished)).string();
    descriptor_ = ::open(begun_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return descriptor_ >= 0 ? 0 : errno;
}

bool part_directory::continues(const source_position& at) const noexcept {
    return is_begun() && at.number == last_ + 1 && at.partition == partition_ && at.source == source_;
}

int part_directory::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = ::write(descriptor_, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return 0;
}

int part_directory::finish() {
    // A name that is there says that all of it is: after a power cut, too.
    int error = ::fdatasync(descriptor_) == 0 ? 0 : errno;
    if (::close(std::exchange(descriptor_, -1)) != 0 && error == 0) error = errno;
    put_key(key_, source_, partition_);
    const std::string name = sdk::join(prefix, key_, "-", position_text(first_), "-", position_text(last_), ".", extension_);
    if (error == 0) error = rename_to_new(begun_, (fs::path(path_) / name).string());
    if (error != 0) ::unlink(begun_.c_str());
    if (error == EEXIST) error = 0;
    if (error == 0) add(parts_[key_], first_, last_);
    return error;
}

void part_directory::drop() noexcept {
    if (descriptor_ < 0) return;
    ::close(std::exchange(descriptor_, -1));
    ::unlink(begun_.c_str());
}

int part_directory::sync() const { return sync_directory_of((fs::path(path_) / "x").string()); }

}  // namespace mqb::file
