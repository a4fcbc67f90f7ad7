#include "consumer.hpp"

#include <algorithm>

#include <mqb/sdk/source_metadata.hpp>

#include "file_start.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

// A block that has grown for a long record is not filled with the next ones: what was never written takes no memory.
constexpr std::size_t most_read = 1 << 20;

void drop_line_end(std::string& record, char delimiter) {
    if (!record.ends_with(delimiter)) return;
    record.pop_back();
    if (delimiter == '\n' && record.ends_with('\r')) record.pop_back();
}

}  // namespace

consumer::consumer(const sdk::context& made, config chosen)
    : sdk::consumer(made), config_(with_stream(std::move(chosen), MQB_SIDE_CONSUMER)), drains_(made.drains()),
      files_(make_file_order(config_, host(), drains_)), intake_(make_intake(config_)) {
    config_.source_metadata = config_.source_metadata || sdk::environment_asks_for_source();
    if (config_.has_csv_settings() && config_.format != record_format::csv)
        host().warning("file source '", config_.path, "': the block `csv` says nothing without `format: csv`");
    if (!config_.is_group() && (config_.group_id || config_.read_from_tail))
        host().warning("file source '", config_.path, "': `group_id` and `read_from_tail` say nothing without `mode: group_subscribe`");
}

// Without a group the position is not saved: after a restart everything comes again, what was settled included. To a subscriber nothing
// does: the next one begins at the end.
sdk::promises consumer::promise(const config& chosen) {
    sdk::promises kept;
    kept.acknowledges(sdk::settles::prefix).needs_polling();
    if (chosen.mode == read_mode::subscribe) kept.clear(MQB_ACKNOWLEDGES);
    if (chosen.path == standard_input || chosen.path == "-") kept.finite();
    return kept;
}

void consumer::connect() {
    if (files_->open()) has_begun_ = false;
    if (files_->is_open() && !has_begun_) begin_file();
}

// The current file, from where it stands. What failed is done again.
void consumer::begin_file() {
    const std::uint64_t position = input().position();
    pass_on_warnings();
    has_begun_ = false;
    block_.clear();
    intake_ = make_intake(config_);
    broken_ = {};
    packed_.reset();
    if (!config_.packed().is_plain()) packed_.emplace(input(), config_, config_.max_record_bytes);
    file_ended_ = false;
    ended_ = false;
    begin_ = position;
    records_ = 0;
    epoch_ = std::max(host().wall() / 1'000'000, epoch_ + 1);
    // A record has the same number in each run only where reading begins with the first byte of what the path has named at the start.
    const bool is_first = readings_ == 0 || files_->current().is_first_of_path;
    has_epoch_ = config_.mode != read_mode::consume || config_.remove || position > 0 || !is_first;
    start_known_ = position > 0;
    asks_for_earlier_ = position == 0;
    if (position > 0) resume(position);
    ++readings_;
    has_begun_ = true;
}

// Behind what the file begins with.
void consumer::resume(std::uint64_t position) {
    constexpr std::size_t most_header = 1 << 20;
    const std::string first =
        input().first_bytes(std::min<std::uint64_t>(position, config_.format == record_format::csv ? most_header : 4));
    const file_start start = look_at_start(first, true, config_.format);
    if (!start.problem.empty()) throw sdk::bad_config("file source '", config_.path, "' ", start.problem);
    if (!intake_->resume(std::string_view(first).substr(start.skip)))
        throw sdk::bad_config("file source '", config_.path, "' has no CSV header in its first ", first.size(), " bytes");
}

sdk::status consumer::receive(sdk::receive_call& call) {
    if (rewinds_ && !told_end_) {
        files_->rewind();
        postponed_.reset();
        has_begun_ = false;
    }
    rewinds_ = false;
    if (!files_->is_open()) {
        // Nothing matches yet.
        if (ended_ || !files_->open()) {
            told_end_ = ended_ = ended_ || call.drains();
            return ended_ ? sdk::status::end : call.nothing_now();
        }
        has_begun_ = false;
    }
    if (!has_begun_ && !postponed_) begin_file();
    if (!postponed_ && !ended_) {
        auto batch = batches_.open();
        given& note = batch->extra;
        note.lane = lane_;
        note.settled = 0;
        note.ends.clear();
        intake_->begin(*batch, lane_, files_->keeps_place() ? &note.ends : nullptr);
        try {
            fill(*batch, note.ends, call);
        } catch (const sdk::failure& failed) { postponed_ = failed; }
        pass_on_warnings();
        if (batch->size() > 0) {
            note.file = files_->current().number;
            files_->gave(batch->size());
            return batch.give(call);
        }
    }
    if (postponed_) throw *std::exchange(postponed_, {});
    told_end_ = ended_;
    return ended_ ? sdk::status::end : call.nothing_now();
}

// Fills the batch with what is there of one file. Throws what is wrong with it.
void consumer::fill(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    for (bool at_end = file_ended_;;) {
        if (asks_for_earlier_ && input().position() > 0) {
            if (files_->has_earlier()) {
                begin_file();
                intake_->begin(to, lane_, files_->keeps_place() ? &ends : nullptr);
            }
            asks_for_earlier_ = input().position() == 0;
        }
        files_->remember();
        if (broken_.whole && !put_aside(to, ends, call)) return;
        look seen;
        if (knows_start(at_end)) seen = take(at_end, to, ends, call);
        if (seen.what == found::too_much) keep(seen);
        if (is_broken(seen.what)) set_aside(seen);
        block_.drop(seen.taken);
        if (broken_.whole) continue;
        if (seen.what == found::record) return;
        if (at_end) {
            if (file_ended_ && to.size() > 0) return;
            if (!file_ended_) {
                ended_ = call.drains() || input().is_over();  // else only the last record was
                return;
            }
            at_end = false;
            go_on(to, ends);
        }
        const std::span<char> room = block_.room();
        const std::size_t size = read(room.first(std::min(room.size(), most_read)));
        block_.filled(size);
        if (size > 0 || (asks_for_earlier_ && input().position() > 0)) continue;
        const file_order::sight further = files_->look(packed_ ? 0 : unfinished());
        if (further == file_order::sight::again) continue;
        if (further == file_order::sight::moved) {
            if (to.size() > 0) return;
            go_on(to, ends);
            continue;
        }
        if (further == file_order::sight::full) return;
        file_ended_ = further == file_order::sight::ended;
        at_end = file_ended_ || input().is_over() || (call.drains() && input().has_end());
        if (config_.remove && !file_ended_ && unfinished() > 0)
            at_end = has_quiet_tail() && (call.drains() || config_.format != record_format::csv);
        if (!at_end) return;
        if (packed_) end_packed();
    }
}

// Of a file that was cut, what was unpacked of its last member may be half of a record that comes again.
void consumer::end_packed() {
    if (files_->current().lost)
        block_.drop(block_.unread().size());
    else
        packed_->end();
}

// Where records are deleted the rest of a last one without delimiter would be lost to its reader: it is taken when nothing comes to it.
bool consumer::has_quiet_tail() {
    constexpr std::uint64_t quiet = 100'000'000;  // ns
    const std::uint64_t size = input().size() + files_->current().removed, now = host().now();
    if (size != std::exchange(tail_size_, size)) tail_since_ = now;
    return now - tail_since_ >= quiet;
}

// With the next file; the batch is empty.
void consumer::go_on(sdk::batch& to, std::vector<std::uint64_t>& ends) {
    files_->proceed();
    // In the middle of a member nothing can be begun: a copy of a packed file is read from its beginning, and what was given comes again.
    if (packed_ && input().position() > 0) input().go_to(0);
    begin_file();
    intake_->begin(to, lane_, files_->keeps_place() ? &ends : nullptr);
}

look consumer::take(bool at_end, sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    const std::uint64_t begin = reached();
    const std::uint32_t before = to.size();
    std::size_t known = ends.size();
    const look seen = intake_->take(block_.unread(), at_end, to, call);
    for (; known < ends.size(); ++known) ends[known] += begin;
    if (config_.source_metadata) name_source(to, before);
    records_ += to.size() - before;
    return seen;
}

// Of the messages from this one on, whose first is the next record.
void consumer::name_source(sdk::batch& to, std::uint32_t from) {
    for (std::uint32_t i = from; i < to.size(); ++i) name_source({to, i}, records_ + i - from);
}

// The number begins anew with each reading, of which an epoch tells.
void consumer::name_source(sdk::added_message message, std::uint64_t number) const {
    message.text("mqb.src.file_path", files_->current().bytes.path()).number("mqb.src.file_record", static_cast<std::int64_t>(number));
    if (has_epoch_) message.number("mqb.src.file_epoch", static_cast<std::int64_t>(epoch_));
}

// Whether what the file begins with has been seen and passed.
bool consumer::knows_start(bool at_end) {
    if (start_known_) return true;
    const file_start start = look_at_start(block_.unread(), at_end, config_.format);
    if (!start.problem.empty())
        throw sdk::bad_config(packed_ ? "what is in file source '" : "file source '", config_.path, "' ", start.problem);
    if (start.known) block_.drop(start.skip);
    return start_known_ = start.known;
}

// The beginning of a record that is longer than a message may be: the rest of it is only counted.
void consumer::keep(const look& record) {
    const std::size_t room = config_.max_record_bytes - broken_.bytes.size();
    broken_.bytes.append(block_.unread().substr(record.begin, std::min(room, record.size - record.earlier)));
    broken_.passed = record.size;
}

void consumer::set_aside(const look& record) {
    keep(record);
    const std::uint64_t here = reached();
    broken_.begin = here + record.begin - record.earlier;
    broken_.end = here + record.taken;
    broken_.number = records_++;
    const std::string which = sdk::join("record ", broken_.number + 1, begin_ > 0 ? sdk::join(" since byte ", begin_) : std::string());
    if (record.what == found::open_quote)
        broken_.reason = sdk::join("csv: file source '", input().path(), "' ends inside a quoted field (", which, ", at byte ",
                                   broken_.begin, "); the file looks truncated");
    else if (record.what == found::wrong_type)
        broken_.reason =
            sdk::join("csv: file source '", input().path(), "': ", which, ", at byte ", broken_.begin, ": ", intake_->why_wrong());
    else
        broken_.reason = sdk::join("file source '", input().path(), "': ", which, ", at byte ", broken_.begin, ", has ", record.size,
                                   " bytes, more than max_record_bytes (", config_.max_record_bytes, ')');
    if (!intake_->knows_columns()) {
        const std::string reason = std::move(broken_.reason);
        broken_ = {};
        throw sdk::bad_config(reason, ", and it is the one that the columns are told from");
    }
    if (broken_.bytes.size() < record.size) broken_.reason += sdk::join("; here are its first ", broken_.bytes.size());
    if (record.what == found::wrong_type) drop_line_end(broken_.bytes, config_.delimiter_byte());
    broken_.whole = true;
    broken_.passed = 0;
    host().count("records_refused", 1);
}

// Into the batch, unless that is full. The host deals with it; reading goes on behind it.
bool consumer::put_aside(sdk::batch& to, std::vector<std::uint64_t>& ends, const sdk::receive_call& call) {
    if (!to.takes(call, broken_.bytes.size())) return false;
    name_source(to.add_broken(broken_.bytes, broken_.reason).lane(lane_), broken_.number);
    if (files_->keeps_place()) ends.push_back(broken_.end);
    broken_ = {};
    return true;
}

void consumer::settle(sdk::settle_call& call) {
    given& batch = batches_.of(call)->extra;
    if (batch.lane != lane_) return call.all_gone();
    if (files_->keeps_place() && call.size() > 0) files_->settle(batch.file, batch.ends[batch.settled + call.size() - 1], call.size());
    batch.settled += call.size();
    call.all_ok();
}

void consumer::free_batch(void* raw) {
    const auto* batch = batches_.of(raw);
    if (batch->extra.lane == lane_ && batch->extra.settled < batch->size()) {
        ++lane_;
        rewinds_ = files_->keeps_place();
    }
    batches_.recycle(raw);
}

// "lag": the bytes behind what was given out. Only a file has an end to count to.
sdk::status consumer::control(sdk::control_call& call) {
    if (call.name() != "lag" || !files_->is_open() || !input().has_end()) return sdk::status::unsupported;
    // Of a packed file: what was read of it.
    const std::uint64_t passed = rewinds_ ? files_->current().settled : packed_ ? input().position() : reached();
    call.answer(sdk::join("{\"bytes\":", files_->behind(passed), '}'));
    return sdk::status::done;
}

void consumer::pass_on_warnings() {
    if (const std::string text = packed_ ? packed_->take_warning() : std::string(); !text.empty())
        host().warn(sdk::join("file source '", config_.path, "': ", text));
    for (const std::string& text : intake_->take_warnings()) host().warn(sdk::join("file source '", config_.path, "': ", text));
}

}  // namespace mqb::file
