#include "consumer.hpp"

#include "file_start.hpp"

namespace mqb::file {

consumer::consumer(const sdk::context& made, config chosen)
    : sdk::consumer(made), config_(std::move(chosen)), drains_(made.drains()), input_(config_.path), intake_(make_intake(config_)) {
    if (config_.has_csv_settings() && config_.format != record_format::csv)
        host().warning("file source '", config_.path, "': the block `csv` says nothing without `format: csv`");
}

// The position is not saved: after a restart everything comes again, what was settled included.
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
    start_known_ = false;
}

sdk::status consumer::receive(sdk::receive_call& call) {
    if (!postponed_ && !ended_) {
        auto batch = batches_.open();
        batch->extra.lane = lane_;
        batch->extra.settled = 0;
        intake_->begin(*batch, lane_);
        try {
            fill(*batch, call);
        } catch (const sdk::failure& failed) { postponed_ = failed; }
        pass_on_warnings();
        if (batch->size() > 0) return batch.give(call);
    }
    if (postponed_) throw *std::exchange(postponed_, {});
    return ended_ ? sdk::status::end : call.nothing_now();
}

// Fills the batch with what is there. Throws what is wrong with the file or with a record.
void consumer::fill(sdk::batch& to, const sdk::receive_call& call) {
    for (bool at_end = false;;) {
        look seen;
        if (knows_start(at_end)) seen = intake_->take(block_.unread(), at_end, to, call);
        if (seen.what == found::too_long || seen.what == found::open_quote) refuse(seen);
        block_.drop(seen.taken);
        if (seen.what == found::record) return;
        if (at_end) {
            ended_ = true;
            return;
        }
        const std::size_t size = input_.read(block_.room());
        block_.filled(size);
        if (size > 0) continue;
        at_end = input_.is_over() || (call.drains() && input_.has_end());
        input_.check_not_cut();
        if (at_end) continue;
        if (to.size() == 0) input_.check_still_named();
        return;
    }
}

// Whether what the file begins with has been seen and passed.
bool consumer::knows_start(bool at_end) {
    if (start_known_) return true;
    const file_start start = look_at_start(block_.unread(), at_end, config_.format);
    if (!start.problem.empty()) throw sdk::bad_config("file source '", config_.path, "' ", start.problem);
    if (start.known) block_.drop(start.skip);
    return start_known_ = start.known;
}

// The record is told when the messages before it have been given; reading goes on behind it.
void consumer::refuse(const look& record) {
    const std::uint64_t at = input_.position() - block_.unread().size() + record.begin - record.earlier;
    block_.drop(record.taken);
    host().count("records_refused", 1);
    if (record.what == found::open_quote)
        throw sdk::rejected("csv: file source '", config_.path, "' ends inside a quoted field (record at byte ", at,
                            "); the file looks truncated");
    throw sdk::rejected("file source '", config_.path, "': the record at byte ", at, " has ", record.size,
                        " bytes, more than max_record_bytes (", config_.max_record_bytes, "); it is skipped");
}

void consumer::settle(sdk::settle_call& call) {
    given& batch = batches_.of(call)->extra;
    if (batch.lane != lane_) return call.all_gone();
    batch.settled += call.size();
    call.all_ok();
}

void consumer::free_batch(void* raw) {
    const auto* batch = batches_.of(raw);
    if (batch->extra.lane == lane_ && batch->extra.settled < batch->size()) ++lane_;
    batches_.recycle(raw);
}

void consumer::pass_on_warnings() {
    for (const std::string& text : intake_->take_warnings()) host().warn(sdk::join("file source '", config_.path, "': ", text));
}

}  // namespace mqb::file
