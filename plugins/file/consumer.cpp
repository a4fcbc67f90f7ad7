#include "consumer.hpp"

#include <algorithm>

#include "file_start.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

// A block that has grown for a long record is not filled with the next ones: what was never written takes no memory.
constexpr std::size_t most_read = 1 << 20;

}  // namespace

consumer::consumer(const sdk::context& made, config chosen)
    : sdk::consumer(made), config_(std::move(chosen)), drains_(made.drains()), input_(config_.path), intake_(make_intake(config_)) {
    if (config_.has_csv_settings() && config_.format != record_format::csv)
        host().warning("file source '", config_.path, "': the block `csv` says nothing without `format: csv`");
    if (config_.is_group())
        group_.emplace(config_.path, *config_.group_id);
    else if (config_.group_id || config_.read_from_tail)
        host().warning("file source '", config_.path, "': `group_id` and `read_from_tail` say nothing without `mode: group_subscribe`");
}

// Without a group the position is not saved: after a restart everything comes again, what was settled included.
sdk::promises consumer::promise(const config& chosen) {
    sdk::promises kept;
    kept.acknowledges(sdk::settles::prefix).needs_polling();
    if (chosen.path == standard_input) kept.finite();
    return kept;
}

void consumer::connect() {
    if (input_.open(drains_)) return;
    block_.clear();
    intake_ = make_intake(config_);
    broken_ = {};
    start_known_ = false;
    if (group_) resume();
}

// What was given of another file cannot be given again, and its settling says nothing about this one.
void consumer::resume() {
    ++file_;
    ++lane_;
    rewinds_ = false;
    const std::string why_not_alone = group_->keep_alone();
    if (!why_not_alone.empty())
        host().warning("file source '", config_.path, "': ", why_not_alone, "; another reader of the group would not be noticed");
    group_position::start start = group_->load(input_.descriptor(), input_.size(), config_.delimiter_byte());
    if (!start.note.empty()) host().warning("file source '", config_.path, "': ", start.note);
    if (!start.offset) start.offset = config_.read_from_tail ? input_.size() : 0;
    // Written at once: whether it can be is known before anything is read, and the tail is the one of now after a kill too.
    group_->start_at(input_.descriptor(), *start.offset);
    sync_directory_of(config_.path);
    read_from(*start.offset);
}

void consumer::read_from(std::uint64_t position) {
    constexpr std::size_t most_header = 1 << 20;
    block_.clear();
    intake_ = make_intake(config_);
    postponed_.reset();
    broken_ = {};
    ended_ = false;
    start_known_ = position > 0;
    if (position > 0) {
        const std::string first =
            input_.first_bytes(std::min<std::uint64_t>(position, config_.format == record_format::csv ? most_header : 4));
        const file_start start = look_at_start(first, true, config_.format);
        if (!start.problem.empty()) throw sdk::bad_config("file source '", config_.path, "' ", start.problem);
        if (!intake_->resume(std::string_view(first).substr(start.skip)))
            throw sdk::bad_config("file source '", config_.path, "' has no CSV header in its first ", first.size(), " bytes");
    }
    input_.go_to(position);
}

sdk::status consumer::receive(sdk::receive_call& call) {
    if (rewinds_ && !told_end_) read_from(group_->saved());
    rewinds_ = false;
    if (!postponed_ && !ended_) {
        auto batch = batches_.open();
        given& note = batch->extra;
        note.lane = lane_;
        note.file = file_;
        note.settled = 0;
        note.ends.clear();
        intake_->begin(*batch, lane_, group_ ? &note.ends : nullptr);
        try {
            fill(*batch, note.ends, call);
        } catch (const sdk::failure& failed) { postponed_ = failed; }
        pass_on_warnings();
        if (batch->size() > 0) return batch.give(call);
    }
    if (postponed_) throw *std::exchange(postponed_, {});
    told_end_ = ended_;
    return ended_ ? sdk::status::end : call.nothing_now();
}

// Fills the batch with what is there. Throws what is wrong with the file.
void consumer::fill(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    for (bool at_end = false;;) {
        if (broken_.whole && !put_aside(to, ends, call)) return;
        look seen;
        if (knows_start(at_end)) seen = take(at_end, to, ends, call);
        if (seen.what == found::too_much) keep(seen);
        if (seen.what == found::too_long || seen.what == found::open_quote) set_aside(seen);
        block_.drop(seen.taken);
        if (broken_.whole) continue;
        if (seen.what == found::record) return;
        if (at_end) {
            ended_ = true;
            return;
        }
        const std::span<char> room = block_.room();
        const std::size_t size = input_.read(room.first(std::min(room.size(), most_read)));
        block_.filled(size);
        if (size > 0) continue;
        at_end = input_.is_over() || (call.drains() && input_.has_end());
        input_.check_not_cut();
        if (at_end) continue;
        if (to.size() == 0) check_same_file();
        return;
    }
}

// Nothing comes: is it because the file is no longer the one that was read?
void consumer::check_same_file() {
    input_.check_still_named();
    if (!group_ || group_->recognises(input_.descriptor())) return;
    input_.forget();
    throw sdk::disconnected("file source '", config_.path, "' was truncated and written again; it is read again from its beginning");
}

look consumer::take(bool at_end, sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    const std::uint64_t begin = input_.position() - block_.unread().size();
    std::size_t known = ends.size();
    const look seen = intake_->take(block_.unread(), at_end, to, call);
    for (; known < ends.size(); ++known) ends[known] += begin;
    return seen;
}

// Whether what the file begins with has been seen and passed.
bool consumer::knows_start(bool at_end) {
    if (start_known_) return true;
    const file_start start = look_at_start(block_.unread(), at_end, config_.format);
    if (!start.problem.empty()) throw sdk::bad_config("file source '", config_.path, "' ", start.problem);
    if (start.known) block_.drop(start.skip);
    return start_known_ = start.known;
}

// The beginning of a record that is longer than a message may be: the rest of it is only counted.
void consumer::keep(const look& record) {
    const std::size_t room = config_.max_record_bytes - broken_.bytes.size();
    broken_.bytes.append(block_.unread().substr(record.begin, std::min(room, record.size - record.earlier)));
}

void consumer::set_aside(const look& record) {
    keep(record);
    const std::uint64_t here = input_.position() - block_.unread().size();
    broken_.begin = here + record.begin - record.earlier;
    broken_.end = here + record.taken;
    broken_.reason = record.what == found::open_quote
                         ? sdk::join("csv: file source '", config_.path, "' ends inside a quoted field (record at byte ", broken_.begin,
                                     "); the file looks truncated")
                         : sdk::join("file source '", config_.path, "': the record at byte ", broken_.begin, " has ", record.size,
                                     " bytes, more than max_record_bytes (", config_.max_record_bytes, ')');
    if (!intake_->knows_columns()) {
        const std::string reason = std::move(broken_.reason);
        broken_ = {};
        throw sdk::bad_config(reason, ", and it is the one that the columns are told from");
    }
    if (broken_.bytes.size() < record.size) broken_.reason += sdk::join("; here are its first ", broken_.bytes.size());
    broken_.whole = true;
    host().count("records_refused", 1);
}

// Into the batch, unless that is full. The host deals with it; reading goes on behind it.
bool consumer::put_aside(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    if (!to.takes(call, broken_.bytes.size())) return false;
    to.add_broken(broken_.bytes, broken_.reason)
        .lane(lane_)
        .text("mqb.src.file_path", config_.path)
        .number("mqb.src.file_record", static_cast<std::int64_t>(broken_.begin));
    if (group_) ends.push_back(broken_.end);
    broken_ = {};
    return true;
}

void consumer::settle(sdk::settle_call& call) {
    given& batch = batches_.of(call)->extra;
    if (batch.file != file_) return call.all_ok();
    if (batch.lane != lane_) return call.all_gone();
    // A file that was cut just now has no position any more; the next receive finds that.
    if (group_ && call.size() > 0) group_->save(input_.descriptor(), batch.ends[batch.settled + call.size() - 1]);
    batch.settled += call.size();
    call.all_ok();
}

void consumer::free_batch(void* raw) {
    const auto* batch = batches_.of(raw);
    if (batch->extra.file == file_ && batch->extra.lane == lane_ && batch->extra.settled < batch->size()) {
        ++lane_;
        rewinds_ = group_.has_value();
    }
    batches_.recycle(raw);
}

// "lag": the bytes behind what was given out. Only a file has an end to count to.
sdk::status consumer::control(sdk::control_call& call) {
    if (call.name() != "lag" || !input_.has_end()) return sdk::status::unsupported;
    const std::uint64_t passed = rewinds_ ? group_->saved() : input_.position() - block_.unread().size();
    const std::uint64_t size = input_.size();
    call.answer(sdk::join("{\"bytes\":", size > passed ? size - passed : 0, '}'));
    return sdk::status::done;
}

void consumer::pass_on_warnings() {
    for (const std::string& text : intake_->take_warnings()) host().warn(sdk::join("file source '", config_.path, "': ", text));
}

}  // namespace mqb::file
