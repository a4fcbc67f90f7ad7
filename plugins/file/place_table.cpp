#include "place_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <mqb/sdk/status.hpp>

#include "file_look.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr std::uint64_t most_head = 1024, most_tail = 64;
constexpr std::uint64_t lines_to_spare = 1000;  // beyond twice the files, before the journal is written anew

std::string reason(int error) { return std::generic_category().message(error); }

// A name without blanks and line feeds.
std::string escaped(const std::string& name) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte > 0x20 && byte != 0x7f && letter != '%')
            out += letter;
        else
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// line := "2 " place device inode born head-size head tail-size tail name sum LF, a blank between each two. A place of 0: the file
// is known no more; of no file: the group has begun. Version 1 has no `born`.
std::string line_of(const file_identity& of, const saved_place& p) {
    const std::string text = sdk::join("2 ", position_text(p.place), " ", of.first, " ", of.second, " ", p.born, " ", p.head_size, " ",
                                       p.head, " ", p.tail_size, " ", p.tail, " ", escaped(p.path), " ");
    return sdk::join(text, checksum(text), "\n");
}

std::optional<std::pair<file_identity, saved_place>> parse(std::string_view line) {
    const std::size_t sum_at = line.rfind(' ');
    const bool has_born = line.starts_with("2 ");
    if ((!has_born && !line.starts_with("1 ")) || sum_at == line.npos) return std::nullopt;
    std::uint64_t sum = 0;
    const char* const end = line.data() + line.size();
    if (const auto [behind, error] = std::from_chars(line.data() + sum_at + 1, end, sum); error != std::errc{} || behind != end)
        return std::nullopt;
    if (checksum(line.substr(0, sum_at + 1)) != sum) return std::nullopt;
    std::array<std::uint64_t, 8> number{};
    const char* at = line.data() + 2;
    for (std::uint64_t& one : number) {
        if (&one == &number[3] && !has_born) continue;
        const auto [behind, error] = std::from_chars(at, end, one);
        if (error != std::errc{} || behind == end || *behind != ' ') return std::nullopt;
        at = behind + 1;
    }
    const char* const name_end = line.data() + sum_at;
    if (at > name_end || number[4] > most_head || number[6] > std::min(most_tail, number[0])) return std::nullopt;
    const std::string_view name(at, static_cast<std::size_t>(name_end - at));
    return std::pair{file_identity{number[1], number[2]},
                     saved_place{number[0], number[4], number[5], number[6], number[7], unescaped(name), number[3]}};
}

}  // namespace

saved_place print_of(const input_file& file, std::uint64_t place) {
    // Of a file of which nothing is dealt with yet the first bytes are known all the same.
    const std::string head = bytes_at(file.descriptor(), 0, std::min(std::max(place, file.size()), most_head));
    const std::uint64_t tail_size = std::min(place, most_tail);
    const std::string tail = bytes_at(file.descriptor(), place - tail_size, tail_size);
    return {place, head.size(), checksum(head), tail.size(), checksum(tail), file.path(), file.born()};
}

bool is_in(const saved_place& place, const input_file& file) {
    const int opened = file.descriptor();
    const auto is_there = [&](std::uint64_t at, std::uint64_t size, std::uint64_t sum) {
        return size == 0 || checksum(bytes_at(opened, at, size)) == sum;
    };
    return file.size() >= place.place && is_there(0, place.head_size, place.head) &&
           is_there(place.place - place.tail_size, place.tail_size, place.tail);
}

bool is_as_old(const saved_place& place, const input_file& file) { return !is_another(place.born, file.born()); }

place_table::place_table(const std::string& file) : path_(file), lock_(file + ".lock") {}

place_table::~place_table() {
    if (journal_ >= 0) ::close(journal_);
}

std::string place_table::open() {
    if (journal_ >= 0) return {};
    const int error = lock_.take();
    if (error == EWOULDBLOCK)
        throw sdk::bad_config("'", path_, "' has a reader already: each group of a folder has one; give this one another `group_id`");
    std::string note;
    if (error != 0) note = sdk::join("'", lock_.path(), "' cannot be locked: ", reason(error));
    journal_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (journal_ < 0) throw sdk::retry_later("cannot write '", path_, "': ", reason(errno));
    std::ifstream from(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(from), {}};
    std::uint64_t damaged = 0;
    has_begun_ = !text.empty();  // whatever it said
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        if (end == text.npos) break;  // of a kill
        const auto one = parse(std::string_view(text).substr(at, end - at));
        if (!one)
            ++damaged;
        else if (one->second.place == 0)
            places_.erase(one->first);
        else
            places_[one->first] = one->second;
        at = end + 1;
    }
    try {
        write_anew();  // whether it can be is known before anything is read
    } catch (...) {
        ::close(std::exchange(journal_, -1));  // the next open() begins anew
        places_.clear();
        has_begun_ = false;
        throw;
    }
    if (damaged > 0) note = sdk::join(damaged, " lines of '", path_, "' are damaged: of these files the places before them count");
    return note;
}

std::optional<saved_place> place_table::place_of(const input_file& file, bool& is_other) const {
    is_other = false;
    auto at = places_.find({file.device(), file.inode()});
    if (at != places_.end() && !is_as_old(at->second, file)) at = places_.end();
    if (at != places_.end() && is_in(at->second, file)) return at->second;
    // A file that was copied here, or restored, under the same name.
    const auto copy = copies_.find(file.path());
    if (copy != copies_.end() && is_in(copy->second.second, file)) return copy->second.second;
    // Another one under another name has the number of one that is gone.
    is_other = at != places_.end() && at->second.path == file.path();
    return std::nullopt;
}

void place_table::expect_copies(const std::vector<std::string>& paths, const finder& path_of) {
    const auto is_at = [](const std::string& path, const saved_place& place) {
        input_file file(path);
        try {
            file.open(true);
            return is_as_old(place, file) && is_in(place, file);
        } catch (const sdk::failure&) { return true; }
    };
    copies_.clear();
    for (const auto& [identity, place] : places_) {
        if (!std::ranges::binary_search(paths, place.path)) continue;
        const std::string now = path_of(identity, place);
        // Renamed, and not another one that has its number.
        if (now == place.path || (!now.empty() && is_at(now, place))) continue;
        auto& copy = copies_[place.path];
        if (place.place > copy.second.place) copy = {identity, place};
    }
}

bool place_table::take_over(const input_file& file, std::uint64_t place) {
    const auto at = places_.find({file.device(), file.inode()});
    if (at != places_.end() && is_as_old(at->second, file)) return true;
    if (!save(file, place)) return false;
    const auto copy = copies_.find(file.path());
    if (copy == copies_.end()) return true;
    forget(copy->second.first);
    copies_.erase(copy);
    return true;
}

// A place of nothing: the next reader of the journal forgets it, too.
void place_table::forget(const file_identity& of) {
    const auto at = places_.find(of);
    if (at == places_.end()) return;
    saved_place none;
    none.path = at->second.path;
    append(of, none);
    places_.erase(at);
}

bool place_table::save(const input_file& file, std::uint64_t place) {
    const saved_place saved = print_of(file, place);
    // Looked at afterwards: if it still is what was read, these were its bytes.
    if (saved.tail_size != std::min(place, most_tail) || !file.mark().holds_in(file.descriptor())) return false;
    const file_identity of{file.device(), file.inode()};
    if (lines_ > 2 * places_.size() + lines_to_spare) write_anew();
    append(of, saved);
    places_[of] = saved;
    return true;
}

void place_table::append(const file_identity& of, const saved_place& place) {
    const std::string line = line_of(of, place);
    int error = write_whole(journal_, line);
    if (error == 0 && ::fdatasync(journal_) != 0) error = errno;
    if (error != 0) {
        (void)!::ftruncate(journal_, static_cast<off_t>(size_));  // half a line would spoil the next one
        throw sdk::retry_later("cannot write '", path_, "': ", reason(error));
    }
    ++lines_;
    size_ += line.size();
    has_begun_ = true;
}

void place_table::set_begun() {
    if (!has_begun_) append({}, {});
}

void place_table::begin_with(std::vector<std::pair<file_identity, saved_place>> places) {
    for (auto& [of, place] : places) places_[of] = std::move(place);
    has_begun_ = true;
    try {
        write_anew();
    } catch (...) {
        has_begun_ = false;  // what has places is given the ones of then when it is tried again
        throw;
    }
}

void place_table::write_anew() {
    std::string text = has_begun_ ? line_of({}, {}) : std::string();
    for (const auto& [of, place] : places_) text += line_of(of, place);
    if (const int error = replace_small_file(path_, text, true); error != 0)
        throw sdk::retry_later("cannot write '", path_, "': ", reason(error));
    const int fresh = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fresh < 0) throw sdk::retry_later("cannot open '", path_, "': ", reason(errno));
    ::close(std::exchange(journal_, fresh));
    sync_directory_of(path_);
    lines_ = places_.size() + (has_begun_ ? 1 : 0);
    size_ = text.size();
}

void place_table::keep_only(const std::vector<file_identity>& there) {
    std::erase_if(places_, [&](const auto& one) { return !std::ranges::binary_search(there, one.first); });
}

}  // namespace mqb::file
