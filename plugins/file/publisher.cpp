#include "publisher.hpp"

#include <cerrno>
#include <system_error>

#include "csv_file_header.hpp"

namespace mqb::file {

publisher::publisher(const sdk::context& made, config chosen)
    : sdk::publisher(made), config_(std::move(chosen)), output_(config_.path), delimiter_(config_.delimiter_byte()), records_(config_) {
    if (config_.has_csv_settings() && config_.format != record_format::csv)
        host().warning("file target '", config_.path, "': the block `csv` says nothing without `format: csv`");
    if (config_.fsync == fsync_mode::periodic && output_.is_synced())
        periodic_.emplace(std::chrono::milliseconds(config_.fsync_interval_ms));
}

publisher::~publisher() { close(); }

// One send at a time, taken back as a whole when it fails: nothing of it is in the file when it is sent again.
sdk::promises publisher::promise(const config&) { return sdk::promises{}.ordered().ordered_retry(); }

void publisher::connect() { open(); }

// What was written of it goes to the disk first.
void publisher::close() {
    const int error = periodic_ ? periodic_->finish() : 0;
    if (error != 0 && !told_unsynced_) host().error(unsynced_text(error));
    told_unsynced_ = false;
    output_.close();
}

void publisher::open() {
    close();
    const output_file::opened is = output_.open(delimiter_, config_.fsync != fsync_mode::off, records_.row_end());
    mend_ = is.unended;
    if (is.cut != 0)
        host().warning("file target '", config_.path, "': ", is.cut, " bytes of a record that was not finished were cut from its end");
    if (is.unclaimed == EWOULDBLOCK)
        host().warning("file target '", config_.path, "' is open in another publisher; a record that a kill leaves half-written stays");
    else if (is.unclaimed != 0)
        host().warning("file target '", config_.path, "': a record that a kill leaves half-written stays, since '", config_.path,
                       ".writing' cannot be written: ", std::generic_category().message(is.unclaimed));
    if (mend_) host().warning("file target '", config_.path, "' does not end with the delimiter; it is put behind the last record");
    follow_start();
}

void publisher::follow_start() {
    starts_ = false;
    if (!records_.wants_start() || output_.is_empty() || config_.path == standard_output) return;
    const auto start = output_.start(longest_csv_header);
    if (!start)
        throw sdk::bad_config("file target '", config_.path,
                              "' has a CSV header that cannot be read: ", std::generic_category().message(errno));
    starts_ = !records_.follow(*start, start->size() < longest_csv_header);
    tell_warnings();
}

void publisher::tell_warnings() {
    for (const std::string& text : records_.take_warnings()) host().warning("file target '", config_.path, "': ", text);
}

sdk::status publisher::send(sdk::send_call& call) {
    // After a sync that failed, no other says anything about what was written before it: the file is given up and opened again.
    if (const int error = periodic_ ? periodic_->error() : 0; error != 0) {
        told_unsynced_ = true;
        return call.fail(sdk::status::disconnected, unsynced_text(error));
    }
    if (call.flushes()) return sdk::status::done;
    if (!output_.begin_batch()) return call.fail(sdk::status::disconnected, sdk::join("file target '", config_.path, "' was removed"));
    const int error = write_all(call);
    tell_warnings();
    if (error != 0) return fail(call, error);
    if (const int unsynced = sync(); unsynced != 0) return fail_sync(call, unsynced);
    if (output_.written() > 0) mend_ = starts_ = false;
    answer(call, call.size());
    return sdk::status::done;
}

bool publisher::is_too_long(const sdk::message_view& message) const {
    return config_.max_message_bytes && message.payload().size() > *config_.max_message_bytes;
}

void publisher::refuse(const sdk::message_view& message, std::string_view why) {
    refused_.push_back({message.index(), sdk::join("file target '", config_.path, "': ", why)});
}

void publisher::answer(const sdk::send_call& call, std::uint32_t end) const {
    if (refused_.empty() && end == call.size()) return call.all_done();
    auto refused = refused_.begin();
    for (std::uint32_t i = 0; i < end; ++i) {
        if (refused != refused_.end() && refused->index == i)
            call.refused(i, refused++->why);
        else
            call.done(i);
    }
}

int publisher::write_all(const sdk::send_call& call) {
    buffer_.clear(2 * piece);
    ends_.clear();
    refused_.clear();
    for (const sdk::message_view message : call)
        if (const int error = append(message); error != 0) return error;
    return flush();
}

int publisher::append(sdk::message_view message) {
    if (is_too_long(message)) {
        refuse(message, sdk::join("a payload of ", message.payload().size(), " bytes is longer than max_message_bytes, ",
                                  *config_.max_message_bytes));
    } else {
        const bool first_of_batch = output_.written() + buffer_.size() == 0;
        if (mend_ && first_of_batch) buffer_.append(delimiter_);
        if (records_.is_plain() && message.payload().size() >= piece) {
            if (const int error = flush(); error != 0) return error;
            if (const int error = output_.write(message.text()); error != 0) return error;
            buffer_.append(delimiter_);
        } else {
            const bool is_first = (output_.is_empty() || starts_) && first_of_batch;
            if (const std::string_view why = records_.append(message, is_first, buffer_); !why.empty()) {
                refuse(message, why);
                if (first_of_batch) buffer_.clear(2 * piece);
            }
        }
    }
    ends_.push_back(output_.written() + buffer_.size());
    return buffer_.size() < piece ? 0 : flush();
}

int publisher::flush() {
    const int error = output_.write(buffer_.text());
    buffer_.clear(2 * piece);
    return error;
}

int publisher::sync() {
    if (periodic_ && output_.written() > 0) periodic_->wrote(output_.descriptor());
    return config_.fsync == fsync_mode::batch ? output_.sync() : 0;
}

std::string publisher::unsynced_text(int error) const {
    return sdk::join(
        "file target '", config_.path, "': what was written in the last ", config_.fsync_interval_ms,
        " ms, and is acknowledged, may not be on the disk: it cannot be synchronised: ", std::generic_category().message(error));
}

// The batch is written again, into a file that is opened again: that it was there does not say that it ever reaches the disk.
sdk::status publisher::fail_sync(const sdk::send_call& call, int error) {
    const std::string why = sdk::join("cannot synchronise file target '", config_.path, "': ", std::generic_category().message(error));
    if (output_.take_back())
        call.again(0, why + "; the batch was taken back");
    else
        call.uncertain(0, why + "; the batch is in the file");
    return call.fail(sdk::status::disconnected, why);
}

// Of a file everything is taken back, so that all was not sent. Where that cannot be done, what is whole in there is done.
sdk::status publisher::fail(const sdk::send_call& call, int error) {
    // Only a pipe or a socket has a reader, and only standard output can be one. No other reader ever comes.
    const bool has_no_reader = error == EPIPE || error == ECONNRESET;
    const std::string why =
        sdk::join("cannot write to file target '", config_.path,
                  "': ", has_no_reader ? "standard output was closed by its reader" : std::generic_category().message(error));
    const bool taken_back = output_.take_back();
    std::uint32_t first = 0;
    if (!taken_back) {
        while (first < ends_.size() && ends_[first] <= output_.written()) ++first;
        answer(call, first);
        if (first < call.size()) call.uncertain(first, why + "; a part of the record may be in the file");
        mend_ = true;
    } else {
        call.again(first, why + "; the batch was taken back");
    }
    if (has_no_reader) return call.fail(sdk::status::bad_config, why);
    const bool may_pass = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EINTR || error == EAGAIN;
    return call.fail(may_pass ? sdk::status::retry : sdk::status::disconnected, why);
}

}  // namespace mqb::file
