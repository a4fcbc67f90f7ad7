// With which file a followed path begins, and what comes before it: a group over a restart, and what had the name while there was no file, or
// nothing in it by which one could be known.
#include <algorithm>
#include <iterator>

#include <sys/stat.h>

#include "followed_path.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

constexpr int most_attempts = 8;  // while somebody cuts the file that is looked at

}  // namespace

followed_path::followed_path(const config& chosen, sdk::host_ref host, bool drains) : config_(chosen), host_(host), drains_(drains) {
    if (chosen.is_group())
        place_.emplace(sdk::join(chosen.path, ".", *chosen.group_id, ".offset"),
                       "each group of a file has one; give this one another `group_id`");
    else if (chosen.remove && chosen.mode == read_mode::consume)
        place_.emplace(chosen.path + ".consumed", "where records are deleted there is one");
}

bool followed_path::open() {
    if (is_open()) {
        current().bytes.reopen();
        return false;
    }
    look_beside();
    try {
        if (place_)
            open_saved();
        else
            open_unsaved();
    } catch (...) {
        files_.clear();  // the next attempt begins anew
        throw;
    }
    if (config_.remove) share_front(current());
    return true;
}

// Before the first look at a file of which nothing may be known yet: what comes beside it later has had its name since.
void followed_path::look_beside() {
    struct stat is {};
    if (beside_ || config_.remove || config_.path == standard_input) return;
    if (place_ || (!drains_ && (::stat(config_.path.c_str(), &is) != 0 || is.st_size == 0)))
        beside_ = last_change(rotated_files(config_.path));
}

followed_path::file followed_path::make_first() {
    file first = make(config_.path);
    first->beside = beside_.value_or(0);
    return first;
}

void followed_path::open_first(read_file& first) {
    try {
        first.bytes.open(drains_);
    } catch (const sdk::failure& failed) {
        was_missing_ = was_missing_ || (failed.answer == sdk::status::retry && first.bytes.descriptor() < 0);
        throw;
    }
    first.was_empty = beside_ && first.bytes.size() == 0;
}

void followed_path::open_saved() {
    const std::string why_not_alone = place_->keep_alone();
    if (!why_not_alone.empty())
        host_.warning("file source '", config_.path, "': ", why_not_alone, "; another reader of the group would not be noticed");
    file first = make_first();
    std::optional<sdk::failure> missing;
    group_position::start start;
    try {
        open_first(*first);
        start = go_to_saved(first->bytes);
    } catch (const sdk::failure& failed) {
        if (first->bytes.descriptor() >= 0 || failed.answer == sdk::status::disconnected) throw;
        missing = failed;
    }
    const auto last = place_->last_read();
    const bool is_unknown = last && (missing || start.is_other || !last->has_content);
    if (is_unknown && !last->has_content && open_after(*last)) return;
    group_position::start moved_start;
    if (last && (is_unknown || last->inode != first->bytes.inode())) {
        if (file moved = find_moved(moved_start)) {
            host_.info("file source '", config_.path, "' was renamed: what is left of it is read from '", moved->bytes.path(), "'");
            start = moved_start;
            first = std::move(moved);
            missing.reset();
        }
    }
    // After a kill in the middle of a cut the position is still that in the file before.
    if (const bool is_mine = last && last->inode == first->bytes.inode(); config_.remove && !missing && !is_mine) start = {0, {}, false};
    if (!start.note.empty()) host_.warning("file source '", config_.path, "': ", start.note);
    if ((missing || start.is_other) && last && open_after(*last)) return;
    if (missing) {
        begin_without_file();
        throw *missing;
    }
    const bool goes_on = start.offset && !start.is_other && !config_.remove;
    if (!start.offset && config_.read_from_tail && !was_missing_) {
        first->bytes.go_to_end_of_records(config_.delimiter_byte());
        start.offset = first->bytes.position();
    }
    if (!start.offset) start.offset = 0;
    if (first->bytes.position() != *start.offset) first->bytes.go_to(*start.offset);
    // Written at once: whether it can be is known before anything is read, and the tail is the one of now after a kill too.
    place_->start_at(first->bytes, *start.offset, first->beside, goes_on);
    sync_directory_of(config_.path);
    first->settled = *start.offset;
    files_.push_back(std::move(first));
}

// Of the file that was read last nothing is found, or it had nothing in it: what has had the name since is read from its beginning, if it is
// there and it is known which that is. False: it is not.
bool followed_path::open_after(const group_position::identity& last) {
    if (!last.beside || config_.remove || !open_after(*last.beside, &*place_)) return false;
    place_->start_at(current().bytes, 0, current().beside, false);
    sync_directory_of(config_.path);
    return true;
}

bool followed_path::open_after(std::int64_t changed, const group_position* place) {
    const std::vector<rotated_file> seen = rotated_after(changed, rotated_files(config_.path), config_.path);
    std::size_t looked_at = 0;
    for (; looked_at < seen.size() && files_.size() < most_ahead; ++looked_at)
        if (file opened = open_seen(seen[looked_at]); opened && !(place && place->has_all_of(opened->bytes)))
            files_.push_back(std::move(opened));
    if (files_.empty()) return false;
    host_.info("file source '", config_.path, "': what had the name before is read first, from '", current().bytes.path(), "' on");
    if (looked_at == seen.size()) follow_after(files_.back()->bytes);  // else the last of these is followed by more
    return true;
}

// What has the name later is new, in the next run too.
void followed_path::begin_without_file() {
    if (!was_missing_ || config_.remove || place_->is_saved()) return;
    try {
        place_->start_without_file(*beside_);
    } catch (const sdk::failure&) {}  // its folder may be missing too
}

// The file may be cut at any time: its mark is taken before it is seen, once more, to be the one of which the position is.
group_position::start followed_path::go_to_saved(input_file& of) {
    group_position::start found = place_->load(of, config_.delimiter_byte());
    for (int attempt = 0; attempt < most_attempts && found.offset && !found.is_other; ++attempt) {
        of.go_to(*found.offset);
        group_position::start still = place_->load(of, config_.delimiter_byte());
        if (still.offset == found.offset && !still.is_other) break;
        found = std::move(still);
    }
    return found;
}

// To a subscriber all of a file that comes later is new.
void followed_path::open_unsaved() {
    file first = make_first();
    open_first(*first);
    if (was_missing_ && beside_ && open_after(*beside_, nullptr)) return;
    if (config_.mode == read_mode::subscribe) {
        if (!was_missing_) first->bytes.go_to_end_of_records(config_.delimiter_byte());
        first->settled = first->bytes.position();
    }
    files_.push_back(std::move(first));
}

// The file that the group has read, under the name that it has now; a copy of it if it was cut.
followed_path::file followed_path::find_moved(group_position::start& found) {
    const auto last = place_->last_read();
    return try_each([&](const std::vector<rotated_file>& all, bool& has_missed) -> file {
        // The oldest that it may be: behind that one all others are found. What was there before it was begun comes last.
        const std::int64_t before = last->beside.value_or(0);
        std::vector<rotated_file> in_order = rotated_after(before, all, config_.path);
        std::ranges::copy_if(all, std::back_inserter(in_order), [&](const rotated_file& one) { return one.changed <= before; });
        for (const bool by_inode : {true, false}) {
            if (!by_inode && (!last->has_content || config_.remove)) break;
            for (const rotated_file& one : in_order) {
                if (by_inode != (one.device == last->device && one.inode == last->inode)) continue;
                file opened = open_seen(one);
                has_missed = has_missed || !opened;
                if (!opened) continue;
                found = go_to_saved(opened->bytes);
                if (!found.is_other && found.offset) return opened;
            }
        }
        return nullptr;
    });
}

}  // namespace mqb::file
