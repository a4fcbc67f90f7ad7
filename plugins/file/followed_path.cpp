#include "followed_path.hpp"

#include <algorithm>

namespace mqb::file {
namespace {

constexpr int most_attempts = 8;                            // while somebody renames the files that are looked at
constexpr std::uint64_t pause_between_lists = 100'000'000;  // ns, while there is no next file

}  // namespace

// Looks for one of those beside the path, again if one was renamed meanwhile.
followed_path::file followed_path::try_each(const std::function<file(const std::vector<rotated_file>&, bool&)>& find) {
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        bool has_missed = false;
        file found = find(rotated_files(config_.path), has_missed);
        if (found || !has_missed) return found;
    }
    return nullptr;
}

followed_path::file followed_path::open_seen(const rotated_file& seen) {
    file opened = make(seen.path);
    try {
        opened->bytes.open(false);
    } catch (const sdk::failure& failed) {
        if (failed.answer == sdk::status::disconnected) throw;  // it is not up to the file
        if (failed.answer != sdk::status::retry && std::exchange(told_unreadable_, seen.path) != seen.path)
            host_.warning(failed.what(), "; what stands in it is not read");
        return nullptr;
    }
    opened->beside = seen.changed;
    return opened->bytes.inode() == seen.inode && opened->bytes.device() == seen.device ? std::move(opened) : nullptr;
}

followed_path::sight followed_path::look(std::uint64_t unread) {
    was_read_ = true;
    input_file& read = current().bytes;
    if (current().front && follow_front(current())) return sight::again;
    warn_of_late_bytes();
    if (reading_ + 1 < files_.size()) return files_[reading_ + 1]->is_copy ? sight::moved : sight::ended;
    if (!read.can_change()) return sight::nothing;
    if (read.is_cut()) {
        const bool is_known = std::exchange(current().lost, true);
        if (follow_copy(unread)) return sight::moved;
        const std::uint64_t size = read.size();
        if (!is_known)
            warn("was truncated",
                 size < read.position() ? sdk::join(": ", read.position(), " bytes were read and it has ", size)
                                        : std::string(" and written again"),
                 "; what came to it between the last look and that is missing, if anything did. It is read from its beginning");
        add_at_path();
        return reading_ + 1 < files_.size() ? sight::ended : sight::nothing;
    }
    const naming now = read.named_by(config_.path);
    if (now == naming::nothing && read.is_removed() && !std::exchange(told_removed_, true))
        warn("is gone: it was removed. The next file of that name is read from its beginning");
    if (now == naming::same) return sight::nothing;
    // Until there is something in the next file its writer may still be at this one, another writer even a moment longer; but not when
    // there was one between.
    if (now != naming::other || !(drains_ || is_quiet(read))) {
        if (!drains_ && host_.now() - listed_ < pause_between_lists) return sight::nothing;
        listed_ = host_.now();
        if (since(read.device(), read.inode()).files.empty()) return sight::nothing;
    }
    if (read.size() > read.position()) return sight::again;
    follow_after(read);
    return reading_ + 1 < files_.size() ? sight::ended : sight::nothing;
}

bool followed_path::is_quiet(const input_file& read) {
    constexpr std::uint64_t quiet = 1'000'000'000;  // ns
    const std::uint64_t mark = read.size() ^ (read.inode() << 20), now = host_.now();
    if (std::exchange(quiet_size_, mark) != mark) quiet_since_ = now;
    return now - quiet_since_ >= quiet;
}

void followed_path::watch_late(const input_file& left) {
    auto late = std::make_unique<input_file>(left.path());
    late->take_over(left.descriptor(), left.position(), left.mark());
    late_ = std::move(late);
}

void followed_path::warn_of_late_bytes() {
    if (!late_ || late_->size() <= late_->position()) return;
    warn("was renamed, and ", late_->size() - late_->position(), " bytes came to it when the next one had been begun: they are not read");
    late_.reset();
}

// The rest of what was cut may stand in a copy that was made before.
bool followed_path::follow_copy(std::uint64_t unread) {
    const input_file& cut = current().bytes;
    if (!cut.mark().tells()) return false;
    file copy = try_each([&](std::vector<rotated_file> all, bool& has_missed) -> file {
        std::ranges::sort(all, [](const rotated_file& a, const rotated_file& b) { return a.changed > b.changed; });
        for (const rotated_file& one : all) {
            if (one.inode == cut.inode() && one.device == cut.device()) continue;
            file opened = open_seen(one);
            has_missed = has_missed || !opened;
            if (opened && cut.mark().holds_in(opened->bytes.descriptor())) return opened;
        }
        return nullptr;
    });
    if (!copy) return false;
    host_.info("file source '", config_.path, "' was truncated after it was copied: the rest of it is read from '", copy->bytes.path(),
               "'");
    copy->bytes.go_to(cut.position() - unread);
    copy->settled = current().settled - current().removed;
    copy->is_copy = true;
    files_.push_back(std::move(copy));
    follow_after(files_.back()->bytes);
    return true;
}

// False: not all of them are what they were.
bool followed_path::open_all(const std::vector<rotated_file>& seen, std::deque<file>& to) {
    bool is_whole = true;
    for (const rotated_file& one : seen) {
        file opened = open_seen(one);
        is_whole = is_whole && opened;
        if (opened) to.push_back(std::move(opened));
    }
    return is_whole;
}

rotations followed_path::since(std::uint64_t device, std::uint64_t inode) const {
    const std::vector<rotated_file> all = rotated_files(config_.path);
    const auto first = std::ranges::find_if(all, [&](const rotated_file& one) { return one.inode == inode && one.device == device; });
    return first == all.end() ? rotations{{}, true} : rotated_since(*first, all, config_.path);
}

// Opens all that had the path after this file, and the one that has it.
void followed_path::follow_after(const input_file& read) {
    const std::size_t known = files_.size();
    rotations now = since(read.device(), read.inode());
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        files_.resize(known);
        const std::size_t most = std::min(now.files.size(), most_ahead);
        open_all({now.files.begin(), now.files.begin() + static_cast<std::ptrdiff_t>(most)}, files_);
        const std::size_t opened = files_.size() - known;
        if (most == now.files.size()) add_at_path();  // else the last of these is followed by more
        // Renamed meanwhile? Then there is one more between.
        rotations later = since(read.device(), read.inode());
        const bool is_whole = opened == most && std::ranges::equal(now.files, later.files, {}, &rotated_file::inode, &rotated_file::inode);
        now = std::move(later);
        if (is_whole) break;
    }
    if (now.has_gap) warn_of_gap(read);
}

void followed_path::add_at_path() {
    file next = make(config_.path);
    if (!config_.remove) next->beside = last_change(rotated_files(config_.path));
    try {
        next->bytes.open(false);
        next->was_empty = next->bytes.size() == 0;
    } catch (const sdk::failure& failed) {
        if (failed.answer != sdk::status::retry) throw;
        return;  // it was renamed just now; the next look finds what comes
    }
    told_removed_ = false;
    files_.push_back(std::move(next));
}

void followed_path::warn_of_gap(const input_file& read) const {
    warn("was replaced by another file. ",
         read.is_removed() ? "The one before was removed" : "Not all that had the name between are beside it",
         ": if its name changed more than once since the last look, what stood between is missing");
}

// A file that is cut in place may have been copied and cut again before it was first looked at.
bool followed_path::has_earlier() {
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        std::vector<rotated_file> seen = before_current();
        const auto end = std::ranges::find_if(
            seen, [&](const rotated_file& one) { return one.inode == current().bytes.inode() && one.device == current().bytes.device(); });
        seen.erase(end, seen.end());
        const bool is_all = seen.size() <= most_ahead;
        if (!is_all) seen.resize(most_ahead);
        std::deque<file> between;
        if (!open_all(seen, between) && attempt + 1 < most_attempts) continue;
        current().was_empty = false;
        if (between.empty()) return false;
        current().bytes.go_to(0);
        files_.insert(files_.begin() + static_cast<std::ptrdiff_t>(reading_), std::make_move_iterator(between.begin()),
                      std::make_move_iterator(between.end()));
        if (!is_all) files_.resize(reading_ + between.size());  // what follows is found behind the last of these
        if (reading_ == 0) go_over();
        return true;
    }
    return false;
}

// What was written under the path before the current file got the first bytes that were read of it, and is not read yet.
std::vector<rotated_file> followed_path::before_current() {
    read_file& now = current();
    if (left_) return since(left_->first, left_->second).files;
    if (config_.remove) return {};
    if (now.was_empty) return rotated_after(now.beside, rotated_files(config_.path), config_.path);
    if (!place_ || reading_ > 0 || !place_->is_cut_since(now.bytes, config_.delimiter_byte())) return {};
    group_position::start found;
    const file copy = find_moved(found);
    if (!copy) return rotated_after(now.beside, rotated_files(config_.path), config_.path);
    std::vector<rotated_file> all{{copy->bytes.path(), copy->bytes.device(), copy->bytes.inode(), copy->beside}};
    for (rotated_file& one : since(copy->bytes.device(), copy->bytes.inode()).files) all.push_back(std::move(one));
    return all;
}

void followed_path::proceed() {
    if (config_.remove) share_front(*files_[reading_ + 1]);
    left_.reset();
    late_.reset();
    if (!current().lost) {
        watch_late(current().bytes);
        left_.emplace(current().bytes.device(), current().bytes.inode());
    }
    ++reading_;
    host_.info("file source '", config_.path, "': goes on with '", current().bytes.path(), "'");
    if (keeps_place()) return leave_settled();
    files_.erase(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(std::exchange(reading_, 0)));
}

// The position goes over to the next file when all of the one before is dealt with.
void followed_path::leave_settled() noexcept {
    while (reading_ > 0 && files_.front()->unsettled == 0) {
        files_.pop_front();
        --reading_;
        go_over();
    }
}

void followed_path::go_over() noexcept {
    if (place_) place_->go_over(files_.front()->settled, files_.front()->beside);
}

// A copy of a file that is cut later is known by its first bytes only: they are kept before anything of it is given.
void followed_path::remember() {
    const read_file& first = *files_.front();
    if (place_ && !config_.remove && reading_ == 0 && !first.lost) place_->know(first.bytes, first.settled);
}

void followed_path::settle(std::uint64_t number, std::uint64_t end, std::uint32_t messages) {
    const auto at = std::ranges::find_if(files_, [&](const file& one) { return one->number == number; });
    if (at == files_.end()) return;
    was_read_ = true;
    read_file& of = **at;
    // Of a file that was cut no position is left; where reading goes on is found when it is looked at.
    if (!of.lost && (!place_ || place_->save(of.bytes, end - of.removed))) of.settled = end;
    if (of.front) {
        of.front->dealt_with(&of, of.settled);
        delete_settled(of, shared_front::when::worth_it);
    }
    of.unsettled -= std::min<std::uint64_t>(of.unsettled, messages);
    leave_settled();
}

void followed_path::rewind() {
    reading_ = 0;
    for (const file& one : files_) one->unsettled = 0;
    while (files_.size() > 1 && files_.front()->lost) files_.pop_front();
    for (const file& one : files_) one->bytes.go_back(one->settled - one->removed);
    go_over();
}

std::uint64_t followed_path::behind(std::uint64_t place) {
    std::uint64_t bytes = 0;
    for (std::size_t i = reading_; i < files_.size(); ++i) {
        const std::uint64_t size = files_[i]->bytes.size() + files_[i]->removed;
        const std::uint64_t from = i == reading_ ? place : 0;
        bytes += size > from ? size - from : 0;
    }
    return bytes;
}

}  // namespace mqb::file
