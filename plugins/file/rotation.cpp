#include "rotation.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>

#include <sys/stat.h>

#include <mqb/sdk/status.hpp>

#include "file_name.hpp"
#include "shortage.hpp"

namespace mqb::file {
namespace {

namespace fs = std::filesystem;

// What a rotation put into the name: behind it, or before its extension. Empty: it is no such name.
struct addition {
    std::string_view text;
    bool is_behind = true;
};

bool is_addition(std::string_view text) {
    constexpr std::string_view digits = "0123456789", between = ".-_";
    return text.size() >= 2 && between.find(text.front()) != text.npos && text.find_first_of(digits) != text.npos &&
           text.find_first_not_of("0123456789.-_:TZ") == text.npos;
}

addition added_to(std::string_view name, std::string_view of) {
    if (name.size() <= of.size()) return {};
    if (name.starts_with(of) && is_addition(name.substr(of.size()))) return {name.substr(of.size()), true};
    // Before all of its extension, or before what it is packed in.
    const std::size_t whole = split(of).stem.size(), last = std::min(of.rfind('.'), of.size());
    for (const std::size_t at : {whole, std::max(whole, last)}) {
        if (at == of.size() || !name.starts_with(of.substr(0, at)) || !name.ends_with(of.substr(at))) continue;
        const std::string_view text = name.substr(at, name.size() - of.size());
        if (is_addition(text)) return {text, false};
    }
    return {};
}

// Of `.3` or `-3`; a longer one is a date.
std::optional<unsigned> number_of(std::string_view text) {
    unsigned number = 0;
    if (text.size() < 2 || text.size() > 5) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

std::vector<rotated_file> list(const std::string& path) {
    const std::string name = name_of(path);
    const fs::path folder = fs::path(path).parent_path();
    std::vector<rotated_file> all;
    std::error_code failed;
    fs::directory_iterator each(folder.empty() ? fs::path(".") : folder, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        const std::string other = each->path().filename().string();
        struct stat is {};
        if (!is_rotated_name(other, name)) continue;
        std::string where = (folder / other).string();
        if (::lstat(where.c_str(), &is) != 0 || !S_ISREG(is.st_mode)) continue;
        all.push_back({std::move(where), is.st_dev, is.st_ino, is.st_mtim.tv_sec * 1'000'000'000 + is.st_mtim.tv_nsec});
    }
    // One that may not be looked at has nothing for us; of one that cannot be for now nothing is known.
    if (failed && is_shortage(failed.value()))
        throw sdk::disconnected("cannot look for what was renamed beside file source '", path, "': ", failed.message());
    std::ranges::sort(all, {}, &rotated_file::path);
    return all;
}

// Oldest first: by the last change, and then by their names, of which those with a number say it the other way round.
void sort_by_age(std::vector<rotated_file>& files, const std::string& of) {
    std::ranges::sort(files, {}, [&](const rotated_file& one) {
        const std::string name = name_of(one.path);
        const std::optional<unsigned> number = number_of(added_to(name, of).text);
        return std::tuple(one.changed, -static_cast<std::int64_t>(number.value_or(0)), name);
    });
}

}  // namespace

bool is_rotated_name(std::string_view name, std::string_view of) { return !added_to(name, of).text.empty(); }

std::vector<rotated_file> rotated_files(const std::string& path) {
    // A folder that is read while files in it are renamed may show one of them twice or not at all.
    std::vector<rotated_file> all = list(path);
    for (int attempt = 0; attempt < 8; ++attempt) {
        std::vector<rotated_file> again = list(path);
        if (again == all) break;
        all = std::move(again);
    }
    return all;
}

std::int64_t last_change(const std::vector<rotated_file>& all) {
    std::int64_t last = 0;
    for (const rotated_file& one : all) last = std::max(last, one.changed);
    return last;
}

std::vector<rotated_file> rotated_after(std::int64_t changed, const std::vector<rotated_file>& all, const std::string& path) {
    std::vector<rotated_file> found;
    for (const rotated_file& one : all)
        if (one.changed > changed) found.push_back(one);
    sort_by_age(found, name_of(path));
    return found;
}

// Of one scheme of names: a number becomes larger with each rotation, or it is a new one each time, as a date is.
rotations rotated_since(const rotated_file& first, const std::vector<rotated_file>& all, const std::string& path) {
    const std::string of = name_of(path), first_name = name_of(first.path);
    const addition mine = added_to(first_name, of);
    const std::optional<unsigned> number = number_of(mine.text);
    rotations found;
    std::vector<bool> is_there(number.value_or(0) + 1);
    for (const rotated_file& one : all) {
        const std::string name = name_of(one.path);
        const addition its = added_to(name, of);
        const std::optional<unsigned> its_number = number_of(its.text);
        if (one.path == first.path || its.is_behind != mine.is_behind || its_number.has_value() != number.has_value()) continue;
        if (its_number && *its_number < is_there.size()) is_there[*its_number] = true;
        const bool is_newer = one.changed != first.changed ? one.changed > first.changed
                              : number                     ? *its_number < *number
                                                           : name > first_name;
        if (is_newer) found.files.push_back(one);
    }
    for (unsigned earlier = 1; number && earlier < *number; ++earlier) found.has_gap = found.has_gap || !is_there[earlier];
    sort_by_age(found.files, of);
    return found;
}

}  // namespace mqb::file
