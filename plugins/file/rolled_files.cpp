#include "rolled_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "file_name.hpp"

namespace mqb::file {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t time_size = 20;

}  // namespace

int rename_to_new(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // A file system that cannot do that; no other program makes names like these.
    if (::access(to.c_str(), F_OK) == 0) return EEXIST;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

std::string rolling_time(std::int64_t at_ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> at{milliseconds(at_ms)};
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

std::optional<std::int64_t> rolling_time_of(std::string_view text) {
    using namespace std::chrono;
    if (text.size() != time_size || text[8] != 'T' || text[15] != '.' || text[19] != 'Z') return std::nullopt;
    const auto number = [text](std::size_t at, std::size_t size) -> int {
        const std::string_view digits = text.substr(at, size);
        if (digits.find_first_not_of("0123456789") != std::string_view::npos) return -1;
        int value = -1;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    const int y = number(0, 4), mo = number(4, 2), d = number(6, 2), h = number(9, 2), mi = number(11, 2), s = number(13, 2),
              ms = number(16, 3);
    const year_month_day date(year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d)));
    if (y < 0 || mo < 0 || d < 0 || h < 0 || mi < 0 || s < 0 || ms < 0 || !date.ok()) return std::nullopt;
    return milliseconds(sys_days(date).time_since_epoch() + hours(h) + minutes(mi) + seconds(s) + milliseconds(ms)).count();
}

rolled_files::rolled_files(std::string path) : path_(std::move(path)) { take_apart(path_); }

void rolled_files::take_apart(const std::string& path) {
    const fs::path whole(path);
    file_ = path;
    folder_ = whole.parent_path().empty() ? "." : whole.parent_path().string();
    const std::string name = whole.filename().string();
    const auto [stem, extension] = split(name);
    stem_ = stem;
    extension_ = extension;
}

std::string rolled_files::name_of(std::int64_t at_ms) const { return stem_ + '-' + rolling_time(at_ms) + extension_; }

std::vector<std::string> rolled_files::names() const {
    std::vector<std::string> found;
    std::error_code failed;
    for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (name.size() != stem_.size() + 1 + time_size + extension_.size() || !name.starts_with(stem_ + '-') ||
            !name.ends_with(extension_))
            continue;
        if (rolling_time_of(std::string_view(name).substr(stem_.size() + 1, time_size))) found.push_back(name);
    }
    std::ranges::sort(found);
    return found;
}

void rolled_files::look() {
    std::error_code failed;
    if (fs::is_symlink(path_, failed)) {
        const fs::path meant = fs::canonical(path_, failed);
        if (!failed) take_apart(meant.string());
    }
    if (const auto all = names(); !all.empty())
        last_ms_ = std::max(last_ms_, *rolling_time_of(std::string_view(all.back()).substr(stem_.size() + 1, time_size)));
}

int rolled_files::roll(std::int64_t at_ms) {
    for (std::int64_t at = std::max(at_ms, last_ms_ + 1);; ++at) {
        const int error = rename_to_new(file_, (fs::path(folder_) / name_of(at)).string());
        if (error == EEXIST) continue;
        if (error == 0) last_ms_ = at;
        return error;
    }
}

int rolled_files::remove_beyond(std::size_t most) {
    const auto all = names();
    int error = 0;
    for (std::size_t i = 0; i + most < all.size(); ++i) {
        const int failed = ::unlink((fs::path(folder_) / all[i]).c_str()) == 0 || errno == ENOENT ? 0 : errno;
        if (error == 0) error = failed;
    }
    return error;
}

}  // namespace mqb::file
