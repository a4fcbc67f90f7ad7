#include "publisher.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "csv_file_header.hpp"
#include "packed_input.hpp"
#include "small_file.hpp"

namespace mqb::file {
namespace {

// Of the batch that a sealed file begins with, which is opened as a whole for its header.
constexpr std::uint64_t longest_first_record = 1 << 30;

}  // namespace

publisher::publisher(const sdk::context& made, config chosen)
    : sdk::publisher(made), config_(with_stream(std::move(chosen), MQB_SIDE_PUBLISHER)), output_(config_.path, config_.packed()),
      delimiter_(config_.delimiter_byte()), records_(config_) {
    if (config_.has_csv_settings() && config_.format != record_format::csv)
        host().warning("file target '", config_.path, "': the block `csv` says nothing without `format: csv`");
    if (config_.is_parts()) parts_.emplace(config_, records_);
    if (config_.fsync == fsync_mode::periodic && output_.is_synced() && !parts_)
        periodic_.emplace(std::chrono::milliseconds(config_.fsync_interval_ms));
    if (config_.rolls()) rolling_.emplace(config_.rolling, config_.path);
    if (!config_.packed().is_plain()) packer_ = std::make_unique<batch_packer>(config_);
}

publisher::~publisher() { close(); }

// One send at a time, taken back as a whole when it fails: nothing of it is in the file when it is sent again.
sdk::promises publisher::promise(const config& chosen) {
    sdk::promises kept = sdk::promises{}.ordered().ordered_retry();
    return chosen.is_parts() ? kept.idempotent() : kept;
}

void publisher::connect() {
    if (parts_)
        parts_->open();
    else if (was_open_)
        open_again();
    else
        open();
}

// What was written of it goes to the disk first.
void publisher::close() {
    const int error = periodic_ ? periodic_->finish() : 0;
    if (error != 0 && !told_unsynced_) host().error(unsynced_text(error));
    told_unsynced_ = false;
    output_.close();
}

// What is not open as it should be is not written.
void publisher::open() {
    close();
    if (periodic_) periodic_->start();
    try {
        open_file();
    } catch (...) {
        output_.close();
        throw;
    }
    was_open_ = true;
}

void publisher::open_file() {
    const output_file::opened is = output_.open(delimiter_, config_.fsync != fsync_mode::off, records_.row_end());
    if (packer_) check_packed(is);
    mend_ = is.unended;
    if (rolling_) rolling_->opened(is.modified_ms);
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

// Behind half a member or block nothing can be read: none may stay, and none may be left that the next publisher does not know of.
void publisher::check_packed(const output_file::opened& is) {
    const int error = is.uncut != 0 ? is.uncut : is.unclaimed;
    if (error == 0) return;
    if (error == EWOULDBLOCK && is.uncut == 0)
        throw sdk::retry_later("file target '", config_.path,
                               "' is open in another publisher; a compressed or encrypted file has one at a time");
    const std::string why = std::generic_category().message(error);
    throw sdk::failure(may_pass(error) ? sdk::status::retry : sdk::status::bad_config,
                       is.uncut != 0 ? sdk::join("file target '", config_.path,
                                                 "': what an earlier publisher left of a batch that was not finished cannot be cut: ", why)
                                     : sdk::join("file target '", config_.path, "': '", config_.path, ".writing' cannot be written: ", why,
                                                 "; a compressed or encrypted file needs it, to be cut after a kill"));
}

void publisher::follow_start() {
    starts_ = false;
    if (!records_.wants_start() || output_.is_empty() || config_.path == standard_output) return;
    const auto start = start_of_text();
    if (!start)
        throw sdk::bad_config("file target '", config_.path,
                              "' has a CSV header that cannot be read: ", std::generic_category().message(errno));
    starts_ = !records_.follow(*start, start->size() < longest_csv_header);
    tell_warnings();
}

// Of the text that is in the file; none: it cannot be read.
std::optional<std::string> publisher::start_of_text() {
    if (!packer_) return output_.start(longest_csv_header);
    input_file file(config_.path);
    std::string text(longest_csv_header, '\0');
    std::size_t size = 0;
    try {
        file.open(true);
        packed_input unpacked(file, config_, longest_first_record);
        while (size < text.size()) {
            const std::size_t more = unpacked.read({text.data() + size, text.size() - size});
            if (more == 0) break;
            size += more;
        }
    } catch (const sdk::failure& failed) {
        throw sdk::bad_config("file target '", config_.path, "' has a CSV header that cannot be read: ", failed.what());
    }
    text.resize(size);
    return text;
}

void publisher::tell_warnings() {
    for (const std::string& text : records_.take_warnings()) host().warning("file target '", config_.path, "': ", text);
}

sdk::status publisher::send(sdk::send_call& call) {
    // After a sync that failed, no other says anything about what was written before it: the file is given up and opened again.
    if (const std::string why = unsynced(); !why.empty()) return call.fail(sdk::status::disconnected, why);
    if (parts_ && !call.flushes()) {
        const sdk::status answer = parts_->send(call);
        tell_warnings();
        return answer;
    }
    cannot_roll_ = false;
    runs_ = 0;
    for (std::uint32_t first = 0; first < call.size();) {
        if (!begin()) return call.fail(sdk::status::disconnected, sdk::join("file target '", config_.path, "' was removed"));
        std::uint32_t end = first;
        ++runs_;
        mend_before_ = mend_;
        starts_before_ = starts_;
        const int error = write_run(call, first, end);
        tell_warnings();
        if (error != 0) return fail(call, first, error);
        if (const int unsynced = sync(); unsynced != 0) return fail_sync(call, first, unsynced);
        if (output_.written() > 0) {
            mend_ = starts_ = false;
            if (rolling_) rolling_->wrote(now_ms());
        }
        answer(call, first, end);
        first = end;
        if (first < call.size()) roll();
    }
    return sdk::status::done;
}

std::string publisher::unsynced() {
    const int error = periodic_ ? periodic_->error() : 0;
    if (error != 0) told_unsynced_ = true;
    return error != 0 ? unsynced_text(error) : std::string{};
}

bool publisher::take_back() {
    if (runs_ == 0) return true;
    if (runs_ > 1 || !output_.take_back()) return false;
    mend_ = mend_before_;
    starts_ = starts_before_;
    runs_ = 0;
    return true;
}

// What has worked once will again: a folder that is moved away is made anew by whoever does that.
void publisher::open_again() {
    try {
        open();
    } catch (const sdk::failure& failed) { throw sdk::retry_later(std::string_view(failed.what())); }
}

bool publisher::begin() {
    if (!output_.is_open()) open_again();
    auto found = output_.begin_batch();
    if (found == output_file::fate::moved) {
        host().info("file target '", config_.path, "' was moved away; a new file is begun");
        open_again();
        found = output_.begin_batch();
    }
    if (found != output_file::fate::here) return false;
    if (rolling_ && !cannot_roll_ && rolling_->is_over(now_ms())) {
        roll();
        return output_.begin_batch() == output_file::fate::here;
    }
    return true;
}

// Between two records, all of which are whole: a kill finds the old file, the renamed one, or that and the new one.
void publisher::roll() {
    int error = mend_ ? output_.write({&delimiter_, 1}) : 0;
    if (error == 0) {
        mend_ = false;
        error = rolling_->roll(now_ms());
    }
    if (error != 0) {
        host().warning("file target '", config_.path, "' is written on: it cannot be renamed: ", std::generic_category().message(error));
        cannot_roll_ = true;
        return;
    }
    open_again();
    if (const int left = rolling_->remove_old(); left != 0)
        host().warning("file target '", config_.path, "': an old file cannot be removed: ", std::generic_category().message(left));
}

bool publisher::is_too_long(const sdk::message_view& message) const {
    return config_.max_message_bytes && message.payload().size() > *config_.max_message_bytes;
}

void publisher::refuse(const sdk::message_view& message, std::string_view why) {
    refused_.push_back({message.index(), sdk::join("file target '", config_.path, "': ", why)});
}

void publisher::answer(const sdk::send_call& call, std::uint32_t first, std::uint32_t end) const {
    if (refused_.empty() && first == 0 && end == call.size()) return call.all_done();
    auto refused = refused_.begin();
    for (std::uint32_t i = first; i < end; ++i) {
        if (refused != refused_.end() && refused->index == i)
            call.refused(i, refused++->why);
        else
            call.done(i);
    }
}

int publisher::write_run(const sdk::send_call& call, std::uint32_t first, std::uint32_t& end) {
    buffer_.clear(2 * piece);
    ends_.clear();
    refused_.clear();
    run_begin_ = output_.position();
    run_text_ = 0;
    if (packer_) packer_->begin();
    for (end = first; end < call.size(); ++end) {
        const int error = append(call[end]);
        if (error == not_written) break;
        if (error != 0) return error;
    }
    return flush(true);
}

// A file is never without a record for want of room.
bool publisher::has_room_until(std::uint64_t end, std::uint64_t begin) const {
    return !rolling_ || cannot_roll_ || begin == 0 || rolling_->has_room_until(end);
}

int publisher::append(const sdk::message_view& message) {
    const std::uint64_t begin = end_of_run();
    const bool begins_run = run_text_ + buffer_.size() == 0;
    if (is_too_long(message)) {
        refuse(message, sdk::join("a payload of ", message.payload().size(), " bytes is longer than max_message_bytes, ",
                                  *config_.max_message_bytes));
    } else if (records_.is_plain() && message.payload().size() >= piece) {
        if (!has_room_until(end_of_run(message.payload().size() + 1), begin)) return not_written;
        if (const int error = append_large(message); error != 0) return error;
    } else {
        const std::size_t before = buffer_.size();
        if (mend_ && begins_run) buffer_.append(delimiter_);
        const std::string_view why = records_.append(message, begins_run && (output_.is_empty() || starts_), buffer_);
        const bool fits = has_room_until(end_of_run(), begin);
        if (!why.empty() || !fits) buffer_.cut(before);
        if (!why.empty())
            refuse(message, why);
        else if (!fits)
            return not_written;
    }
    ends_.push_back(output_.written() + buffer_.size());
    return buffer_.size() < piece ? 0 : flush();
}

// Not copied.
int publisher::append_large(const sdk::message_view& message) {
    if (mend_ && run_text_ + buffer_.size() == 0) buffer_.append(delimiter_);
    if (const int error = flush(); error != 0) return error;
    if (const int error = write_out(message.text(), false); error != 0) return error;
    buffer_.append(delimiter_);
    return 0;
}

int publisher::write_out(std::string_view text, bool last) {
    run_text_ += text.size();
    return packer_ ? packer_->write(text, last, output_) : output_.write(text);
}

int publisher::flush(bool last) {
    const int error = write_out(buffer_.text(), last);
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
sdk::status publisher::fail_sync(const sdk::send_call& call, std::uint32_t first, int error) {
    const std::string why = sdk::join("cannot synchronise file target '", config_.path, "': ", std::generic_category().message(error));
    if (output_.take_back())
        call.again(first, why + "; the batch was taken back");
    else
        call.uncertain(first, why + "; the batch is in the file");
    return call.fail(sdk::status::disconnected, why);
}

// Of a file everything is taken back, so that all was not sent. Where that cannot be done, what is whole in there is done, when it is
// synchronised as anything that is done.
sdk::status publisher::fail(const sdk::send_call& call, std::uint32_t first, int error) {
    // Only a pipe or a socket has a reader, and only standard output can be one. No other reader ever comes.
    const bool has_no_reader = error == EPIPE || error == ECONNRESET;
    const std::string why =
        sdk::join("cannot write to file target '", config_.path,
                  "': ", has_no_reader ? "standard output was closed by its reader" : std::generic_category().message(error));
    const bool taken_back = output_.take_back();
    const int unsynced = taken_back ? 0 : sync();
    if (!taken_back) {
        const auto whole = std::ranges::find_if(ends_, [this](std::uint64_t end) { return end > output_.written(); }) - ends_.begin();
        // Of a packed batch that is not whole nothing can be read.
        const std::uint32_t next = packer_ || unsynced != 0 ? first : first + static_cast<std::uint32_t>(whole);
        answer(call, first, next);
        if (next < call.size()) call.uncertain(next, why + "; a part of the record may be in the file");
        mend_ = !packer_;
    } else {
        call.again(first, why + "; the batch was taken back");
    }
    if (has_no_reader) return call.fail(sdk::status::bad_config, why);
    const bool is_wait = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EINTR || error == EAGAIN;
    // A packed file that keeps a part of a batch is opened again, which cuts it.
    return call.fail(is_wait && (taken_back || !packer_) && unsynced == 0 ? sdk::status::retry : sdk::status::disconnected, why);
}

}  // namespace mqb::file
