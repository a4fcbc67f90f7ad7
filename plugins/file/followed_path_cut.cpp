// What a followed path does where settled records are deleted.
#include "followed_path.hpp"

#include <limits>

#include "csv_reader.hpp"
#include "file_start.hpp"

namespace mqb::file {

// What is settled is deleted now if that is not too much to copy; else the position tells the next start.
followed_path::~followed_path() {
    if (!config_.remove || !was_read_ || !is_open() || !current().front) return;
    try {
        delete_settled(current(), shared_front::when::now);
        take_over_late_bytes(current());
        if (place_ && reading_ == 0 && current().settled - current().removed <= header_size(current().bytes.descriptor())) place_->forget();
    } catch (const std::exception& failed) { host_.warning("file source '", config_.path, "': ", failed.what()); }
}

void followed_path::share_front(read_file& of) {
    if (of.front) return;
    of.front = shared_front::of(of.bytes);
    // What was there before a subscriber came is not its to delete.
    of.removed = of.front->join(&of, of.settled, config_.mode == read_mode::subscribe);
    of.settled += of.removed;
}

void followed_path::delete_settled(read_file& of, shared_front::when how_eagerly) {
    constexpr std::uint64_t pause_after_failure = 10'000'000'000;  // ns: what does not fit is not copied for each batch
    adopt_cut(of);
    if (how_eagerly == shared_front::when::worth_it && host_.now() < no_cut_before_) return;
    const shared_front::checks checks{[this](int opened) { return header_size(opened); }, [&of] { return !of.bytes.is_cut(); }};
    try {
        if (!of.front->cut(config_.path, how_eagerly, checks)) return;
    } catch (const sdk::failure& failed) {
        host_.warning("file source '", config_.path, "': ", failed.what());
        no_cut_before_ = host_.now() + pause_after_failure;
        return;
    }
    adopt_cut(of);
}

// False: it is the one that is open.
bool followed_path::adopt_cut(read_file& of) {
    if (of.front->removed() == of.removed) return false;
    of.front->follow(of.bytes, of.removed);
    if (place_) place_->start_at(of.bytes, of.settled - of.removed, of.beside, false);
    return true;
}

bool followed_path::take_over_late_bytes(read_file& of) const {
    try {
        return of.front->take_over_late_bytes(config_.path);
    } catch (const sdk::failure& failed) { host_.warning("file source '", config_.path, "': ", failed.what()); }
    return false;
}

// True: what there is to read may have become more.
bool followed_path::follow_front(read_file& of) {
    const bool has_late = take_over_late_bytes(of);
    if (adopt_cut(of) || has_late) return true;
    constexpr std::uint64_t pause = 1'000'000'000;
    if (of.unsettled == 0 && host_.now() >= next_cut_) {
        next_cut_ = host_.now() + pause;
        delete_settled(of, shared_front::when::now);
    }
    return false;
}

std::uint64_t followed_path::header_size(int opened) const {
    constexpr std::size_t most_header = 1 << 20;
    if (config_.format != record_format::csv) return 0;
    const std::string first = bytes_at(opened, 0, most_header);
    const file_start start = look_at_start(first, true, config_.format);
    csv_reader reader(config_.dialect(), config_.max_record_bytes);
    const auto size = reader.take_header_of(std::string_view(first).substr(start.skip));
    return size ? start.skip + *size : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace mqb::file
