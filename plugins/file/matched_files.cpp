#include "matched_files.hpp"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "file_look.hpp"
#include "path_pattern.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr std::size_t most_open = 64;               // files with something unsettled, and the one that is read
constexpr std::size_t most_files = 100'000;         // of which something is remembered
constexpr std::size_t places_to_spare = 1000;       // of files that are gone, which may be renamed back
constexpr std::uint64_t least_pause = 100'000'000;  // ns, between two lists

// Behind the last whole record before this byte; the byte itself where that is far before.
std::uint64_t end_of_records(const input_file& file, std::uint64_t before, char delimiter) {
    constexpr std::uint64_t most = 1 << 20;
    before = std::min(before, file.size());
    const std::uint64_t from = before - std::min(before, most);
    const std::size_t end = bytes_at(file.descriptor(), from, before - from).rfind(delimiter);
    return end == std::string::npos ? (from == 0 ? 0 : before) : from + end + 1;
}

constexpr auto identity_of = [](const input_file& file) { return file_identity{file.device(), file.inode()}; };

}  // namespace

matched_files::matched_files(const config& chosen, sdk::host_ref host, bool drains)
    : config_(chosen), host_(host), drains_(drains), is_packed_(!chosen.packed().is_plain()) {
    if (chosen.is_group()) table_.emplace(pattern_folder(chosen.path) + "/." + *chosen.group_id + ".offsets");
}

bool matched_files::open() {
    if (is_open()) {
        current().bytes.reopen();
        return false;
    }
    // Where in a packed file it was read on would have to be kept in its text.
    if (!drains_ && is_packed_)
        throw sdk::bad_config(config_.encryption ? "encryption" : "compression",
                              ": of several files such an input is read in a drain only, in which each is read once; '", config_.path,
                              "' is a pattern");
    if (table_) {
        const std::string note = table_->open();
        if (!note.empty()) host_.warning("file source '", config_.path, "': ", note);
        if (!has_listed_) is_new_group_ = !table_->has_begun();
    }
    if (next_.empty() && (drains_ || !has_listed_ || host_.now() - listed_ >= pause_)) list();
    begin_at_ends();
    while (!next_.empty() && files_.empty())
        if (file first = open_next()) files_.push_back(std::move(first));
    set_begun();
    return is_open();
}

// The ends at which a tail begins are saved at once, and before anything is read: a kill in between would leave the next start at later ones.
void matched_files::begin_at_ends() {
    if (!table_ || table_->has_begun() || !begins_at_end()) return;
    std::vector<std::pair<file_identity, saved_place>> ends;
    for (const file_identity& identity : next_) {
        const known& one = all_.at(identity);
        input_file bytes(one.path);
        try {
            bytes.open(false);
        } catch (const sdk::failure&) { continue; }  // told when it is to be read
        if (identity_of(bytes) != identity) continue;
        saved_place end = go_to_end(bytes, one.first_size);
        if (end.place > 0 && !bytes.is_cut()) ends.emplace_back(identity, std::move(end));
    }
    table_->begin_with(std::move(ends));
}

// As it was at the first list: what came since is read.
saved_place matched_files::go_to_end(input_file& bytes, std::uint64_t first_size) const {
    bytes.go_to(std::min(first_size, bytes.size()));
    bytes.go_back(end_of_records(bytes, first_size, config_.delimiter_byte()));
    return print_of(bytes, bytes.position());
}

// All that was there at the start has its place: what comes from here on is new, in the next run too.
void matched_files::set_begun() {
    if (table_ && next_.empty()) table_->set_begun();
}

// All that match now, and of these in next_ those that have something to read.
void matched_files::list() {
    const bool is_first = !std::exchange(has_listed_, true);
    listed_ = host_.now();
    const std::vector<std::string> paths = matching_paths(config_.path, drains_);
    // Of many files the list is not most of the work.
    pause_ = std::max(least_pause, 20 * (host_.now() - listed_));
    if (paths.size() > most_files) throw sdk::bad_config("path: more than ", most_files, " files match '", config_.path, "'");
    for (auto& [identity, one] : all_) one.is_there = false;
    next_.clear();
    for (const std::string& path : paths) {
        const std::optional<file_look> is = look_at_path(path);
        if (!is || !is->is_regular) continue;
        const file_identity identity{is->device, is->inode};
        known& one = all_[identity];
        if (one.is_there) continue;                    // another name of the same file
        if (is_another(one.born, is->born)) one = {};  // the one of before is gone
        one.is_there = true;
        one.born = is->born;
        one.path = path;
        if (is_first) one.first_size = is->size;
        one.changed = is->changed;
        const bool is_as_read = is->size == one.read_size && one.changed == one.read_changed;
        const bool is_done = is_as_read || (is_packed_ && one.read_size > 0);
        if (!is_done && !is_ahead(identity) && is->size > 0) next_.push_back(identity);
    }
    std::vector<file_identity> there;
    std::erase_if(all_, [&](const auto& one) { return !one.second.is_there && !is_in_files(one.first); });
    for (const auto& [identity, one] : all_) there.push_back(identity);
    if (table_ && is_first)
        table_->expect_copies(paths, [this](const file_identity& of, const saved_place& place) {
            const auto at = all_.find(of);
            return at == all_.end() || is_another(at->second.born, place.born) ? std::string() : at->second.path;
        });
    if (table_ && table_->size() > 2 * there.size() + places_to_spare) table_->keep_only(there);
}

// It is the one that is read, or one that follows.
bool matched_files::is_ahead(const file_identity& of) const {
    return std::any_of(files_.begin() + static_cast<std::ptrdiff_t>(std::min(reading_, files_.size())), files_.end(),
                       [&](const file& one) { return !one->lost && identity_of(one->bytes) == of; });
}

bool matched_files::is_in_files(const file_identity& of) const {
    return std::ranges::any_of(files_, [&](const file& one) { return identity_of(one->bytes) == of; });
}

matched_files::file matched_files::open_next() {
    const file_identity identity = next_.front();
    next_.pop_front();
    const auto at = all_.find(identity);
    if (at == all_.end()) return nullptr;
    known& one = at->second;
    file opened = std::make_unique<read_file>(one.path, ++last_number_);
    input_file& bytes = opened->bytes;
    try {
        bytes.open(false);
    } catch (const sdk::failure& failed) {
        host_.warning(failed.what());  // the next list tries again
        return nullptr;
    }
    if (identity_of(bytes) != identity || is_another(one.born, bytes.born())) return nullptr;
    const bool is_there = one.is_new ? find_start(one, bytes) : is_in(one.print, bytes);
    // The file may be cut at any time: its mark is taken before it is seen, once more, to be the one of which the place is.
    bytes.go_to(one.print.place);
    const bool is_read = is_there && is_in(one.print, bytes);
    // Of a copy, and of the end at which a group begins.
    if (is_read && one.is_new && table_ && one.print.place > 0) table_->take_over(bytes, one.print.place);
    opened->is_first_of_path = is_new_path(one.path) && one.is_new;
    one.is_new = false;
    if (!is_read) {
        host_.warning("file source '", one.path, "' was truncated or replaced: it is read from its beginning");
        one.print = {};
        next_.push_front(identity);
        return nullptr;
    }
    one.print.path.clear();
    if (one.print.place > 0 && one.print.place == bytes.size()) {
        one.read_size = one.print.place;
        one.read_changed = one.changed;
        return nullptr;
    }
    opened->settled = one.print.place;
    return opened;
}

// Where reading of a file begins that was not opened before. False: it is known, and is another one by now.
bool matched_files::find_start(known& of, input_file& bytes) {
    bool is_other = false;
    if (std::optional<saved_place> saved = table_ ? table_->place_of(bytes, is_other) : std::nullopt) {
        of.print = *std::move(saved);
    } else if (!is_other && of.first_size > 0 && begins_at_end()) {
        of.print = go_to_end(bytes, of.first_size);
        if (bytes.is_cut()) return false;
    }
    return !is_other;
}

// Once too many are known, none is.
bool matched_files::is_new_path(const std::string& path) {
    return read_paths_.size() < most_files && read_paths_.insert(checksum(path)).second;
}

bool matched_files::begins_at_end() const {
    return config_.mode == read_mode::subscribe || (table_ && config_.read_from_tail && is_new_group_);
}

matched_files::sight matched_files::look(std::uint64_t unread) {
    read_file& now = current();
    const bool is_cut = now.bytes.is_cut();
    left_at_ = drains_ || is_cut ? now.bytes.position() : now.bytes.position() - unread;
    const sight next = drains_ || is_cut ? sight::ended : sight::moved;
    if (reading_ + 1 < files_.size()) return next;
    if (is_cut && !now.lost) {
        set_lost(now);
        next_.push_front(identity_of(now.bytes));
    }
    set_begun();
    if (next_.empty()) {
        if (!drains_ && host_.now() - listed_ < pause_) return sight::nothing;
        list();
    }
    while (!next_.empty()) {
        if (files_.size() >= most_open) return sight::full;
        file opened = open_next();
        if (!opened) continue;
        files_.push_back(std::move(opened));
        return next;
    }
    return sight::nothing;
}

void matched_files::set_lost(read_file& cut) {
    host_.warning("file source '", cut.bytes.path(), "' was truncated; what came to it between the last look and that is missing, if ",
                  "anything did. It is read from its beginning");
    cut.lost = true;
    if (const auto at = all_.find(identity_of(cut.bytes)); at != all_.end()) at->second.print = {}, at->second.read_size = 0;
}

void matched_files::proceed() {
    read_file& left = current();
    if (const auto at = all_.find(identity_of(left.bytes)); at != all_.end() && !left.lost) {
        known& one = at->second;
        one.print = print_of(left.bytes, left_at_);
        one.print.path.clear();
        one.read_size = left.bytes.position();
        one.read_changed = one.changed;
        // Looked at afterwards: if it still is what was read, these were its bytes.
        if (left.bytes.is_cut()) set_lost(left);
    }
    ++reading_;
    leave_settled();
}

void matched_files::leave_settled() noexcept {
    while (reading_ > 0 && (!keeps_place() || files_.front()->unsettled == 0)) {
        files_.pop_front();
        --reading_;
    }
}

void matched_files::settle(std::uint64_t number, std::uint64_t end, std::uint32_t messages) {
    const auto at = std::ranges::find_if(files_, [&](const file& one) { return one->number == number; });
    if (at == files_.end()) return;
    read_file& of = **at;
    if (!of.lost && table_->save(of.bytes, end)) of.settled = end;
    of.unsettled -= std::min<std::uint64_t>(of.unsettled, messages);
    leave_settled();
}

void matched_files::rewind() {
    reading_ = 0;
    for (const file& one : files_) one->unsettled = 0;
    for (std::size_t i = 0; i < files_.size();) {
        // What cannot be read again, and a file that was opened again for what came to it: the first time reads that too.
        const bool is_double = std::any_of(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const file& before) { return identity_of(before->bytes) == identity_of(files_[i]->bytes); });
        if ((files_[i]->lost || is_double) && files_.size() > 1)
            files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(i));
        else
            files_[i]->bytes.go_back(files_[i]->settled), ++i;
    }
}

std::uint64_t matched_files::behind(std::uint64_t place) {
    std::uint64_t bytes = 0;
    const auto add = [&](std::uint64_t size, std::uint64_t from) { bytes += size > from ? size - from : 0; };
    add(current().bytes.size(), place);
    for (std::size_t i = reading_ + 1; i < files_.size(); ++i) add(files_[i]->bytes.size(), files_[i]->bytes.position());
    for (const file_identity& identity : next_) {
        struct stat is {};
        const known& one = all_.at(identity);
        if (::stat(one.path.c_str(), &is) == 0) add(static_cast<std::uint64_t>(is.st_size), one.print.place);
    }
    return bytes;
}

}  // namespace mqb::file
